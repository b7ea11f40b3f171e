import { latestDate } from '@coffer/core/dates';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Change } from '../../book/change.ts';
import { exactSum, sumOf } from '../../db/derived-tables.ts';
import type { Steps } from '../../db/engine.ts';
import { blocksOf, padded } from '../../db/blocks.ts';
import { columnList, rowAs, rowsAs, select, type Shaped } from '../../db/rows.ts';
import { flag, integer, nullable, text, type NewRow, type Row } from '../../db/table.ts';
import { anchorSources } from '../../db/tables/accounts.ts';
import { balanceAnchors, manualAccounts } from '../../db/tables/tables.ts';
import { ratesOf } from '../currencies/actions.ts';

/** A balance that is known for the end of a day: see docs/decisions/093-balances-follow-from-anchors.md. */
export type BalanceAnchor = Row<typeof balanceAnchors>;

/** An account that has anchors, of one of two kinds. */
export interface AnchoredAccount {
  readonly kind: 'manual' | 'plaid';
  readonly id: number;
  readonly bookId: number;
  readonly currency: string;
  readonly type: string;
}

/** Accounts whose balance is what the user owes, so that money out raises it. */
export const liabilities: ReadonlySet<string> = new Set(['credit', 'loan', 'other liability']);

/** Converts a balance between how an account shows it and how anchors have it: debts are negative. */
export function inSense({ type }: { readonly type: string }, balance: number): number {
  return liabilities.has(type) && balance !== 0 ? -balance : balance;
}

/** A row of a manual account as one that has anchors. */
export function asAnchored(row: {
  readonly id: number;
  readonly book_id: number;
  readonly currency: string;
  readonly type: string;
}): AnchoredAccount {
  const { id, book_id: bookId, currency, type } = row;
  return { kind: 'manual', id, bookId, currency, type };
}

/** The account of an anchor, as columns. */
export function columnsOf({
  kind,
  id,
}: Pick<AnchoredAccount, 'kind' | 'id'>):
  Pick<BalanceAnchor, 'manual_account_id'> | Pick<BalanceAnchor, 'plaid_account_id'> {
  return kind === 'manual' ? { manual_account_id: id } : { plaid_account_id: id };
}

/** Returns the anchors in an account's currency by day, those of one day in the order in which they were set. */
export function* anchorsOf(account: AnchoredAccount, and?: Sql): Steps<BalanceAnchor[]> {
  const { bookId: book_id, currency } = account;
  const orderBy = ['day', 'set_at', 'id'];
  return yield* select(
    balanceAnchors,
    { book_id, ...columnsOf(account), currency },
    { orderBy, ...(and && { and }) },
  );
}

/** Returns the last anchor of an account, by day; undefined without one. */
export function* lastAnchor(account: AnchoredAccount): Steps<BalanceAnchor | undefined> {
  const { bookId: book_id, currency } = account;
  const where = { book_id, ...columnsOf(account), currency };
  return lastOf(yield* select(balanceAnchors, where, { orderBy: ['day DESC'], limit: mostOfDay }));
}

/** Anchors of an account and a day: one for each source. */
const mostOfDay = anchorSources.length;

/** Returns the one that counts of the last anchors of an account by day, at least all of the last day. */
function lastOf<A extends BalanceAnchor>([first, ...others]: readonly A[]): A | undefined {
  let last = first;
  for (const each of others) if (each.day === first!.day && isAfter(each, last!)) last = each;
  return last;
}

function isAfter(one: BalanceAnchor, other: BalanceAnchor): boolean {
  return one.set_at > other.set_at || (one.set_at === other.set_at && one.id > other.id);
}

/** What an anchor says. */
export type AnchorValues = Pick<NewRow<typeof balanceAnchors>, 'day' | 'source' | 'balance'> &
  Partial<Pick<BalanceAnchor, 'ahead' | 'import_id'>>;

/** Sets the balance that a source knows for a day. Returns the anchor if it has that balance already. */
export function* putAnchor(
  change: Change,
  account: AnchoredAccount,
  { day, source, balance, ahead = 0, import_id = null }: AnchorValues,
): Steps<BalanceAnchor | null> {
  const own = { book_id: change.bookId, ...columnsOf(account), day, source };
  const [before] = yield* select(balanceAnchors, own);
  const values = { balance, ahead, currency: account.currency, set_at: change.at };
  if (before === undefined) {
    const made = { ...columnsOf(account), day, source, import_id };
    yield* change.insert(balanceAnchors, { ...made, ...values });
    return null;
  }
  const isSame = before.balance === balance && before.currency === values.currency;
  if (isSame && source !== 'api') return before;
  const ofImport = source === 'statement' ? { import_id } : {};
  yield* change.update(balanceAnchors, before, { ...values, ...ofImport });
  return null;
}

/** Sets the anchor of a manual account for today, as {@link anchorFound}, to the balance that it shows. */
export function* anchorBalance(change: Change, id: number): Steps<void> {
  const [found] = yield* accountsWithAnchors(change, [id]);
  if (found !== undefined) yield* anchorFound(change, found, found.account.balance);
}

/**
 * Sets the anchor of source `api` for today, after a write that moves or keeps the balance of an account as documented:
 * the account has `balance`, as it shows it, whatever the dates of its transactions are. An anchor that is known for a
 * later day gets one for that day, and so does the last transaction if those after today total more than any amount.
 */
export function* anchorFound(
  change: Change,
  { account: row, last, hasLater }: AccountWithAnchor,
  balance: number,
): Steps<void> {
  const account = asAnchored(row);
  const today = change.at.slice(0, 10);
  const from = last !== undefined && last.day > today ? last.day : today;
  const { day, ahead } = hasLater ? yield* aheadOf(account, from) : { day: from, ahead: 0 };
  const known = { balance: inSense(account, balance), ahead };
  if (last?.source !== 'api' || last.day !== day)
    yield* putAnchor(change, account, { day, source: 'api', ...known });
  else if (last.balance !== known.balance || last.ahead !== ahead)
    yield* change.update(balanceAnchors, last, { ...known, set_at: change.at });
}

/** A manual account with its last anchor, and whether transactions follow after the day of that and after today. */
export interface AccountWithAnchor {
  readonly account: Row<typeof manualAccounts>;
  readonly last: BalanceAnchor | undefined;
  readonly hasLater: boolean;
}

/** Columns that are null without an anchor. */
const anchorShape = {
  a_id: nullable(integer),
  a_day: nullable(text),
  a_source: nullable(balanceAnchors.columns.source),
  a_balance: nullable(integer),
  a_ahead: nullable(integer),
  a_import_id: nullable(integer),
  a_set_at: nullable(text),
};
const withAnchorShape = { ...manualAccounts.columns, ...anchorShape, has_later: flag };
const withAnchorColumns = raw(
  [
    ...Object.keys(manualAccounts.columns).map((name) => `m.${name}`),
    ...Object.keys(anchorShape).map((name) => `${name.replace('_', '.')} AS ${name}`),
  ].join(', '),
);

const lastAnchorShape = { ...balanceAnchors.columns, last_date: nullable(text) };

/** Returns an account with its last anchor, as {@link accountsWithAnchors}; undefined without an anchor. */
export function* withLastAnchor(
  { at }: Change,
  row: AccountWithAnchor['account'],
): Steps<AccountWithAnchor | undefined> {
  const { book_id, id, currency } = row;
  const found = yield* rowsAs(
    lastAnchorShape,
    sql`SELECT ${columnList(balanceAnchors)}, (SELECT max(t.date) FROM transactions t
        WHERE t.book_id = ${book_id} AND t.manual_account_id = ${id}) AS last_date FROM balance_anchors
      WHERE book_id = ${book_id} AND manual_account_id = ${id} AND currency = ${currency}
      ORDER BY day DESC LIMIT ${mostOfDay}`,
  );
  const known = lastOf(found);
  if (known === undefined) return undefined;
  const { last_date: date, ...last } = known;
  const today = at.slice(0, 10);
  const hasLater = date !== null && date > last.day && date > today;
  return { account: row, last, hasLater };
}

/** Returns manual accounts of a book with their last anchors, by one statement for a block of ids. */
export function* accountsWithAnchors(
  { bookId, at }: Change,
  ids: readonly number[],
): Steps<AccountWithAnchor[]> {
  const today = at.slice(0, 10);
  const found: AccountWithAnchor[] = [];
  for (const block of blocksOf(ids)) {
    const rows = yield* rowsAs(
      withAnchorShape,
      sql`SELECT ${withAnchorColumns}, CASE WHEN EXISTS (SELECT 1 FROM transactions t
          WHERE t.book_id = ${bookId} AND t.manual_account_id = m.id
            AND t.date > CASE WHEN a.day > ${today} THEN a.day ELSE ${today} END) THEN 1 ELSE 0 END AS has_later
      FROM manual_accounts m LEFT JOIN balance_anchors a ON a.book_id = ${bookId} AND a.id = (
        SELECT id FROM balance_anchors
        WHERE book_id = ${bookId} AND manual_account_id = m.id AND currency = m.currency
        ORDER BY day DESC, set_at DESC, id DESC LIMIT 1)
      WHERE m.book_id = ${bookId} AND m.id IN (${join(padded(block, block[0]!))}) ORDER BY m.id`,
    );
    found.push(...rows.map(withAnchor));
  }
  return found;
}

function withAnchor({
  a_id: id,
  a_day: day,
  a_source: source,
  a_balance: balance,
  a_ahead: ahead,
  a_import_id: import_id,
  a_set_at: set_at,
  has_later: hasLater,
  ...account
}: Shaped<typeof withAnchorShape>): AccountWithAnchor {
  if (id === null) return { account, last: undefined, hasLater };
  const own = { book_id: account.book_id, manual_account_id: account.id, plaid_account_id: null };
  const known = { day: day!, source: source!, balance: balance!, ahead: ahead!, set_at: set_at! };
  const last = { id, ...own, ...known, currency: account.currency, import_id };
  return { account, last, hasLater };
}

/** Returns what the transactions after a day add; if no amount can be as large, the last day, with nothing after it. */
function* aheadOf(account: AnchoredAccount, day: string): Steps<{ day: string; ahead: number }> {
  const ahead = Number(-(yield* sumOfRows(account, { after: day })));
  if (Number.isSafeInteger(ahead)) return { day, ahead };
  const last = yield* rowAs(
    { day: text },
    sql`SELECT max(t.date) AS day FROM transactions t WHERE ${isOf(account, 't.')} AND t.date > ${day}`,
  );
  return { day: last!.day, ahead: 0 };
}

/** Removes what requests have set or moved from a day on. */
export function* forgetMoved(change: Change, account: AnchoredAccount, day: string): Steps<void> {
  const moved = yield* anchorsOf(account, sql`source = 'api' AND day >= ${day}`);
  yield* change.removeAll(balanceAnchors, moved);
}

/** Removes the anchors of an account. */
export function* dropAnchors(
  change: Change,
  account: Pick<AnchoredAccount, 'kind' | 'id'>,
): Steps<void> {
  const where = { book_id: change.bookId, ...columnsOf(account) };
  yield* change.removeAll(balanceAnchors, yield* select(balanceAnchors, where));
}

/** Returns the balance by the last anchor, as shown; without one null, or what all transactions sum to if `orRows`. */
export function* balanceByAnchors(
  account: AnchoredAccount,
  { orRows = false }: { readonly orRows?: boolean } = {},
): Steps<bigint | null> {
  const last = yield* lastAnchor(account);
  if (last === undefined && !orRows) return null;
  const { day, balance: known, ahead } = last ?? { day: null, balance: 0, ahead: 0 };
  const since = yield* sumOfRows(account, { after: day });
  const balance = BigInt(known) - BigInt(ahead) - since;
  return liabilities.has(account.type) ? -balance : balance;
}

/** Days, both ends as named. */
export interface Days {
  /** Exclusive; null: from the first one. */
  readonly after: string | null;
  /** Inclusive. Default: to the last one. */
  readonly upTo?: string;
}

/**
 * Returns the sum of the amounts of the transactions of an account that move its balance, in its currency; debit
 * positive. Those in another currency count at the rate of their day, and without a rate not at all.
 */
export function* sumOfRows(account: AnchoredAccount, { after, upTo }: Days): Steps<bigint> {
  const { currency } = account;
  const where = sql`${isOf(account, 't.')}
    AND t.date > ${after ?? ''} AND t.date <= ${upTo ?? latestDate}
    AND t.is_pending = 0 AND t.is_group_parent = 0 AND t.split_parent_id IS NULL`;
  const own = yield* rowAs(
    { high: nullable(integer), low: nullable(integer), foreign_rows: integer },
    sql`SELECT ${exactSum('own')}, count(*) - count(own) AS foreign_rows FROM (
      SELECT CASE WHEN t.currency = ${currency} THEN t.amount END AS own FROM transactions t WHERE ${where}) all_rows`,
  );
  const { high, low, foreign_rows: foreign } = own!;
  const sum = sumOf({ high: high ?? 0, low: low ?? 0 });
  if (foreign === 0) return sum;
  return sum + (yield* sumOfForeign(account, sql`${where} AND t.currency <> ${currency}`));
}

/** Returns the condition that a transaction or an anchor is of an account; `of` is the prefix of its columns. */
export function isOf({ kind, bookId, id }: AnchoredAccount, of: 't.' | '' = ''): Sql {
  const column = kind === 'manual' ? 'manual_account_id' : 'plaid_account_id';
  return sql`${raw(of)}book_id = ${bookId} AND ${raw(of + column)} = ${id}`;
}

function* sumOfForeign({ currency }: AnchoredAccount, where: Sql): Steps<bigint> {
  const rates = yield* ratesOf();
  const rows = yield* rowsAs(
    { amount: integer, currency: text, date: text },
    sql`SELECT t.amount, t.currency, t.date FROM transactions t WHERE ${where}`,
  );
  let sum = 0n;
  for (const row of rows)
    sum += BigInt((yield* rates.convert(row.amount, row.currency, currency, row.date)) ?? 0);
  return sum;
}
