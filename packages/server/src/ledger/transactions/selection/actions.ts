import { mostWords, presentFilters, mostPayees } from './schema.ts';
import type {
  MonthsQuery,
  SelectionQuery,
  PayeesQuery,
  SumsQuery,
  PayeeList,
  TransactionMonths,
  TransactionSums,
} from './schema.ts';
import { searchWords } from '@coffer/core/fold';
import { formatAmount, parseAmount } from '@coffer/core/money';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { sumOf, sumParts, foldedText, searchedText, exactSum } from '../../../db/derived-tables.ts';
import type { SumParts } from '../../../db/derived-tables.ts';
import type { Dialect } from '../../../db/dialect.ts';
import { dialectOf, type Steps } from '../../../db/engine.ts';
import { derivedVersion } from '../../../db/fill-derived.ts';
import { rowsAs } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';
import type { MonthTotal } from '../../../pages/selection/totals.ts';
import { quote } from '@coffer/core/text';
import { without, type Selection } from '../../../pages/selection/query.ts';
import { sumsOfTransfers } from '../transfers/pairs.ts';
import { Problem, type ErrorDetail } from '../../../operations/problem.ts';
import { listed } from '../../../pages/selection/matches.ts';
import { countsAs, isNoTransfer, pairedIds } from '../../../pages/sides.ts';

/** Returns months as the API shows them, with the totals of all. */
export function monthsToWire(months: readonly MonthTotal[]): TransactionMonths {
  return {
    months: months.map(({ total, ...month }) => ({ ...month, total: formatAmount(total) })),
    count: months.reduce((sum, { count }) => sum + count, 0),
    total: formatAmount(months.reduce((sum, { total }) => sum + total, 0n)),
  };
}

/** The columns of a sum by what sums are divided by, with the expression that has each for row `t`; 0 is none. */
const divisions = {
  day: { date: 't.date' },
  month: { month: 'substr(t.date, 1, 7)' },
  category: { category_id: 'coalesce(t.category_id, 0)' },
  account: {
    manual_account_id: 'coalesce(t.manual_account_id, 0)',
    plaid_account_id: 'coalesce(t.plaid_account_id, 0)',
  },
  payee: { payee: 'n.payee' },
  tag: { tag_id: 'coalesce(k.tag_id, 0)' },
} as const;
/** The divisions that `transaction_sums` has. */
const storedDivisions = ['month', 'category', 'account'];
const textColumns = ['date', 'month', 'payee'];

/** Returns sums of listed transactions. Throws a DerivedOutdatedError, or a Problem for dates that exclude others. */
export function* sumsOf(bookId: number, query: SumsQuery): Steps<TransactionSums> {
  yield* derivedVersion(bookId);
  refuse(problemsOfDates(query));
  const names = Object.keys(divisions).filter((name) => query.by.split(',').includes(name));
  const expressions = names.flatMap((name) =>
    Object.entries(divisions[name as keyof typeof divisions]),
  );
  const columns = expressions.map(([column]) => column);
  const isStored =
    query.counts_as === undefined &&
    query.start_date === undefined &&
    query.end_date === undefined &&
    names.every((name) => storedDivisions.includes(name));
  const types = columns.map((column) => [
    column,
    !textColumns.includes(column) ? integer : column === 'payee' ? nullable(text) : text,
  ]);
  const found = yield* rowsAs(
    {
      ...(Object.fromEntries(types) as Record<string, typeof integer>),
      listed: integer,
      ...sumParts,
    },
    isStored
      ? storedSums(bookId, query, columns)
      : rowSums(bookId, query, expressions, (yield* dialectOf()).withIndex('transactions_to_sum')),
  );
  return { sums: found.map((row) => sumToWire(columns, row)) };
}

function storedSums(bookId: number, query: SumsQuery, columns: readonly string[]): Sql {
  const list = raw(columns.join(', '));
  return sql`SELECT ${list}, CAST(sum(listed) AS BIGINT) AS listed, CAST(sum(high) AS BIGINT) AS high,
      CAST(sum(low) AS BIGINT) AS low
    FROM (${summedRows(bookId, query)}) sums GROUP BY ${list} HAVING sum(listed) > 0 ORDER BY ${list}`;
}

/** The stored sums, without those of transfers; or the sums of transfers alone. */
function summedRows(
  bookId: number,
  { start_month: start = '0001-01', end_month: end = '9999-12', transfers }: SumsQuery,
): Sql {
  const [sent, received] = (['sent', 'received'] as const).map((side) =>
    sumsOfTransfers(bookId, side, { start, end }),
  );
  if (transfers === 'sent') return sent!;
  if (transfers === 'received') return received!;
  const names = raw('month, category_id, manual_account_id, plaid_account_id');
  const all = sql`SELECT ${names}, listed, high, low
    FROM transaction_sums WHERE book_id = ${bookId} AND month >= ${start} AND month <= ${end}`;
  if (transfers === 'counted') return all;
  const less = (of: Sql) => sql`SELECT ${names}, -listed, -high, -low FROM (${of}) of_transfers`;
  return sql`${all} UNION ALL ${less(sent!)} UNION ALL ${less(received!)}`;
}

function rowSums(
  bookId: number,
  query: SumsQuery,
  expressions: readonly (readonly [column: string, expression: string])[],
  index: Sql,
): Sql {
  const { start_month, end_month, counts_as: side } = query;
  const start = query.start_date ?? `${start_month ?? '0001-01'}-01`;
  const end = query.end_date ?? `${end_month ?? '9999-12'}-31`;
  const sided = side === undefined ? rowsOfTransfers(bookId, query) : [countsAs(side, bookId)];
  const conditions = [sql`t.date BETWEEN ${start} AND ${end}`, ...listed, ...sided];
  const where = sql`t.book_id = ${bookId} AND ${join(conditions, ' AND ')}`;
  const columns = expressions.map(([column]) => column);
  const selected = raw(expressions.map(([column, each]) => `${each} AS ${column}`).join(', '));
  const places = raw(columns.map((_, place) => place + 1).join(', '));
  const isNamed = columns.includes('payee');
  const payees = sql`WITH named AS (SELECT t.payee AS payee FROM transactions t ${index} WHERE ${where} GROUP BY t.payee
      ORDER BY abs(sum(t.to_base * 1.0)) DESC, t.payee LIMIT ${mostPayees})`;
  return sql`${isNamed ? payees : sql``}
    SELECT ${selected}, count(*) AS listed, ${exactSum('t.to_base')} FROM transactions t ${index}
      ${isNamed ? sql`LEFT JOIN named n ON n.payee = t.payee` : sql``}
      ${columns.includes('tag_id') ? sql`LEFT JOIN transaction_tags k ON k.book_id = t.book_id AND k.transaction_id = t.id` : sql``}
    WHERE ${where} GROUP BY ${places} ORDER BY ${places}`;
}

/** The condition that says whether row `t` is summed, by the transfers of which it is a part. */
function rowsOfTransfers(bookId: number, { transfers }: SumsQuery): Sql[] {
  if (transfers === 'counted') return [];
  if (transfers === 'left_out') return [isNoTransfer(bookId)];
  return [sql`t.id IN (${pairedIds(bookId, transfers)})`];
}

function problemsOfDates(query: SumsQuery): ErrorDetail[] {
  return (['start', 'end'] as const)
    .filter((end) => query[`${end}_month`] !== undefined && query[`${end}_date`] !== undefined)
    .map((end) =>
      problem(
        `${end}_month`,
        `Query parameter ${end}_month cannot be sent together with ${end}_date`,
      ),
    );
}

type SumRow = Readonly<Record<string, string | number | null>> &
  SumParts & { readonly listed: number };

/** A sum as the API shows it: no category, account or tag, for which the row has 0, is null. */
function sumToWire(columns: readonly string[], row: SumRow): TransactionSums['sums'][number] {
  const sum: Record<string, unknown> = {};
  for (const name of columns) sum[name] = row[name] === 0 ? null : row[name];
  sum['count'] = row.listed;
  sum['total'] = formatAmount(sumOf(row));
  return sum as TransactionSums['sums'][number];
}

/** Rows of a payee among which a category is looked for. */
const latestRows = 20;
/** Payees whose rows are counted: of a search, those that begin with it first, then the shortest. */
const mostCounted = 500;
/** The latest rows of a book, in which payees are looked for that no search names. */
const recentRows = 5000;

/** Returns the payees of listed transactions that have all words of a search. Throws a DerivedOutdatedError. */
export function* payeesOf(bookId: number, { q = '', limit }: PayeesQuery): Steps<PayeeList> {
  yield* derivedVersion(bookId);
  const dialect = yield* dialectOf();
  const stored = dialect.byBytes(searchedText('t.payee'));
  const of =
    searchWords(q).length === 0
      ? recentPayees(bookId, dialect)
      : matchingPayees(bookId, q, dialect);
  const index = 'transactions_by_payee';
  const where = sql`t.book_id = ${bookId} AND ${stored} = x.text AND t.listed = 1`;
  const each = dialect.transactionsOfEach({ of, index, columns: 'date', where });
  const found = yield* rowsAs(
    { payee: text, count: integer, last_date: text, category_id: nullable(integer) },
    sql`SELECT f.payee, f.count, f.last_date, ${latestCategory(bookId, stored, dialect.withIndex(index))} AS category_id
      FROM (SELECT x.text AS payee, max(x.is_prefix) AS is_prefix, count(*) AS count, max(t.date) AS last_date
        ${each} GROUP BY x.text ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${limit}) f
      ORDER BY f.is_prefix DESC, f.count DESC, f.payee`,
  );
  return { payees: found };
}

function matchingPayees(bookId: number, q: string, { position }: Dialect): Sql {
  const has = searchWords(q).map((word) => sql`${position('p.folded', word)} > 0`);
  const isPrefix = sql`CASE WHEN ${position('p.folded', foldedText(q))} = 1 THEN 1 ELSE 0 END`;
  return sql`(SELECT p.text || '' AS text, ${isPrefix} AS is_prefix FROM transaction_texts p
    WHERE p.book_id = ${bookId} AND p.is_payee = 1 AND ${join(has, ' AND ')}
    ORDER BY 2 DESC, length(p.text), 1 LIMIT ${mostCounted}) x`;
}

function recentPayees(bookId: number, { byBytes, withIndex }: Dialect): Sql {
  return sql`(SELECT ${byBytes(searchedText('payee'))} || '' AS text, 0 AS is_prefix FROM (
      SELECT t.payee FROM transactions t ${withIndex('transactions_by_date')}
      WHERE t.book_id = ${bookId} AND t.listed = 1 ORDER BY t.date DESC, t.id DESC LIMIT ${recentRows}) recent
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${mostCounted}) x`;
}

function latestCategory(bookId: number, stored: Sql, index: Sql): Sql {
  return sql`(SELECT category_id FROM (
      SELECT t.category_id, t.date, t.id FROM transactions t ${index}
      WHERE t.book_id = ${bookId} AND ${stored} = f.payee ORDER BY t.date DESC, t.id DESC LIMIT ${latestRows}) latest
    WHERE category_id IS NOT NULL ORDER BY date DESC, id DESC LIMIT 1)`;
}

/** Returns the selection of a request. Throws a Problem with 400 that lists all conflicts between parameters. */
export function selectionOf(query: Sent): Selection {
  const { q = '', sort = '-date', ...others } = query;
  const lists = idFilters.map((name) => `${name}s` as const);
  const filters = without(others, [...lists, 'min_amount', 'max_amount']);
  const words = searchWords(q);
  const hidden = query.counts_as === undefined ? {} : listedOnly;
  const selection = { ...filters, words, sort, ...amountsOf(query), ...idLists(query), ...hidden };
  refuse([
    ...problemsOfWords(q, words),
    ...problemsOfAmounts(query, selection),
    ...problemsOfLists(query),
    ...problemsOfCounting(query),
  ]);
  return selection;
}

/** What counts in sums is shown by a plain list. */
const listedOnly = {
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
} as const;

/** Returns the selection that a request for months asks for: the same filters without a page. */
export function monthsSelectionOf(query: MonthsQuery): Selection {
  const page = { include_metadata: false, include_children: false, include_files: false };
  return selectionOf({ ...query, ...page, limit: 1, offset: 0 });
}

/** Refuses filters that a list of an earlier state does not have. */
export function refusePresentFilters(query: SelectionQuery): void {
  refuse(
    Object.keys(query)
      .filter((name) => presentFilters.includes(name))
      .map((name) =>
        problem(
          name,
          `Query parameter ${name} cannot be sent together with as_of: it filters only the present`,
        ),
      ),
  );
}

function refuse(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new Problem('validation', { details });
}

function problem(name: string, errMsg: string): ErrorDetail {
  return { errMsg, instancePath: `/query/${name}` };
}

/** The names of filters that are one id, and with an `s` several. */
const idFilters = ['category_id', 'tag_id', 'manual_account_id', 'plaid_account_id'] as const;

type IdLists = Partial<Record<`${(typeof idFilters)[number]}s`, readonly number[]>>;
type Sent = Omit<SelectionQuery, 'as_of'>;

function idLists(query: Sent): IdLists {
  const lists: Record<string, readonly number[]> = {};
  for (const name of idFilters) {
    const text = query[`${name}s`];
    if (text !== undefined) lists[`${name}s`] = [...new Set(text.split(',').map(Number))];
  }
  return lists;
}

type Amounts = Pick<Selection, 'min_amount' | 'max_amount'>;

/** Returns the amounts in ten-thousandths. Those that are too large become NaN, and are refused. */
function amountsOf({ min_amount: min, max_amount: max }: Sent): Amounts {
  return {
    ...(min !== undefined && { min_amount: parseAmount(min) ?? Number.NaN }),
    ...(max !== undefined && { max_amount: parseAmount(max) ?? Number.NaN }),
  };
}

function problemsOfAmounts(sent: Sent, { min_amount, max_amount }: Amounts): ErrorDetail[] {
  const tooLarge = Object.entries({ min_amount, max_amount }).flatMap(([name, value]) =>
    value === undefined || !Number.isNaN(value)
      ? []
      : [
          problem(
            name,
            `Query parameter ${name} must be at most 900719925474.0991, not ` +
              quote(sent[name as keyof Amounts] ?? ''),
          ),
        ],
  );
  if (tooLarge.length > 0 || !(min_amount! > max_amount!)) return tooLarge;
  return [
    problem(
      'min_amount',
      `Query parameter min_amount must not be larger than max_amount "${sent.max_amount}", not "${sent.min_amount}"`,
    ),
  ];
}

function problemsOfWords(q: string, words: readonly string[]): ErrorDetail[] {
  if (words.length <= mostWords) return [];
  const errMsg = `Query parameter q must have at most ${mostWords} different words, not ${words.length}: ${quote(q)}`;
  return [problem('q', errMsg)];
}

function problemsOfCounting({ counts_as, is_pending }: Sent): ErrorDetail[] {
  if (counts_as === undefined || is_pending !== true) return [];
  const errMsg = `Query parameter is_pending cannot be true together with counts_as "${counts_as}": pending transactions do not count`;
  return [problem('is_pending', errMsg)];
}

function problemsOfLists(query: Sent): ErrorDetail[] {
  const twice = idFilters
    .filter((name) => query[name] !== undefined && query[`${name}s`] !== undefined)
    .map((name) =>
      problem(`${name}s`, `Query parameter ${name}s cannot be sent together with ${name}`),
    );
  const { tag_ids = '' } = query;
  if (!tag_ids.includes(',') || !tag_ids.split(',').includes('0')) return twice;
  const errMsg = `Query parameter tag_ids cannot have 0 together with other ids: ${quote(tag_ids)}`;
  return [...twice, problem('tag_ids', errMsg)];
}
