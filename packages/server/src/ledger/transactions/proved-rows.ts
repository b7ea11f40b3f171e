import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import { maxDetails, Problem, type ErrorDetail } from '../../operations/problem.ts';
import { refusedWithErrors } from '../../operations/responses.ts';
import { flag, optional } from '../../operations/schema.ts';
import { provedDaysOf, type ProvedDays } from '../accounts/account-proof.ts';
import type { TransactionRow } from './writes.ts';

/** A transaction that a request changes or removes. */
export interface Touched {
  /** Its place in the request; null if it has none. */
  readonly index: number | null;
  readonly before: TransactionRow;
  /** Null: it is removed. */
  readonly next: TransactionRow | null;
}

/**
 * The transactions of a request on which a proof depends: they are in days whose balance is proved, and get another
 * date, amount or account, or are removed. Each account is proved once.
 */
export class ProvedRows {
  readonly #bookId: number;
  readonly #daysOf = new Map<string, readonly ProvedDays[]>();
  readonly #details: ErrorDetail[] = [];

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  /** Looks at a transaction; {@link throwIfAny} names it if a proof depends on it. */
  *add(touched: Touched): Steps<void> {
    const { before, index } = touched;
    if (this.#details.length === maxDetails || !countsOtherwise(touched)) return;
    const within = withDate(yield* this.#provedDays(before), before.date);
    if (within === undefined) return;
    const { id, date, manual_account_id, plaid_account_id } = before;
    const name = index === null ? `Transaction ${id}` : `transactions[${index}]`;
    this.#details.push({
      errMsg: `${name} of ${date} is proved: the balance after ${within.after} and that of ${within.upTo} agree`,
      ...(index !== null && { transaction_index: index }),
      ...{ transaction_id: id, manual_account_id, plaid_account_id },
      ...{ proved_after: within.after, proved_until: within.upTo },
    });
  }

  /** Throws a Problem with 409 that names the first of them, if there are any. */
  throwIfAny(): void {
    if (this.#details.length > 0) throw new Problem('proved', { details: this.#details });
  }

  *#provedDays(row: TransactionRow): Steps<readonly ProvedDays[]> {
    const { manual_account_id: manual, plaid_account_id: plaid } = row;
    const id = manual ?? plaid;
    if (id === null) return [];
    const kind = manual === null ? 'plaid' : 'manual';
    const key = `${kind} ${id}`;
    const days = this.#daysOf.get(key) ?? (yield* provedDaysOf(this.#bookId, kind, id));
    this.#daysOf.set(key, days);
    return days;
  }
}

const ofBalance = ['date', 'amount', 'currency', 'manual_account_id', 'plaid_account_id'] as const;

/** Whether a balance may depend on the difference. It depends on no pending ones, groups and parts of splits. */
function countsOtherwise({ before, next }: Touched): boolean {
  if (before.is_pending || before.is_group_parent || before.split_parent_id !== null) return false;
  return next === null || ofBalance.some((name) => before[name] !== next[name]);
}

/** The days with a date, by binary search. */
function withDate(days: readonly ProvedDays[], date: string): ProvedDays | undefined {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (days[middle]!.upTo < date) low = middle + 1;
    else high = middle;
  }
  const found = days[low];
  return found !== undefined && found.after < date ? found : undefined;
}

/** Throws a Problem with 409 if proved balances of a manual account depend on its transactions. */
export function* refuseProvedAccount(bookId: number, id: number): Steps<void> {
  for (const { after, upTo } of yield* provedDaysOf(bookId, 'manual', id)) {
    const and = sql`date > ${after} AND date <= ${upTo}`;
    const places = { and, orderBy: ['date', 'id'], limit: maxDetails } as const;
    const own = { book_id: bookId, manual_account_id: id };
    const proved = new ProvedRows(bookId);
    for (const before of yield* select(transactions, own, places))
      yield* proved.add({ index: null, before, next: null });
    proved.throwIfAny();
  }
}

/** The query of requests that are refused for proved transactions. */
export const forced = {
  force: optional(
    flag('Change or delete transactions, too, on which a proved balance depends.', false),
  ),
};

const unnamed = { transaction_id: 7, manual_account_id: 3, plaid_account_id: null };

function provedExample(name: string, of: object) {
  const errMsg = `${name} of 2026-01-12 is proved: the balance after 2025-12-31 and that of 2026-01-31 agree`;
  const days = { proved_after: '2025-12-31', proved_until: '2026-01-31' };
  return {
    summary: 'A proved balance depends on it',
    value: { message: 'Conflict', errors: [{ errMsg, ...of, ...days }] },
  };
}

/** An example of the refusal of a request that names no transactions. */
export const provedSelection = provedExample('Transaction 7', unnamed);

const description =
  'A proved balance depends on transactions of the request, of which the first 100 are named, and `force` is not sent.';

/** The refusals of requests without `force` that change proved transactions, and that move all of an account. */
export const refusedAsProved = {
  named: refusedWithErrors(409, description, {
    proved: provedExample('transactions[0]', { transaction_index: 0, ...unnamed }),
  }),
  account: refusedWithErrors(409, description, { proved: provedSelection }),
};
