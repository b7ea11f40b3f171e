import { addDays, earliestDate, latestDate } from '@coffer/core/dates';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { liabilities } from '../../accounts/anchors.ts';
import type { Change } from '../../../book/change.ts';
import { blocksOf } from '../../../db/blocks.ts';
import { dialectOf, type Steps } from '../../../db/engine.ts';
import { among, idsOf, rowAs, rowsAs, select } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';
import {
  manualAccounts,
  plaidAccounts,
  transactions,
  transfers,
} from '../../../db/tables/tables.ts';
import { shownName } from '../../accounts/rules.ts';
import { isWhole } from '../../../pages/sides.ts';
import { recordsById } from '../references.ts';
import { findTransfers, mostDays } from './finder.ts';
import type { FinderAccount, FinderRow, FoundPair } from './finder.ts';
import { accountOf, differenceOf, sidesOf } from './pairs.ts';
import type {
  FoundTransfers,
  SuggestionsQuery,
  TransferSearch,
  TransferSuggestions,
} from './schema.ts';

/** Days around a month in which its rows can have a partner, and that partner a rival. */
const around = 2 * mostDays;
/** Days before the present one in which suggestions are looked for by default. */
const suggestedDays = 92;

/** Returns pairs that may be transfers, the newest first. By default those of the three months up to `today`. */
export function* suggestTransfers(
  bookId: number,
  { start_date: start, end_date: end, limit }: SuggestionsQuery,
  today: string,
): Steps<TransferSuggestions> {
  const last = end ?? (start === undefined || start < today ? today : latestDate);
  const first = start ?? addDays(last, -suggestedDays);
  const found: FoundPair[] = [];
  for (const month of (yield* monthsOf(bookId, first, last)).toReversed()) {
    const own = yield* findInMonth(bookId, month, { first, last });
    found.push(...own.toReversed());
    if (found.length >= limit) break;
  }
  const page = found.slice(0, limit);
  const ids = page.flatMap(({ sentId, receivedId }) => [sentId, receivedId]);
  const rows = yield* recordsById(transactions, bookId, ids);
  return {
    suggestions: page.map(({ sentId, receivedId, isCertain, why }) => {
      const [sent, received] = [rows.get(sentId)!, rows.get(receivedId)!];
      const pair = { ...differenceOf(sent, received), ...sidesOf(sent, received) };
      return { ...pair, is_certain: isCertain, why };
    }),
  };
}

/** Makes a transfer of each pair that is certain. */
export function* makeCertain(change: Change, search: TransferSearch): Steps<FoundTransfers> {
  const { start_date: first = earliestDate, end_date: last = latestDate } = search;
  let made = 0;
  for (const month of yield* monthsOf(change.bookId, first, last)) {
    const found = yield* findInMonth(change.bookId, month, { first, last });
    made += yield* insertPairs(change, found);
  }
  return { made };
}

/** What an import has inserted. */
export interface ImportedRows {
  /** Earlier rows have smaller ids. */
  readonly firstId: number;
  /** The days of the new rows. */
  readonly days: ReadonlySet<string>;
  /** The keys of the own accounts that the file names as the other side, by the ids of the rows. */
  readonly others: ReadonlyMap<number, string>;
}

/** Makes a transfer of each pair that is certain and has a new row. */
export function* pairImported(
  change: Change,
  { firstId, days, others }: ImportedRows,
): Steps<void> {
  const { bookId } = change;
  // The other row may have left up to five days before, or a day after.
  const near = [...days].flatMap((date) => [date, addDays(date, -mostDays), addDays(date, 1)]);
  const months = new Set(near.map((date) => date.slice(0, 7)));
  for (const stretch of stretchesOf([...months].toSorted())) {
    // Without a number, an import makes pairs of one amount only.
    const amounts = others.size === 0 ? yield* paidBack(bookId, stretch, firstId) : undefined;
    if (amounts?.size === 0) continue;
    for (const month of stretch) {
      const found = yield* findInMonth(bookId, month, { others, ...(amounts && { amounts }) });
      const isNew = ({ sentId, receivedId }: FoundPair) => Math.max(sentId, receivedId) >= firstId;
      yield* insertPairs(change, found.filter(isNew));
    }
  }
}

/** Most months whose amounts are read at once. */
const mostMonths = 3;

/** Divides ascending months into stretches without a gap, of at most {@link mostMonths}. */
function stretchesOf(months: readonly string[]): string[][] {
  const stretches: string[][] = [];
  for (const month of months) {
    const last = stretches.at(-1);
    const isNext = last !== undefined && addDays(`${last.at(-1)!}-28`, 4).startsWith(month);
    if (isNext && last.length < mostMonths) last.push(month);
    else stretches.push([month]);
  }
  return stretches;
}

/**
 * Returns the amounts of rows around some months that other rows have in the other direction; none if no new row has
 * one of them. Few rows do, so that the others need not be read as a whole.
 */
function* paidBack(
  bookId: number,
  months: readonly string[],
  firstId: number,
): Steps<ReadonlySet<number>> {
  const days = daysAround(months[0]!, months.at(-1)!);
  const found = yield* rowAs(
    { old: nullable(text), new: nullable(text) },
    sql`SELECT string_agg(CAST(amount AS TEXT), ',') FILTER (WHERE id < ${firstId}) AS old,
        string_agg(CAST(amount AS TEXT), ',') FILTER (WHERE id >= ${firstId}) AS new
      FROM (${wholeRows(bookId, days)}) around`,
  );
  const numbersOf = (list: string | null) => JSON.parse(`[${list ?? ''}]`) as number[];
  const added = numbersOf(found!.new);
  const all = new Set([...numbersOf(found!.old), ...added]);
  const isPaidBack = (amount: number) => all.has(-amount);
  return new Set(added.some(isPaidBack) ? [...all].filter(isPaidBack) : []);
}

/** Returns a SELECT of ids and amounts of rows that are neither split nor grouped. An index has both of each part. */
function wholeRows(bookId: number, { from, to }: ReturnType<typeof daysAround>): Sql {
  const part = (isPending: '0' | '1') => sql`SELECT id, amount FROM transactions
    WHERE book_id = ${bookId} AND date BETWEEN ${from} AND ${to} AND is_pending = ${raw(isPending)}
      AND amount <> 0 AND is_split_parent = 0 AND group_parent_id IS NULL`;
  return sql`${part('0')} UNION ALL ${part('1')}`;
}

function* insertPairs(change: Change, found: readonly FoundPair[]): Steps<number> {
  const certain = found.filter(({ isCertain }) => isCertain);
  for (const { sentId, receivedId, foundBy } of certain)
    yield* change.insert(transfers, {
      sent_id: sentId,
      received_id: receivedId,
      found_by: foundBy,
    });
  return certain.length;
}

/** The months with rows between two days, from the stored sums. */
function* monthsOf(bookId: number, first: string, last: string): Steps<string[]> {
  const found = yield* rowsAs(
    { month: text },
    sql`SELECT DISTINCT month FROM transaction_sums WHERE book_id = ${bookId}
      AND month BETWEEN ${first.slice(0, 7)} AND ${last.slice(0, 7)} ORDER BY month`,
  );
  return found.map(({ month }) => month);
}

interface Within {
  readonly first?: string;
  readonly last?: string;
  readonly others?: ReadonlyMap<number, string>;
  /** Rows with other amounts are left out. */
  readonly amounts?: ReadonlySet<number>;
}

/** Returns the days of months, and those around them in which their rows may have a partner or a rival. */
function daysAround(first: string, last: string): { readonly from: string; readonly to: string } {
  return { from: addDays(`${first}-01`, -around), to: addDays(`${last}-28`, 3 + around) };
}

/** Returns the pairs whose money leaves in a month, by day; also pairs that an import has not made. */
function* findInMonth(
  bookId: number,
  month: string,
  { first = earliestDate, last = latestDate, others, amounts }: Within,
): Steps<FoundPair[]> {
  const accounts = yield* readAccounts(bookId);
  if (accounts.length < 2) return [];
  const all = yield* readRows(bookId, daysAround(month, month), others ?? new Map(), amounts);
  const rows = amounts === undefined ? all : withOpposite(all);
  const dateOf = new Map(rows.map(({ id, date }) => [id, date]));
  const found = findTransfers(rows, accounts);
  const isOwn = ({ sentId }: FoundPair) => {
    const date = dateOf.get(sentId)!;
    return date.startsWith(month) && date >= first && date <= last;
  };
  return found
    .filter(isOwn)
    .toSorted((a, b) => (dateOf.get(a.sentId)! < dateOf.get(b.sentId)! ? -1 : 1));
}

/** Returns the rows whose amount another row has in the other direction. */
function withOpposite(rows: readonly FinderRow[]): FinderRow[] {
  const amounts = new Set(rows.map(({ amount }) => amount));
  return rows.filter(({ amount }) => amounts.has(-amount));
}

const foundShape = {
  ...{ id: integer, date: text, amount: integer, currency: text, to_base: integer, text },
  ...{ manual_account_id: nullable(integer), plaid_account_id: nullable(integer) },
};

function* readRows(
  bookId: number,
  days: ReturnType<typeof daysAround>,
  others: ReadonlyMap<number, string>,
  amounts?: ReadonlySet<number>,
): Steps<FinderRow[]> {
  const isFree = (column: Sql) =>
    sql`NOT EXISTS (SELECT 1 FROM transfers p WHERE p.book_id = ${bookId} AND ${column} = s.id)`;
  const found = [];
  for (const hasAmount of yield* conditionsOf(bookId, days, amounts))
    found.push(
      ...(yield* rowsAs(
        foundShape,
        sql`SELECT s.id, s.date, s.amount, s.currency, s.to_base, s.manual_account_id, s.plaid_account_id,
            s.payee || ' ' || coalesce(s.original_name, '') || ' ' || coalesce(s.notes, '') AS text
          FROM transactions s
          WHERE s.book_id = ${bookId} AND s.date BETWEEN ${days.from} AND ${days.to} AND s.amount <> 0
            AND ${isWhole('s')} AND ${isFree(sql`p.sent_id`)} AND ${isFree(sql`p.received_id`)} ${hasAmount}
          ORDER BY s.id`,
      )),
    );
  return found.map(({ to_base: toBase, ...row }) => {
    const other = others.get(row.id);
    return { ...row, toBase, account: accountOf(row)!, ...(other !== undefined && { other }) };
  });
}

/**
 * Returns conditions, of which each row with one of some amounts fulfils one, in the order of ids. The ids are read
 * first: PostgreSQL may compare each of them with all rows of the days if one statement has both.
 */
function* conditionsOf(
  bookId: number,
  days: ReturnType<typeof daysAround>,
  amounts: ReadonlySet<number> | undefined,
): Steps<Sql[]> {
  if (amounts === undefined) return [empty];
  const whole = sql`(${wholeRows(bookId, days)}) around`;
  const ids = yield* idsOf(
    sql`SELECT id FROM ${whole} WHERE amount IN (${yield* listed(amounts)})`,
  );
  return blocksOf(ids).map((block) => sql`AND ${among(sql`s.id`, block)}`);
}

function* listed(amounts: ReadonlySet<number>): Steps<Sql> {
  const { rowsOfJson } = yield* dialectOf();
  const json = JSON.stringify([...amounts].map((amount) => ({ amount })));
  return sql`SELECT amount FROM (${rowsOfJson(json, { amount: integer })}) listed`;
}

function* readAccounts(bookId: number): Steps<FinderAccount[]> {
  const manual = yield* select(manualAccounts, { book_id: bookId });
  const plaid = yield* select(plaidAccounts, { book_id: bookId });
  const namesOf = (account: Parameters<typeof shownName>[0]) => [
    account.name,
    shownName(account),
    ...(account.institution_name === null ? [] : [`${account.institution_name} ${account.name}`]),
  ];
  return [
    ...manual.map((account) => ({
      key: `manual ${account.id}`,
      names: namesOf(account),
      isOwed: liabilities.has(account.type),
    })),
    ...plaid.map((account) => ({
      key: `plaid ${account.id}`,
      names: [...namesOf(account), ...endingsOf(account.mask)],
      isOwed: liabilities.has(account.type),
    })),
  ];
}

/** How texts write the last digits of a number. */
function endingsOf(mask: string | null): string[] {
  return mask === null ? [] : [mask, `x${mask}`, `xx${mask}`, `xxxx${mask}`];
}
