import { quote } from '@coffer/core/text';
import type {
  MappedColumn,
  Statement,
  StatementAccount,
} from '@coffer/statements/src/statement/statement.ts';
import { maxAccountNameLength } from '../operations/limits.ts';
import type { NumberedAccount, StatedAccount } from './entry.ts';

/** The last characters of an account number identify it if there are at least so many letters and digits. */
const shortestEnd = 4;

/** The names that a user gives: for all rows, for rows without an account, and for accounts by number. */
export interface AccountNames {
  /** Wins over what the file says, except for accounts that are named by number. */
  readonly name: string | null;
  /** For rows without an account. */
  readonly rest: string | null;
  readonly byNumber: readonly { readonly number: string; readonly name: string }[];
}

/** The accounts for the entries of one file. */
export interface AccountPlan {
  /** The account for entries without one, or null. */
  readonly defaultAccount: string | null;
  /** Returns the account of an entry, by what its row in a table says. Default: that, else the account for the rest. */
  readonly accountOf?: (named: string | null) => string | null;
  /**
   * The accounts of the file with entries, by the names that entries then have. Those of a column of a table are only
   * there after {@link accountOf} was called for their rows.
   */
  readonly accounts: ReadonlyMap<string, NumberedAccount>;
  /** The balances that the file states, by the names that entries then have. */
  readonly balances: ReadonlyMap<string, StatedAccount>;
}

/** What messages call the file and the option, such as `"may.csv"` and `--account`. */
export interface PlanWords {
  readonly file: string;
  readonly option: string;
}

/** The names do not fit the file. The message is a sentence for the user. */
export class AccountNamesError extends Error {
  override name = 'AccountNamesError';
}

/**
 * Reads names of accounts: `NAME`, `=NAME` for rows without one, or `NUMBER=NAME`. Throws a RangeError that quotes an
 * invalid value.
 */
export function readAccountNames(values: readonly string[]): AccountNames {
  const parted = values.map((value) => {
    const [, number = null, name = ''] = /^(?:([^=]*)=)?([^]*)$/.exec(value) ?? [];
    checkName(value, name.trim());
    return { value, number: number === null ? null : bareNumber(number), name: name.trim() };
  });
  const short = parted.find(
    ({ value, number }) =>
      number !== null && number.length < shortestEnd && !value.trim().startsWith('='),
  );
  if (short !== undefined) {
    throw new RangeError(
      `${quote(short.value)} needs at least the last ${shortestEnd} characters of the number before "="`,
    );
  }
  const plain = parted.filter(({ number }) => number === null).map(({ name }) => name);
  if (plain.length > 1)
    throw new RangeError(
      `give only one name without a number, not ${plain.map(quote).join(' and ')}`,
    );
  const rest = parted.find(({ number }) => number === '')?.name ?? null;
  const byNumber = parted.flatMap(({ number, name }) =>
    number === null || number === '' ? [] : [{ number, name }],
  );
  return { name: plain[0] ?? null, rest, byNumber };
}

/**
 * Chooses the account for each entry of a file. An account of the file gets the name given for its number. If only one
 * other account is left, it gets the name without a number. Without such names, the import finds accounts by their
 * numbers, and new ones get the names of the file.
 *
 * Throws {@link AccountNamesError} if the names are not those of all accounts, or if they are ambiguous.
 */
export function planAccounts(
  statement: Statement,
  names: AccountNames,
  words: PlanWords,
): AccountPlan {
  const accounts = statement.accounts.filter(({ entryCount }) => entryCount > 0);
  const wanted = new Map<string, string>();
  for (const account of accounts) {
    const given = nameGiven(account, names, words);
    if (given !== null) wanted.set(account.name, given);
  }
  const left = accounts.filter(({ name }) => !wanted.has(name)).map(({ name }) => name);
  refuseUnclear(left, names, words);
  if (names.name !== null) for (const account of left) wanted.set(account, names.name);
  const numbered = accounts.map(({ name, bankId, id: number, currency }) => {
    const known = { bankId, number, name: wanted.get(name) ?? null };
    return [name, currency === null ? known : { ...known, currency }] as const;
  });
  const defaultAccount = names.name ?? names.rest;
  const hasColumn = accountColumn(statement) !== undefined;
  const known = new Map<string, NumberedAccount>(numbered);
  const accountOf = accountsByRows(names, known);
  const balances = balancesByName(
    statement,
    hasColumn ? accountOf : (name) => name ?? defaultAccount,
  );
  const plan = { defaultAccount, accounts: known, balances };
  return hasColumn ? { ...plan, accountOf } : plan;
}

/** The balances of a file by the names that entries get; none for entries that several accounts of a table become. */
function balancesByName(
  { accounts, stated = [] }: Statement,
  nameOf: (account: string | null) => string | null,
): Map<string, StatedAccount> {
  const ofFile = accounts.map(({ name, currency, balances }) => ({ name, currency, balances }));
  const ofTable = stated.map((each) => ({ ...each, name: nameOf(each.account) }));
  const known = Map.groupBy(
    [...ofFile, ...ofTable].filter(({ balances }) => balances.length > 0),
    ({ name }) => name,
  );
  return new Map(
    [...known].flatMap(([name, [first, ...others]]) =>
      name === null || others.length > 0
        ? []
        : [[name, { currency: first!.currency, balances: first!.balances }]],
    ),
  );
}

/** Most accounts of a table whose numbers become known. */
const mostNumbers = 1000;
/** The whole number of an account: an IBAN, or six digits and more. No part of it is hidden. */
const wholeNumber = /^(?:[a-z]{2}\d{2}[a-z0-9]{11,30}|\d{6,34})$/;

/**
 * Returns a function for the account of a row of a table that has a column of accounts. It notes the whole numbers in
 * that column, except those of several accounts that become one.
 */
function accountsByRows(
  { name, rest, byNumber }: AccountNames,
  known: Map<string, NumberedAccount>,
): NonNullable<AccountPlan['accountOf']> {
  const several = new Set<string>();
  return (named) => {
    if (named === null) return name ?? rest;
    const number = bareNumber(named);
    const found = byNumber.find((by) => number.endsWith(by.number))?.name ?? name ?? named;
    if (!wholeNumber.test(number) || named.includes('*') || several.has(found)) return found;
    const before = known.get(found);
    if (before === undefined) {
      const own = { bankId: null, number, name: found === named ? null : found };
      if (known.size < mostNumbers) known.set(found, own);
    } else if (bareNumber(before.number) !== number) {
      known.delete(found);
      several.add(found);
    }
    return found;
  };
}

function accountColumn({ mapping }: Statement): MappedColumn | undefined {
  return mapping?.columns.find(({ key }) => key === 'account');
}

/** Returns a sentence about a name that wins over those in the file; null if the file has none. */
export function whatWins(
  statement: Statement,
  { name }: AccountNames,
  option: string,
): string | null {
  if (name === null || !namesAccounts(statement)) return null;
  const column = accountColumn(statement);
  const own = statement.accounts.filter(({ entryCount }) => entryCount > 0);
  const names = own.map((each) => quote(each.name)).join(', ');
  const place =
    column?.name === '' ? `column ${column.number}` : `column ${quote(column?.name ?? '')}`;
  const others =
    column === undefined ? `the name in the file, ${names}` : `the accounts in ${place}`;
  return `${option} ${quote(name)} wins over ${others}`;
}

/** Whether a file itself names accounts, for all rows or for some. */
export function namesAccounts(statement: Statement): boolean {
  const isNamed = statement.accounts.some(({ entryCount }) => entryCount > 0);
  return isNamed || accountColumn(statement) !== undefined;
}

/** `left` are the accounts of the file to which no number belongs. */
function refuseUnclear(
  left: readonly string[],
  { name, byNumber }: AccountNames,
  { file, option }: PlanWords,
): void {
  const all = left.map(quote);
  if (left.length > 1 && name !== null) {
    const each = `${option} NUMBER=NAME, where NUMBER can be its last four characters`;
    throw new AccountNamesError(
      `${file} has several accounts: ${all.join(' and ')}. Name each with ${each}`,
    );
  }
  if (left.length > 0 && name === null && byNumber.length > 0)
    throw new AccountNamesError(`${option} gives no name for ${all.join(', ')} of ${file}`);
}

function nameGiven(
  account: StatementAccount,
  names: AccountNames,
  { file, option }: PlanWords,
): string | null {
  const number = bareNumber(account.id);
  const given = names.byNumber.filter((by) => number.endsWith(by.number));
  const found = new Set(given.map(({ name }) => name));
  if (found.size < 2) return given[0]?.name ?? null;
  const both = [...found].map(quote).join(' and ');
  throw new AccountNamesError(
    `${option} gives ${both} to the same account ${quote(account.name)} of ${file}`,
  );
}

function checkName(value: string, name: string): void {
  const { length } = [...name];
  if (length > 0 && length <= maxAccountNameLength) return;
  throw new RangeError(
    `${quote(value)} is not a valid name. Use 1 to ${maxAccountNameLength} characters`,
  );
}

/** Returns an account number without the separators of banks, in lower case. */
export function bareNumber(number: string): string {
  return number.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
