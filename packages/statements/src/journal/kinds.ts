import { listOf } from '../statement/texts.ts';
import { LANGUAGES, type WordList } from '../words/vocabulary.ts';
import type { Survey } from './text/survey.ts';

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
