import sql from 'sql-template-tag';
import { maxAmount } from '@coffer/core/money';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, rowsAs, select } from '../../db/rows.ts';
import { integer, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { manualAccounts } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import type { BalanceSource } from './balance-source.ts';
import { latestToBase, ratesOf } from '../currencies/actions.ts';
import type { Rates } from '../currencies/actions.ts';

export type ManualAccount = Row<typeof manualAccounts>;

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
 * An amount in another currency is converted at the rate of its date; without a rate it moves nothing. Throws a Problem
 * if a balance would become larger than {@link maxAmount}.
 */
export function* moveBalances(change: Change, moves: readonly BalanceMove[]): Steps<void> {
  if (moves.length === 0) return;
  const rates = yield* ratesOf();
  for (const [id, ofAccount] of Map.groupBy(moves, ({ accountId }) => accountId)) {
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account === undefined) continue;
    const balance = BigInt(account.balance) + (yield* effectOf(account, ofAccount, rates));
    if (!isAmount(balance)) throw tooLarge(id);
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

/** Returns by how much moves change the balance of an account, in ten-thousandths of its currency. */
export function* balanceEffect(
  account: ManualAccount,
  moves: readonly BalanceMove[],
): Steps<bigint> {
  return yield* effectOf(account, moves, yield* ratesOf());
}

/**
 * Returns the manual accounts of a book with their balances. With `asOf`, a date, the balances are without the
 * transactions after that day; a balance outside ±{@link maxAmount} is then null.
 */
export function* manualBalances(bookId: number, asOf: string | null): Steps<BalanceSource[]> {
  const accounts = yield* select(manualAccounts, { book_id: bookId });
  const later = asOf === null ? [] : yield* movesAfter(bookId, asOf);
  const ofAccount = Map.groupBy(later, ({ accountId }) => accountId);
  const rates = yield* ratesOf();
  const sources: BalanceSource[] = [];
  for (const account of accounts) {
    const effect = yield* effectOf(account, ofAccount.get(account.id) ?? [], rates);
    const balance = BigInt(account.balance) - effect;
    sources.push(sourceOf(account, isAmount(balance) ? Number(balance) : null));
  }
  return sources;
}

function sourceOf(account: ManualAccount, balance: number | null): BalanceSource {
  const { id, currency, to_base: toBase, created_at, closed_on: closedOn } = account;
  const times = { openedOn: created_at.slice(0, 10), closedOn };
  const value = { balance, currency, toBase, quantity: null };
  return { kind: 'manual', id, symbol: null, ...value, ...times };
}

function* effectOf(
  { currency: own, type }: ManualAccount,
  moves: readonly BalanceMove[],
  rates: Rates,
): Steps<bigint> {
  let total = 0n;
  for (const { amount, currency, date } of moves)
    total += BigInt((yield* rates.convert(amount, currency, own, date)) ?? 0);
  return liabilities.has(type) ? total : -total;
}

/** What the transactions after a date did to the balances: see `movesOf` in transactions/actions.ts. */
function* movesAfter(bookId: number, date: string): Steps<BalanceMove[]> {
  const found = yield* rowsAs(
    { account_id: integer, amount: integer, currency: text, date: text },
    sql`SELECT manual_account_id AS account_id, amount, currency, date FROM transactions
      WHERE book_id = ${bookId} AND date > ${date} AND manual_account_id IS NOT NULL
        AND is_pending = 0 AND split_parent_id IS NULL AND is_group_parent = 0`,
  );
  return found.map(({ account_id: accountId, ...move }) => ({ accountId, ...move }));
}

function isAmount(value: bigint): boolean {
  return value >= -BigInt(maxAmount) && value <= BigInt(maxAmount);
}

function tooLarge(id: number) {
  const errMsg = `The balance of manual account ${id} would become larger than any amount`;
  return bodyProblem({ errMsg, manual_account_id: id });
}
