import { addDays, latestDate } from '@coffer/core/dates';
import sql, { type Sql } from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { selectAccountDays, sumOf, sumParts } from '../../db/derived-tables.ts';
import { find, rowAs, rowsAs, type Shaped } from '../../db/rows.ts';
import { flag, integer, nullable, text, type Row } from '../../db/table.ts';
import { manualAccounts, plaidAccounts } from '../../db/tables/tables.ts';
import { notFound } from '../../operations/problem.ts';
import { ratesOf } from '../currencies/actions.ts';
import { anchorsOf, inSense, isOf } from './anchors.ts';
import type { AnchoredAccount, BalanceAnchor, Days } from './anchors.ts';
import { daysAround, explain, prove } from './proof.ts';
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

/** Returns what the transactions of an account add on each day, ascending. */
function* daysOf(account: AnchoredAccount, within: Days): Steps<DaySum[]> {
  const found = yield* rowsAs(
    dayShape,
    sql`SELECT d.date, d.currency, d.listed, d.high, d.low FROM (${yield* selectDays(account, within)}) d
    ORDER BY d.date`,
  );
  return yield* inOwnCurrency(account, found, within);
}

/** Returns what transactions add between days of anchors, ascending. The engine adds up what is in one currency. */
function* sumsBetween(
  account: AnchoredAccount,
  anchors: readonly BalanceAnchor[],
): Steps<DaySum[]> {
  const { bookId, currency } = account;
  const [first, last] = [anchors[0]?.day, anchors.at(-1)?.day];
  if (first === last) return [];
  const between = { after: first!, upTo: last! };
  if (!(yield* keepsDays(bookId))) return yield* daysOf(account, between);
  // One text for each stretch costs half as much as groups, which the engine would sort.
  const found = yield* rowsAs(
    { day: text, sums: nullable(text) },
    sql`SELECT p.day, (
        SELECT sum(listed) || ' ' || sum(high) || ' ' || sum(low) || ' ' || min(currency) || ' ' || max(currency)
        FROM account_days WHERE ${daysKept(account)} AND date > p.day_before AND date <= p.day
      ) AS sums
      FROM (
        SELECT day, lag(day) OVER (ORDER BY day) AS day_before FROM balance_anchors
        WHERE ${isOf(account)} AND currency = ${currency} GROUP BY day
      ) p ORDER BY p.day`,
  );
  const days: DaySum[] = [];
  for (const { day, sums } of found) {
    if (sums === null) continue;
    const [rows, high, low, ...currencies] = sums.split(' ');
    if (currencies.some((each) => each !== currency)) return yield* daysOf(account, between);
    const sum = -sumOf({ high: Number(high), low: Number(low) });
    days.push({ date: day, sum, rows: Number(rows) });
  }
  return days;
}

const dayShape = { date: text, currency: text, listed: integer, ...sumParts };

/** Returns the SELECT of the sums of an account by day and currency. */
function* selectDays(account: AnchoredAccount, { after, upTo }: Days): Steps<Sql> {
  const within = sql`date > ${after ?? ''} AND date <= ${upTo ?? latestDate}`;
  if (!(yield* keepsDays(account.bookId)))
    return selectAccountDays(sql`${isOf(account)} AND ${within}`);
  return sql`SELECT date, currency, listed, high, low FROM account_days WHERE ${daysKept(account)} AND ${within}`;
}

/** The condition that a row of `account_days` is of an account. */
function daysKept({ bookId, id, kind }: AnchoredAccount): Sql {
  const [manual, plaid] = kind === 'manual' ? [id, 0] : [0, id];
  return sql`book_id = ${bookId} AND manual_account_id = ${manual} AND plaid_account_id = ${plaid}`;
}

/** Adds the sums of a day in other currencies, which count at the rate of each transaction's day, to the account's. */
function* inOwnCurrency(
  account: AnchoredAccount,
  found: readonly Shaped<typeof dayShape>[],
  days: Days,
): Steps<DaySum[]> {
  const hasForeign = found.some(({ currency }) => currency !== account.currency);
  const foreign: ReadonlyMap<string, bigint> = hasForeign
    ? yield* foreignSums(account, days)
    : new Map();
  return [...Map.groupBy(found, ({ date }) => date)].map(([date, rows]) => {
    const own = rows.find(({ currency }) => currency === account.currency);
    const sum = (own === undefined ? 0n : sumOf(own)) + (foreign.get(date) ?? 0n);
    return { date, sum: -sum, rows: rows.reduce((count, { listed }) => count + listed, 0) };
  });
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
function* foreignSums(account: AnchoredAccount, { after, upTo }: Days): Steps<Map<string, bigint>> {
  const rates = yield* ratesOf();
  const { currency } = account;
  const rows = yield* rowsAs(
    { amount: integer, currency: text, date: text },
    sql`SELECT amount, currency, date FROM transactions
      WHERE ${isOf(account)} AND date > ${after ?? ''} AND date <= ${upTo ?? latestDate} AND currency <> ${currency}
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
  return { anchors: yield* anchorsOf(account), days: yield* daysOf(account, { after: null }) };
}

/** Returns the history of an account with only the days that decide what is said of some, both ends inclusive. */
export function* historyAround(
  account: AnchoredAccount,
  start: string,
  end: string,
): Steps<AccountHistory> {
  const anchors = yield* anchorsOf(account);
  return { anchors, days: yield* daysOf(account, daysAround(anchors, start, end)) };
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
  return { account, anchors, stretches: prove(anchors, yield* sumsBetween(account, anchors)) };
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
  account: AnchoredAccount,
  { from, to, amount }: Pick<Stretch, 'from' | 'to'> & { readonly amount: number },
): Steps<NearRow[]> {
  const found = yield* rowsAs(
    { id: integer, date: text, amount: integer, payee: text, is_pending: flag },
    sql`SELECT id, date, amount, payee, is_pending FROM transactions
      WHERE ${isOf(account)}
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
