import { nameKey } from '@coffer/core/text';
import { listOf } from '../statement/texts.ts';
import { LANGUAGES, type WordList } from '../words/vocabulary.ts';
import type { Book } from './entries.ts';
import type { Survey } from './survey.ts';

const MAX_ACCOUNT_NAME = 45;
const MAX_CATEGORY_NAME = 100;

/** What an account is: money of its own, or the reason why money moves. */
export type AccountKind = 'asset' | 'liability' | 'category';

const TOPS: ReadonlyMap<string, AccountKind> = new Map([
  ...topsOf('assetAccount', 'asset'),
  ...topsOf('liabilityAccount', 'liability'),
  ...topsOf('categoryAccount', 'category'),
]);
/** Values of `type:`: a letter, or the name of the type. */
const TYPES: ReadonlyMap<string, AccountKind> = new Map([
  ...kindOfEach('a asset c cash', 'asset'),
  ...kindOfEach('l liability', 'liability'),
  ...kindOfEach('e equity r revenue income x expense v conversion g gain', 'category'),
]);
const OPTIONS: ReadonlyMap<string, AccountKind> = new Map([
  ['assets', 'asset'],
  ['liabilities', 'liability'],
]);

function topsOf(list: WordList, kind: AccountKind): [string, AccountKind][] {
  return LANGUAGES.flatMap((language) => (language[list] ?? []).map((name) => [name, kind]));
}

function kindOfEach(names: string, kind: AccountKind): [string, AccountKind][] {
  return listOf(names).map((name) => [name, kind]);
}

/** The kinds of the accounts of a file. */
export interface AccountKinds {
  of(account: string): AccountKind;
  /** Accounts whose kind the file does not show, by their top name, in file order. */
  readonly unknown: readonly string[];
  /** Whether unknown accounts are money accounts, because no other account is one. */
  readonly isUnknownMoney: boolean;
}

/**
 * The kinds of accounts: by the type of the account or of the nearest account above it that has one, else by the top
 * name. If no account is an asset or a liability, all that are of no known kind are taken for assets.
 */
export function accountKinds(survey: Survey): AccountKinds {
  const known = new Map<string, AccountKind | null>();
  for (const account of survey.accounts) known.set(account, knownKind(account, survey));
  const isUnknownMoney = ![...known.values()].some(
    (kind) => kind === 'asset' || kind === 'liability',
  );
  const unknown = [...known].filter(([, kind]) => kind === null).map(([account]) => topOf(account));
  const other: AccountKind = isUnknownMoney ? 'asset' : 'category';
  return {
    of: (account) => known.get(account) ?? other,
    unknown: [...new Set(unknown)],
    isUnknownMoney,
  };
}

function knownKind(account: string, { types, tops }: Survey): AccountKind | null {
  for (let name = account; types.size > 0; name = name.slice(0, name.lastIndexOf(':'))) {
    const kind = TYPES.get(types.get(name)?.toLowerCase() ?? '');
    if (kind !== undefined) return kind;
    if (!name.includes(':')) break;
  }
  const top = topOf(account);
  const option = tops.get(top);
  if (option !== undefined) return OPTIONS.get(option) ?? 'category';
  return TOPS.get(top.toLowerCase().normalize('NFC')) ?? null;
}

function topOf(account: string): string {
  return account.split(':', 1)[0]!;
}

/** What the accounts of a file are, and how they are named. */
export function bookOf(found: Survey, kinds: AccountKinds): Book {
  const isMoney = (account: string): boolean => kinds.of(account) !== 'category';
  const all = [...found.accounts];
  const names = shortNames(all.filter(isMoney), MAX_ACCOUNT_NAME);
  const categories = shortNames(
    all.filter((account) => !isMoney(account)),
    MAX_CATEGORY_NAME,
  );
  return {
    isMoney,
    accountName: (account) => names.get(account)!,
    categoryName: (account) => categories.get(account)!,
    isBareMoney: found.isBareMoney,
  };
}

/**
 * Names accounts without their top: `Expenses:Food:Bread` is `Food:Bread`. Two that would be equal keep it. The end of
 * a name is used if it is longer than `maxLength`; a number distinguishes names that are still equal.
 */
function shortNames(accounts: Iterable<string>, maxLength: number): Map<string, string> {
  const all = [...accounts];
  const counts = new Map<string, number>();
  for (const account of all) {
    const key = nameKey(short(account, maxLength));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const used = new Map<string, number>();
  for (const account of all) {
    const own = short(account, maxLength);
    const isShared = (counts.get(nameKey(own)) ?? 0) > 1;
    names.set(account, unused(isShared ? ending(account, maxLength) : own, used, maxLength));
  }
  return names;
}

function short(account: string, maxLength: number): string {
  return ending(account.slice(account.indexOf(':') + 1), maxLength);
}

/** The end of a text, which begins with a whole part of the account if there is one. */
function ending(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = text.slice(-maxLength);
  const colon = end.indexOf(':');
  return (colon < 0 || colon === end.length - 1 ? end : end.slice(colon + 1)).toWellFormed();
}

/** The name, or the first free one with a number. `used` has the last number of each name. */
function unused(name: string, used: Map<string, number>, maxLength: number): string {
  const key = nameKey(name);
  const last = used.get(key);
  if (last === undefined) {
    used.set(key, 1);
    return name;
  }
  used.set(key, last + 1);
  const number = ` ${last + 1}`;
  return unused(`${name.slice(0, maxLength - number.length)}${number}`, used, maxLength);
}
