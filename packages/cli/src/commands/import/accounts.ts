import { maxAccountNameLength } from '@coffer/server';
import type { Statement, StatementAccount } from '@coffer/statements';
import { Failure, Misuse } from '../../failure.ts';
import { quote } from '../../terminal/format.ts';

/** An end of a number must have as many letters and digits to stand for it. */
const shortestEnd = 4;

/** The values of `--account`: a name for rows without an account, and names for accounts by their numbers. */
export interface AccountNames {
  readonly name: string | null;
  readonly byNumber: readonly { readonly number: string; readonly name: string }[];
}

/** Where the entries of one file go. */
export interface AccountPlan {
  /** The account of entries that name none, or null. */
  readonly defaultAccount: string | null;
  /** The account of entries that name one. */
  rename(account: string): string;
}

/** Reads the values of `--account`: `NAME`, or `NUMBER=NAME`. Throws {@link Misuse} for what cannot be meant. */
export function readAccountNames(values: readonly string[] = []): AccountNames {
  const parted = values.map((value) => {
    const [, number = null, name = ''] = /^(?:([^=]*)=)?([^]*)$/.exec(value) ?? [];
    checkName(value, name.trim());
    return { value, number: number === null ? null : bare(number), name: name.trim() };
  });
  const short = parted.find(({ number }) => number !== null && number.length < shortestEnd);
  if (short !== undefined) {
    throw new Misuse(
      `--account: ${quote(short.value)} needs at least the last ${shortestEnd} signs of a number before "="`,
    );
  }
  const plain = parted.filter(({ number }) => number === null).map(({ name }) => name);
  if (plain.length > 1) {
    throw new Misuse(`--account: ${plain.map(quote).join(' and ')} cannot both be the account`);
  }
  const byNumber = parted.flatMap(({ number, name }) =>
    number === null ? [] : [{ number, name }],
  );
  return { name: plain[0] ?? null, byNumber };
}

/**
 * Decides which account each entry of a file goes to. An account of the file gets the name given for its number; if one
 * is left, the name given without a number; else it keeps its own. Throws {@link Failure} where that cannot be decided.
 */
export function planAccounts(file: string, statement: Statement, names: AccountNames): AccountPlan {
  const accounts = statement.accounts.filter(({ entryCount }) => entryCount > 0);
  const wanted = new Map<string, string>();
  for (const account of accounts) {
    const given = nameGiven(file, account, names);
    if (given !== null) wanted.set(account.name, given);
  }
  const left = accounts.filter(({ name }) => !wanted.has(name)).map(({ name }) => name);
  if (left.length > 1 && names.name !== null) throw new Failure(severalAccounts(file, left));
  if (left.length > 0 && names.name === null && names.byNumber.length > 0) {
    throw new Failure(
      `--account gives no name for ${left.map(quote).join(', ')} of ${quote(file)}`,
    );
  }
  if (names.name !== null) for (const account of left) wanted.set(account, names.name);
  return {
    defaultAccount: names.name,
    rename: (account) => wanted.get(account) ?? account,
  };
}

function nameGiven(file: string, account: StatementAccount, names: AccountNames): string | null {
  const number = bare(account.id);
  const given = names.byNumber.filter((by) => number.endsWith(by.number));
  const found = new Set(given.map(({ name }) => name));
  if (found.size < 2) return given[0]?.name ?? null;
  throw new Failure(
    `--account gives ${[...found].map(quote).join(' and ')} to the one account ${quote(account.name)} of ${quote(file)}`,
  );
}

function severalAccounts(file: string, accounts: readonly string[]): string {
  const flag = '--account NUMBER=NAME, the number or its last four signs';
  return `${quote(file)} has several accounts, ${accounts.map(quote).join(' and ')}: name each by ${flag}`;
}

function checkName(value: string, name: string): void {
  const { length } = [...name];
  if (length > 0 && length <= maxAccountNameLength) return;
  throw new Misuse(
    `--account: ${quote(value)} cannot be a name: 1 to ${maxAccountNameLength} characters are needed`,
  );
}

/** A number without what banks put between its digits. */
function bare(number: string): string {
  return number.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
