import { nameKey } from '@coffer/core/text';
import type { Change } from '../../changes/change.ts';
import { changing } from '../../changes/changing.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { manualAccounts } from '../../db/tables.ts';
import { bodyProblem } from '../../wire/problem.ts';
import { latestToBase, ratesOf } from '../currencies/actions.ts';
import { recordOf } from '../records.ts';

export type ManualAccount = Row<typeof manualAccounts>;

/** Returns the manual accounts of a book by id. */
export function* listAccounts(bookId: number): Steps<ManualAccount[]> {
  return yield* select(manualAccounts, { book_id: bookId });
}

/**
 * Sets the display name of an account, as one change of the book. `name` stays, because imports find the account by it.
 *
 * Throws a Problem if another account has the name, as `name` or as `display_name`.
 */
export function* renameAccount(bookId: number, id: number, name: string): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'account rename' };
  yield* changing(cause, function* (change) {
    const account = yield* accountOf(change, id);
    yield* refuseTakenName(change, account, name);
    const display_name = name === account.name ? null : name;
    yield* change.update(manualAccounts, account, { display_name });
  });
}

/** Closes an account as of today in UTC, or makes it active again, as one change of the book. */
export function* archiveAccount(bookId: number, id: number, isArchived: boolean): Steps<void> {
  const cause = { bookId, actor: 'command', operation: 'account archive' };
  yield* changing(cause, function* (change) {
    const account = yield* accountOf(change, id);
    const today = change.at.slice(0, 10);
    const closed = { status: 'closed', closed_on: account.closed_on ?? today };
    const columns = isArchived ? closed : { status: 'active', closed_on: null };
    yield* change.update(manualAccounts, account, columns);
  });
}

function* accountOf({ bookId }: Change, id: number): Steps<ManualAccount> {
  return yield* recordOf(manualAccounts, 'account', bookId, id);
}

function* refuseTakenName(change: Change, own: ManualAccount, name: string): Steps<void> {
  const others = (yield* listAccounts(change.bookId)).filter(({ id }) => id !== own.id);
  const names = others.flatMap((each) => [each.name, each.display_name ?? '']);
  if (!names.map(nameKey).includes(nameKey(name))) return;
  throw bodyProblem({ errMsg: `Account with name '${name}' already exists` });
}

/** Accounts whose balance is what the user owes, so that money out raises it. */
export const liabilities: ReadonlySet<string> = new Set(['credit', 'loan', 'other liability']);

/** By how much transactions change the balance of an account, in ten-thousandths of a currency; debit positive. */
export interface BalanceMove {
  readonly accountId: number;
  readonly amount: number;
  readonly currency: string;
  /** The date of the transaction, which decides the rate. */
  readonly date: string;
}

/**
 * Moves the balances of manual accounts by the amounts of transactions. Money out lowers the balance of an asset and
 * raises that of a liability.
 *
 * An amount in another currency is converted at the rate of its date; without a rate it moves nothing.
 */
export function* moveBalances(change: Change, moves: readonly BalanceMove[]): Steps<void> {
  if (moves.length === 0) return;
  const rates = yield* ratesOf();
  for (const [id, ofAccount] of Map.groupBy(moves, ({ accountId }) => accountId)) {
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account === undefined) continue;
    let total = 0n;
    for (const { amount, currency, date } of ofAccount)
      total += BigInt((yield* rates.convert(amount, currency, account.currency, date)) ?? 0);
    const balance = BigInt(account.balance) + (liabilities.has(account.type) ? total : -total);
    yield* setBalance(change, account, Number(balance));
  }
}

/** Sets the balance of an account as of now, with its value in the primary currency of the book. */
export function* setBalance(
  change: Change,
  account: ManualAccount,
  balance: number,
): Steps<ManualAccount> {
  if (balance === account.balance) return account;
  const to_base = yield* latestToBase(change.bookId, balance, account.currency, change.at);
  const columns = { balance, to_base, balance_as_of: change.at };
  return yield* change.update(manualAccounts, account, columns);
}
