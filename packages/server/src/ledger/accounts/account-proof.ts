import { addDays } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { selectAccountDays, sumOf, sumParts } from '../../db/derived-tables.ts';
import { find, rowAs, rowsAs } from '../../db/rows.ts';
import { flag, integer, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { manualAccounts, plaidAccounts } from '../../db/tables/tables.ts';
import { notFound } from '../../operations/problem.ts';
import { ratesOf } from '../currencies/actions.ts';
import { anchorsOf, inSense } from './anchors.ts';
import type { AnchoredAccount, BalanceAnchor } from './anchors.ts';
import { explain, prove } from './proof.ts';
import type { DaySum, Explanation, NearRow, Stretch } from './proof.ts';

/** An account with its present balance; debts are negative. */
export interface AccountWithBalance extends AnchoredAccount {
  readonly balance: number;
}

/** Returns an account of a book. Throws a 404 without one. */
export function* accountWith(
  bookId: number,
  kind: AnchoredAccount['kind'],
  id: number,
): Steps<AccountWithBalance> {
  const where = { book_id: bookId, id };
  const row =
    kind === 'manual' ? yield* find(manualAccounts, where) : yield* find(plaidAccounts, where);
  if (row === undefined) throw notFound(`${kind} account`, id);
  return withBalance(kind, row);
}

/** Returns a row of an account as one with its balance. */
export function withBalance(kind: AnchoredAccount['kind'], row: AccountRow): AccountWithBalance {
  const { id, book_id: bookId, currency, type } = row;
  return { kind, id, bookId, currency, type, balance: inSense(row, row.balance) };
}

type AccountRow = Pick<
  Row<typeof manualAccounts>,
  'id' | 'book_id' | 'currency' | 'type' | 'balance'
>;

/** Returns what the transactions of an account add on each day, ascending. Days after `after`, exclusive. */
function* daysOf(account: AnchoredAccount, after = ''): Steps<DaySum[]> {
  const { bookId, id, kind, currency } = account;
  const [manual, plaid] = kind === 'manual' ? [id, 0] : [0, id];
  const stored = sql`SELECT date, currency, listed, high, low FROM account_days
    WHERE book_id = ${bookId} AND manual_account_id = ${manual} AND plaid_account_id = ${plaid} AND date > ${after}
    ORDER BY date`;
  const column = kind === 'manual' ? sql`t.manual_account_id` : sql`t.plaid_account_id`;
  const ofRows = sql`${selectAccountDays(sql`t.book_id = ${bookId} AND ${column} = ${id} AND t.date > ${after}`)}
    ORDER BY date`;
  const isInStep = yield* keepsDays(bookId);
  const found = yield* rowsAs(
    { date: text, currency: text, listed: integer, ...sumParts },
    isInStep ? stored : ofRows,
  );
  const foreign = found.some((row) => row.currency !== currency)
    ? yield* foreignSums(account, after)
    : new Map<string, bigint>();
  const days: DaySum[] = [];
  for (const [date, rows] of Map.groupBy(found, (row) => row.date)) {
    const own = rows.find((row) => row.currency === currency);
    const sum = (own === undefined ? 0n : sumOf(own)) + (foreign.get(date) ?? 0n);
    days.push({ date, sum: -sum, rows: rows.reduce((count, { listed }) => count + listed, 0) });
  }
  return days;
}

/** Whether `account_days` has all changes of a book: an older node may have written. */
function* keepsDays(bookId: number): Steps<boolean> {
  const book = yield* rowAs(
    { version: integer, account_days_version: integer },
    sql`SELECT version, account_days_version FROM books WHERE id = ${bookId}`,
  );
  return book !== undefined && book.version === book.account_days_version;
}

/** Sums by day of the transactions in other currencies, each at the rate of its day; debit positive. */
function* foreignSums(
  { bookId, id, kind, currency }: AnchoredAccount,
  after: string,
): Steps<Map<string, bigint>> {
  const rates = yield* ratesOf();
  const column = kind === 'manual' ? sql`manual_account_id` : sql`plaid_account_id`;
  const rows = yield* rowsAs(
    { amount: integer, currency: text, date: text },
    sql`SELECT amount, currency, date FROM transactions
      WHERE book_id = ${bookId} AND ${column} = ${id} AND date > ${after} AND currency <> ${currency}
        AND is_pending = 0 AND is_group_parent = 0 AND split_parent_id IS NULL`,
  );
  const sums = new Map<string, bigint>();
  for (const { amount, date, currency: own } of rows) {
    const value = (yield* rates.convert(amount, own, currency, date)) ?? 0;
    sums.set(date, (sums.get(date) ?? 0n) + BigInt(value));
  }
  return sums;
}

/** All from which the balances of an account follow. */
export interface AccountHistory {
  readonly anchors: readonly BalanceAnchor[];
  /** Ascending. */
  readonly days: readonly DaySum[];
}

/** Returns the balances of an account that are known, and what its transactions add on each day. */
export function* historyOf(account: AnchoredAccount): Steps<AccountHistory> {
  return { anchors: yield* anchorsOf(account), days: yield* daysOf(account) };
}

/** The proof of an account. */
export interface AccountProof {
  readonly account: AccountWithBalance;
  readonly anchors: readonly BalanceAnchor[];
  /** Ascending. */
  readonly stretches: readonly Stretch[];
}

/** Proves the balances of an account that are known. */
export function* proofOf(account: AccountWithBalance): Steps<AccountProof> {
  const anchors = yield* anchorsOf(account);
  const first = anchors[0];
  // Transactions up to the first balance prove nothing.
  const days = anchors.length < 2 ? [] : yield* daysOf(account, first!.day);
  return { account, anchors, stretches: prove(anchors, days) };
}

/** Days of an account that are proved. */
export interface ProvedDays {
  /** Exclusive. */
  readonly after: string;
  readonly upTo: string;
}

/**
 * Returns the days of an account, ascending, whose transactions make the balance that a statement, a bank or a user has
 * said for the last of them: what a request has set or moved proves nothing about the transactions before it.
 */
export function* provedDaysOf(
  bookId: number,
  kind: AnchoredAccount['kind'],
  id: number,
): Steps<ProvedDays[]> {
  const { stretches } = yield* proofOf(yield* accountWith(bookId, kind, id));
  return stretches
    .filter(({ state, to }) => state === 'proved' && to.source !== 'api')
    .map(({ from, to }) => ({ after: from.day, upTo: to.day }));
}

/** Days around a stretch in which a transaction may have been meant for it. */
const nearDays = 5;

/** Near rows of one stretch: more would explain nothing. */
const mostNear = 50;

/** Returns what would explain the difference of a stretch. */
export function* explanationsOf(account: AnchoredAccount, stretch: Stretch): Steps<Explanation[]> {
  const { from, to, difference } = stretch;
  const size = difference < 0n ? -difference : difference;
  const amounts = [size, ...(size % 2n === 0n ? [size / 2n] : [])].filter(
    (each) => each <= BigInt(Number.MAX_SAFE_INTEGER),
  );
  const near: NearRow[] = [];
  for (const amount of amounts.map(Number))
    near.push(...(yield* rowsNear(account, { from, to, amount })));
  const unique = [...new Map(near.map((row) => [row.id, row])).values()];
  return explain(stretch, unique);
}

function* rowsNear(
  { bookId, id, kind }: AnchoredAccount,
  { from, to, amount }: Pick<Stretch, 'from' | 'to'> & { readonly amount: number },
): Steps<NearRow[]> {
  const column = kind === 'manual' ? sql`manual_account_id` : sql`plaid_account_id`;
  const found = yield* rowsAs(
    { id: integer, date: text, amount: integer, payee: text, is_pending: flag },
    sql`SELECT id, date, amount, payee, is_pending FROM transactions
      WHERE book_id = ${bookId} AND ${column} = ${id}
        AND date BETWEEN ${addDays(from.day, -nearDays)} AND ${addDays(to.day, nearDays)}
        AND amount IN (${amount}, ${-amount}) AND is_group_parent = 0 AND split_parent_id IS NULL
      ORDER BY date, id LIMIT ${mostNear}`,
  );
  return found.map(({ is_pending: isPending, ...row }) => ({
    ...row,
    amount: -row.amount,
    isPending,
  }));
}
