import type { Filter } from './filter.ts';
import { fold, matching, type Named } from './matching.ts';

/** A record that a search can name. */
interface Found extends Named {
  readonly id: number;
  readonly is_group?: boolean;
}

/** What a search can name. */
export interface SearchNames {
  readonly categories: readonly Found[];
  readonly tags: readonly Found[];
  /** Names of accounts by `manual:1` or `plaid:1`. */
  readonly accounts: ReadonlyMap<string, string>;
}

/** The words that a person types before a colon and after it, and the names of months from January on. */
export interface SearchWords {
  readonly keys: Readonly<Record<'category' | 'tag' | 'account' | 'payee' | 'is' | 'no', string>>;
  readonly is: Readonly<Record<'reviewed' | 'unreviewed' | 'split' | 'group' | 'pending', string>>;
  readonly no: Readonly<Record<'category' | 'tag', string>>;
  readonly months: readonly string[];
}

type Key = keyof SearchWords['keys'];

/** One word of a search, and what it means: `category:food` has the key `category` and the value `food`. */
export interface Token {
  /** Where it begins in the text. */
  readonly at: number;
  readonly key: Key | null;
  readonly value: string;
}

/** Divides a search into words. A value in quotes may have blanks: `category:"eating out"`. */
export function tokensIn(text: string, { keys }: SearchWords): readonly Token[] {
  return [...text.matchAll(/(?:[^\s:"]+:)?"[^"]*"?|\S+/g)].map(({ 0: word, index: at }) => {
    const [, name = '', value = ''] = /^([^\s:"]+):(.*)$/s.exec(word) ?? [];
    const [key = null] = (Object.keys(keys) as Key[]).filter((each) => keys[each] === fold(name));
    return { at, key, value: (key === null ? word : value).replaceAll('"', '') };
  });
}

/**
 * Returns a filter without a text for what has a key, such as `is:split`, `no:category` or `account:cash`, and with the
 * month for its name before a year. What names nothing stays in the text.
 */
export function withoutTokens(filter: Filter, names: SearchNames, words: SearchWords): Filter {
  const tokens = tokensIn(filter.text, words);
  const left: string[] = [];
  let next = filter;
  for (const [place, { at, key, value }] of tokens.entries()) {
    const end = tokens[place + 1]?.at ?? filter.text.length;
    const word = filter.text.slice(at, end).trim();
    const applied = key === null ? null : withToken(next, { key, value }, names, words);
    if (applied === null) left.push(word);
    else next = applied;
  }
  return { ...next, text: withMonths(left, words).join(' ') };
}

/** Returns a filter that a word with a key narrows; null if it names nothing. */
function withToken(
  filter: Filter,
  { key, value }: { readonly key: Key; readonly value: string },
  names: SearchNames,
  words: SearchWords,
): Filter | null {
  if (value === '') return null;
  if (key === 'is') return withKind(filter, keyOf(words.is, value));
  if (key === 'no') {
    const none = keyOf(words.no, value);
    if (none === 'category') return { ...filter, categoryIds: added(filter.categoryIds, 0) };
    return none === 'tag' ? { ...filter, tagIds: [0] } : null;
  }
  if (key === 'payee') return { ...filter, payee: value };
  const [found] = matching(namedBy(names, key), value);
  return found === undefined ? null : withNamed(filter, key, found.id);
}

function keyOf<K extends string>(texts: Readonly<Record<K, string>>, value: string): K | undefined {
  return (Object.keys(texts) as K[]).find((each) => fold(texts[each]) === fold(value));
}

function withKind(filter: Filter, kind: keyof SearchWords['is'] | undefined): Filter | null {
  if (kind === undefined) return null;
  const isStatus = kind === 'reviewed' || kind === 'unreviewed';
  return isStatus ? { ...filter, status: kind } : { ...filter, only: kind };
}

/** The records of a kind that a search can name, with their ids as texts. */
function namedBy(
  { categories, tags, accounts }: SearchNames,
  key: 'category' | 'tag' | 'account',
): readonly (Named & { readonly id: string })[] {
  if (key === 'account') return [...accounts].map(([id, name]) => ({ id, name }));
  const all = key === 'category' ? categories : tags;
  return all.map(({ id, name }) => ({ id: String(id), name }));
}

/** Returns a filter with one more category, tag or account (`manual:1`, `plaid:1`). */
export function withNamed(filter: Filter, key: 'category' | 'tag' | 'account', id: string): Filter {
  const list =
    key === 'category'
      ? 'categoryIds'
      : key === 'tag'
        ? 'tagIds'
        : id.startsWith('manual:')
          ? 'manualAccountIds'
          : 'plaidAccountIds';
  const number = Number(id.slice(id.indexOf(':') + 1));
  return { ...filter, [list]: added(filter[list], number) };
}

function added(ids: readonly number[], id: number): number[] {
  return [...new Set([...ids, id])].toSorted((a, b) => a - b);
}

/** Joins the name of a month and a year after it: `March`, `2026` is `2026-03`. */
function withMonths(list: readonly string[], { months }: SearchWords): readonly string[] {
  return list.flatMap((word, place) => {
    const isYear = (text = ''): boolean => /^(?:19|20)\d\d$/.test(text);
    const month = monthOf(word, months);
    if (month !== null && isYear(list[place + 1])) return [`${list[place + 1]}-${month}`];
    const before = list[place - 1];
    return isYear(word) && before !== undefined && monthOf(before, months) !== null ? [] : [word];
  });
}

/** Returns the number of a month whose name begins with a word of at least three letters, with two digits. */
function monthOf(word: string, months: readonly string[]): string | null {
  const place =
    word.length < 3 ? -1 : months.findIndex((name) => fold(name).startsWith(fold(word)));
  return place === -1 ? null : String(place + 1).padStart(2, '0');
}

/** Something that a search could mean. */
export interface Suggestion {
  readonly id: string;
  /** What it is. */
  readonly kind: Key | 'month';
  readonly name: string;
  /** The filter that it makes of one whose text has no unfinished word. */
  readonly apply: (filter: Filter) => Filter;
}

const mostOfKind = 3;

/**
 * Returns what the last word of a search could mean: categories, tags, accounts, payees, months of the latest years,
 * and what has a key. Nothing for fewer than two letters without a key, and for amounts and dates.
 */
export function suggestionsFor(
  text: string,
  names: SearchNames,
  payees: readonly string[],
  words: SearchWords,
  today: string,
): readonly Suggestion[] {
  const last = unfinished(text, words);
  if (last === null) return [];
  const { key, value } = last;
  const named = (['category', 'tag', 'account'] as const).flatMap((kind) => {
    if (key !== null && key !== kind) return [];
    return matching(namedBy(names, kind), value)
      .slice(0, key === kind ? 2 * mostOfKind : mostOfKind)
      .map(({ id, name }) => ({
        id: `${kind}:${id}`,
        kind,
        name,
        apply: (filter: Filter) => withNamed(filter, kind, id),
      }));
  });
  const ofPayees = (key === null || key === 'payee' ? payees : []).slice(0, mostOfKind);
  return [
    ...named,
    ...ofPayees.map((payee) => ({
      id: `payee:${payee}`,
      kind: 'payee' as const,
      name: payee,
      apply: (filter: Filter) => ({ ...filter, payee }),
    })),
    ...(key === null ? monthsLike(value, words, today) : []),
    ...kindsLike(last, words),
  ];
}

/** The word that is being typed; null where it has no meaning yet. */
export function unfinished(text: string, words: SearchWords): Token | null {
  const last = tokensIn(text, words).at(-1);
  if (last === undefined || /\s$/.test(text)) return null;
  const isLong = last.value.length >= 2 && !/^[\d<>=.,-]/.test(last.value);
  return last.key !== null || isLong ? last : null;
}

function monthsLike(value: string, { months }: SearchWords, today: string): Suggestion[] {
  const month = monthOf(value, months);
  if (month === null) return [];
  const year = Number(today.slice(0, 4));
  const isAhead = month > today.slice(5, 7);
  return [0, 1].map((back) => {
    const found = `${year - back - (isAhead ? 1 : 0)}-${month}`;
    const name = `${months[Number(month) - 1]!} ${found.slice(0, 4)}`;
    const apply = (filter: Filter): Filter => ({
      ...filter,
      text: `${filter.text} ${found}`.trim(),
    });
    return { id: found, kind: 'month', name, apply };
  });
}

/** What has the key `is` or `no`, as it is typed. */
function kindsLike({ key, value }: Token, words: SearchWords): Suggestion[] {
  return (['is', 'no'] as const).flatMap((kind) => {
    if (key !== null && key !== kind) return [];
    const texts: Readonly<Record<string, string>> = words[kind];
    return Object.values(texts).flatMap((text) => {
      const isLike = fold(text).startsWith(fold(value)) && (key !== null || kind === 'is');
      const name = `${words.keys[kind]}:${text}`;
      const apply = (filter: Filter): Filter =>
        withToken(filter, { key: kind, value: text }, nothing, words) ?? filter;
      return isLike ? [{ id: name, kind, name, apply }] : [];
    });
  });
}

const nothing: SearchNames = { categories: [], tags: [], accounts: new Map() };
