import { formatAmount, parseAmount } from '@coffer/core/money';
import { lastDayOf } from '../formats/dates.ts';
import type { Period } from '@coffer/core/budget-periods';
import type { TransactionQuery } from '../types.ts';

/** Which transactions are listed. Lists of ids are sorted; 0 is none, such as no category. */
export interface Filter {
  /** What was typed, ranges of dates and amounts included. */
  readonly text: string;
  /** The exact payee; empty for all. */
  readonly payee: string;
  readonly categoryIds: readonly number[];
  readonly tagIds: readonly number[];
  readonly manualAccountIds: readonly number[];
  readonly plaidAccountIds: readonly number[];
  readonly status: 'all' | 'reviewed' | 'unreviewed';
  /** Only rows of a kind: parts of splits, groups, or pending ones. */
  readonly only: Only;
  /** All, only posted ones, or only those that count as spending or as income in reports, or as spending in budgets. */
  readonly counts: 'all' | (typeof countings)[number];
  readonly recurringId: number | null;
  readonly importId: number | null;
  readonly sort: Sort;
}

const kinds = ['all', 'split', 'group', 'pending'] as const;

/** A kind of rows, or all of them. */
export type Only = (typeof kinds)[number];

const sorts = ['-date', 'date', '-amount', 'amount', 'payee', '-payee'] as const;

/** The order of a list. */
export type Sort = (typeof sorts)[number];

/** All transactions, newest first. */
export const noFilter: Filter = {
  text: '',
  payee: '',
  categoryIds: [],
  tagIds: [],
  manualAccountIds: [],
  plaidAccountIds: [],
  status: 'all',
  only: 'all',
  counts: 'all',
  recurringId: null,
  importId: null,
  sort: '-date',
};

/** The lists of ids, with their names in the URL of the page. */
const idLists = [
  ['categoryIds', 'category'],
  ['tagIds', 'tag'],
  ['manualAccountIds', 'account'],
  ['plaidAccountIds', 'bank'],
] as const;

const countings = ['posted', 'spending', 'income', 'outflow'] as const;

/** Reads a filter from the query of the page. Parameters that are missing or invalid do not filter. */
export function readFilter(search: string): Filter {
  const given = new URLSearchParams(search);
  const status = given.get('status');
  const counts = countings.find((each) => each === given.get('counts')) ?? 'all';
  const sort = sorts.find((each) => each === given.get('sort')) ?? '-date';
  const lists = Object.fromEntries(
    idLists.map(([name, parameter]) => [name, idsOf(given.get(parameter))]),
  ) as Record<(typeof idLists)[number][0], number[]>;
  return {
    ...lists,
    text: (given.get('q') ?? '').trim(),
    payee: given.get('payee') ?? '',
    status: status === 'reviewed' || status === 'unreviewed' ? status : 'all',
    only: kinds.find((each) => each === given.get('only')) ?? 'all',
    counts,
    recurringId: idsOf(given.get('recurring')).at(0) ?? null,
    importId: idsOf(given.get('import')).at(0) ?? null,
    sort,
  };
}

function idsOf(text: string | null): number[] {
  const ids = (text ?? '').split(',').filter((part) => /^\d{1,15}$/.test(part));
  return [...new Set(ids.map(Number))].toSorted((a, b) => a - b);
}

/** Writes a filter as the query of the page, without `?`; empty for {@link noFilter}. */
export function writeFilter(filter: Filter): string {
  const search = new URLSearchParams();
  const set = (name: string, value: string): void => {
    if (value !== '') search.set(name, value);
  };
  set('q', filter.text);
  set('payee', filter.payee);
  for (const [name, parameter] of idLists) set(parameter, filter[name].join(','));
  if (filter.status !== 'all') set('status', filter.status);
  if (filter.only !== 'all') set('only', filter.only);
  if (filter.counts !== 'all') set('counts', filter.counts);
  set('recurring', String(filter.recurringId ?? ''));
  set('import', String(filter.importId ?? ''));
  if (filter.sort !== '-date') set('sort', filter.sort);
  return search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** The parameters of GET /coffer/transactions that decide what passes a filter. */
export function toParameters(filter: Filter): TransactionQuery {
  const typed = readTyped(filter.text);
  const all: { readonly [Name in keyof TransactionQuery]: TransactionQuery[Name] | null } = {
    q: searchedIn(typed.words).words,
    payee: filter.payee,
    min_amount: typed.minAmount,
    max_amount: typed.maxAmount,
    start_date: typed.startDate,
    end_date: typed.endDate,
    category_ids: filter.categoryIds.join(','),
    tag_ids: filter.tagIds.join(','),
    manual_account_ids: filter.manualAccountIds.join(','),
    plaid_account_ids: filter.plaidAccountIds.join(','),
    status: filter.status === 'all' ? null : filter.status,
    is_split_part: filter.only === 'split' ? true : null,
    is_group_parent: filter.only === 'group' ? true : null,
    is_pending: pendingOf(filter),
    counts_as: filter.counts === 'all' || filter.counts === 'posted' ? null : filter.counts,
    recurring_id: filter.recurringId,
    import_id: filter.importId,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== null && value !== ''),
  );
}

/** What is to be reviewed is posted, on every screen. */
function pendingOf({ only, counts, status }: Filter): boolean | null {
  if (only === 'pending') return true;
  return counts === 'posted' || status === 'unreviewed' ? false : null;
}

/** Whether only the first words of a search are searched. */
export function isSearchCut({ text }: Filter): boolean {
  return searchedIn(readTyped(text).words).isCut;
}

/** Whether a filter lists all transactions. */
export function isUnfiltered(filter: Filter): boolean {
  return writeFilter({ ...filter, sort: '-date' }) === '';
}

/** What a typed search means. Dates are days, amounts decimals without a sign; null where nothing was typed. */
export interface TypedFilter {
  readonly words: string;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly minAmount: string | null;
  readonly maxAmount: string | null;
}

const date = String.raw`(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?`;
const dateRange = new RegExp(String.raw`^(${date})?\.\.(${date}|0[1-9]|1[0-2])?$`);
const oneDate = /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?$/;
const amount = String.raw`(\d{1,11}(?:[.,]\d{1,4})?)?`;
const amountRange = new RegExp(String.raw`^${amount}\.\.${amount}$`);
const oneAmount = /^(?:=(\d{1,11}(?:[.,]\d{1,4})?)|(\d{1,11}[.,]\d{1,4}))$/;
const amountBound = /^([<>])(=?)(\d{1,11}(?:[.,]\d{1,4})?)$/;

/** Most words of a search. */
const mostWords = 10;
const mostCharacters = 200;
/** What separates words: the service has no text with NUL. */
const blanks = /[\s\p{Cc}]+/u;

/** A text as it is searched: its first ten words, in at most 200 characters, and whether that is not all of it. */
export interface Searched {
  readonly words: string;
  readonly isCut: boolean;
}

/** Returns what the service can search of a text. A single word that is too long is cut. */
export function searchedIn(text: string): Searched {
  // As the service compares it, because some characters become blanks.
  const all = wordsOf(text.normalize('NFKD'));
  const words = all.slice(0, mostWords);
  while (words.length > 1 && words.join(' ').length > mostCharacters) words.pop();
  const found = words.join(' ').slice(0, mostCharacters);
  return { words: found, isCut: found !== all.join(' ') };
}

function wordsOf(text: string): string[] {
  return text.split(blanks).filter((word) => word !== '');
}

/**
 * Reads a typed search: words, amounts (`78.84`, `=78`, `>100`, `<=5`, `70..90`, `70..`, `..90`) and dates
 * (`2026-03..05`, `2026-03`, `2026-03-01..2026-04-15`, `2025..2026`), in any order. What is neither is a word. The last
 * one of a kind counts; a lower and an upper bound count together.
 */
export function readTyped(text: string): TypedFilter {
  const words: string[] = [];
  let found: Omit<TypedFilter, 'words'> = noRanges;
  for (const word of wordsOf(text)) {
    const range = datesOf(word) ?? amountsOf(word) ?? boundOf(word);
    if (range === null) words.push(word);
    else found = { ...found, ...range };
  }
  return { ...found, words: words.join(' ') };
}

const noRanges = { startDate: null, endDate: null, minAmount: null, maxAmount: null };

function datesOf(word: string): Pick<TypedFilter, 'startDate' | 'endDate'> | null {
  if (oneDate.test(word)) return { startDate: firstDay(word), endDate: lastDay(word) };
  const [isRange, from, to] = dateRange.exec(word) ?? [];
  if (isRange === undefined || (from === undefined && (to === undefined || to.length < 4)))
    return null;
  // 2026-03..05 is a range of months; 12..20 is one of amounts.
  const end = to?.length === 2 ? monthIn(from, to) : to;
  if (end === null) return null;
  const isTurned = from !== undefined && end !== undefined && firstDay(from) > lastDay(end);
  const [first, last] = isTurned ? [end, from] : [from, end];
  return {
    startDate: first === undefined ? null : firstDay(first),
    endDate: last === undefined ? null : lastDay(last),
  };
}

function monthIn(from: string | undefined, month: string): string | null {
  return from === undefined || from.length < 7 ? null : `${from.slice(0, 4)}-${month}`;
}

function firstDay(text: string): string {
  return text + '-01-01'.slice(text.length === 4 ? 0 : text.length === 7 ? 3 : 6);
}

function lastDay(text: string): string {
  if (text.length === 4) return `${text}-12-31`;
  return text.length === 7 ? lastDayOf(text) : text;
}

function amountsOf(word: string): Pick<TypedFilter, 'minAmount' | 'maxAmount'> | null {
  const [isOne, whole, exact = whole] = oneAmount.exec(word) ?? [];
  if (isOne !== undefined) {
    const amount = exact!.replace(',', '.');
    return { minAmount: amount, maxAmount: amount };
  }
  const [isRange, from, to] = amountRange.exec(word) ?? [];
  if (isRange === undefined || (from === undefined && to === undefined)) return null;
  const [least = null, most = null] = [from?.replace(',', '.'), to?.replace(',', '.')];
  const isTurned = least !== null && most !== null && Number(least) > Number(most);
  return isTurned ? { minAmount: most, maxAmount: least } : { minAmount: least, maxAmount: most };
}

/** One bound of amounts; without `=` the amount itself is not in it. */
function boundOf(word: string): Partial<Pick<TypedFilter, 'minAmount' | 'maxAmount'>> | null {
  const [isBound, sign, equal, text = ''] = amountBound.exec(word) ?? [];
  const units = parseAmount(text.replace(',', '.'));
  if (isBound === undefined || units === null) return null;
  const step = equal === '=' ? 0 : 1;
  if (sign === '>') return { minAmount: formatAmount(units + step) };
  return { maxAmount: formatAmount(Math.max(0, units - step)) };
}

/** The address of the transactions that pass a filter. */
export function transactionsHref(filter: Partial<Filter>): string {
  const search = writeFilter({ ...noFilter, ...filter });
  return search === '' ? '/transactions' : `/transactions?${search}`;
}

/** Returns some days as a search writes them: whole months by their names, such as `2026-03..2026-05`. */
function typedPeriod({ start, end }: Period): string {
  const isWhole = start.endsWith('-01') && end === lastDayOf(end.slice(0, 7));
  const [first, last] = isWhole ? [start.slice(0, 7), end.slice(0, 7)] : [start, end];
  return first === last ? first : `${first}..${last}`;
}

/** The address of the transactions of some days that pass a filter. */
export function periodHref(period: Period, filter: Partial<Filter> = {}): string {
  return transactionsHref({ ...filter, text: typedPeriod(period) });
}
