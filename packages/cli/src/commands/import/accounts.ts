import { maxAccountNameLength } from '@coffer/server';
import type { NumberedAccount } from '@coffer/server';
import type { Statement, StatementAccount } from '@coffer/statements';
import { Failure, Misuse } from '../../failure.ts';
import { quote } from '../../terminal/format.ts';

/** The last characters of an account number identify it if there are at least so many letters and digits. */
const shortestEnd = 4;

/** The values of `--account`: a name for rows without an account, and names for accounts by number. */
export interface AccountNames {
  readonly name: string | null;
  readonly byNumber: readonly { readonly number: string; readonly name: string }[];
}

/** The accounts for the entries of one file. */
export interface AccountPlan {
  /** The account for entries without one, or null. */
  readonly defaultAccount: string | null;
  /** The accounts of the file with entries, by their names there. */
  readonly accounts: ReadonlyMap<string, NumberedAccount>;
}

/** Reads the values of `--account`: `NAME`, or `NUMBER=NAME`. Throws {@link Misuse} for invalid values. */
export function readAccountNames(values: readonly string[] = []): AccountNames {
  const parted = values.map((value) => {
    const [, number = null, name = ''] = /^(?:([^=]*)=)?([^]*)$/.exec(value) ?? [];
    checkName(value, name.trim());
    return { value, number: number === null ? null : bare(number), name: name.trim() };
  });
  const short = parted.find(({ number }) => number !== null && number.length < shortestEnd);
  if (short !== undefined) {
    throw new Misuse(
      `--account: ${quote(short.value)} needs at least the last ${shortestEnd} characters of the number before "="`,
    );
  }
  const plain = parted.filter(({ number }) => number === null).map(({ name }) => name);
  if (plain.length > 1) {
    throw new Misuse(
      `--account: give only one name without a number, not ${plain.map(quote).join(' and ')}`,
    );
  }
  const byNumber = parted.flatMap(({ number, name }) =>
    number === null ? [] : [{ number, name }],
  );
  return { name: plain[0] ?? null, byNumber };
}

/**
 * Chooses the account for each entry of a file. An account of the file gets the name given for its number. If only one
 * other account is left, it gets the name without a number. Without such names, the import finds accounts by their
 * numbers, and new ones get the names of the file.
 * Throws {@link Failure} if the options do not name every account, or if they are ambiguous.
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
  const numbered = accounts.map(({ name, bankId, id: number }) => {
    return [name, { bankId, number, name: wanted.get(name) ?? null }] as const;
  });
  return { defaultAccount: names.name, accounts: new Map(numbered) };
}

function nameGiven(file: string, account: StatementAccount, names: AccountNames): string | null {
  const number = bare(account.id);
  const given = names.byNumber.filter((by) => number.endsWith(by.number));
  const found = new Set(given.map(({ name }) => name));
  if (found.size < 2) return given[0]?.name ?? null;
  throw new Failure(
    `--account gives ${[...found].map(quote).join(' and ')} to the same account ${quote(account.name)} of ${quote(file)}`,
  );
}

function severalAccounts(file: string, accounts: readonly string[]): string {
  const flag = '--account NUMBER=NAME, where NUMBER can be its last four characters';
  return `${quote(file)} has several accounts: ${accounts.map(quote).join(' and ')}. Name each with ${flag}`;
}

function checkName(value: string, name: string): void {
  const { length } = [...name];
  if (length > 0 && length <= maxAccountNameLength) return;
  throw new Misuse(
    `--account: ${quote(value)} is not a valid name. Use 1 to ${maxAccountNameLength} characters`,
  );
}

/** Returns an account number without the separators of banks, in lower case. */
function bare(number: string): string {
  return number.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
