import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { insertMany, rows, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { selectHiddenCounts } from '../db/fill-derived.ts';
import { raiseVersions } from './derived-rules.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';

/** A table with counts of transactions by periods. */
interface CountTable {
  readonly name: string;
  /** The columns of its key besides the book, and the column of the numbers. */
  readonly key: readonly string[];
  readonly number: string;
  /** SELECTs of the stored and of the actual counts: the book, the key, and the number. */
  readonly stored: Sql;
  readonly actual: Sql;
}

const listedCounts = (granularity: 'day' | 'month', period: string): Sql =>
  sql`SELECT book_id, ${raw(`'${granularity}', ${period}`)}, CAST(sum(listed) AS BIGINT) FROM transactions
    GROUP BY book_id, ${raw(period)} HAVING sum(listed) > 0`;

/** The books whose hidden rows are counted. */
const inStep = raw('book_id IN (SELECT id FROM books WHERE hidden_counts_version = version)');

const countTables: readonly CountTable[] = [
  {
    ...{ name: 'transaction_counts', key: ['granularity', 'period'], number: 'listed' },
    stored: sql`SELECT book_id, granularity, period, listed FROM transaction_counts`,
    actual: sql`${listedCounts('day', 'date')} UNION ALL ${listedCounts('month', 'substr(date, 1, 7)')}`,
  },
  {
    ...{ name: 'hidden_counts', key: ['granularity', 'period', 'kind'], number: 'number' },
    stored: sql`SELECT book_id, granularity, period, kind, number FROM hidden_counts WHERE ${inStep}`,
    actual: sql`${selectHiddenCounts('day', sql`t.${inStep}`)}
      UNION ALL ${selectHiddenCounts('month', sql`t.${inStep}`)}`,
  },
];

/** A period for which the stored count and the rows differ. */
interface CountDifference {
  readonly [keyColumn: string]: number | string;
  readonly book_id: number;
  readonly granularity: string;
  readonly period: string;
  readonly counted: number;
  readonly actual: number;
}

/** Compares `transaction_counts` and `hidden_counts` with the transactions. */
export function* checkCounts(repair: boolean): Steps<Finding[]> {
  const found: Finding[] = [];
  for (const table of countTables) found.push(...(yield* checkTable(table, repair)));
  return found;
}

function* checkTable(table: CountTable, repair: boolean): Steps<Finding[]> {
  const findings = new Findings(table.name, { repaired: repair });
  const differences = yield* compareCounts(table);
  for (const { book_id, granularity, period, kind, counted, actual } of differences) {
    const of = kind === undefined ? '' : `, hidden rows of kind ${kind}`;
    findings.add(
      `Book ${book_id}, ${granularity} ${period}${of}: the stored count is ${counted}, the actual count is ${actual}`,
    );
  }
  if (repair && differences.length > 0) {
    yield* repairCounts(table, differences);
    yield* raiseVersions(differences);
  }
  return findings.list();
}

/** Counts all rows and returns the periods whose stored counts differ. */
function* compareCounts({ key, number, stored, actual }: CountTable): Steps<CountDifference[]> {
  const names = raw(['book_id', ...key].join(', '));
  const columns = sql`(${names}, ${raw(number)})`;
  return yield* rows<CountDifference>(sql`
    WITH actual ${columns} AS (${actual}), stored ${columns} AS (${stored})
    SELECT ${names}, CAST(sum(counted) AS BIGINT) AS counted, CAST(sum(actual) AS BIGINT) AS actual FROM (
      SELECT ${names}, 0 AS counted, ${raw(number)} AS actual FROM actual
      UNION ALL
      SELECT ${names}, ${raw(number)}, 0 FROM stored
    ) counts GROUP BY ${names} HAVING sum(counted) <> sum(actual)
    ORDER BY ${names}`);
}

/** Replaces the stored counts that differ from the rows. */
function* repairCounts(
  { name, key, number }: CountTable,
  differences: readonly CountDifference[],
): Steps<void> {
  for (const each of differences) {
    const [granularity, period, kind] = [each.granularity, each.period, each['kind']];
    yield* run(sql`
      DELETE FROM ${raw(name)} WHERE book_id = ${each.book_id} AND granularity = ${granularity}
        AND period = ${period}${kind === undefined ? sql`` : sql` AND kind = ${kind}`}`);
  }
  yield* insertMany(
    name,
    ['book_id', ...key, number],
    differences
      .filter(({ actual }) => actual > 0)
      .map((each) => [each.book_id, ...key.map((column) => each[column]), each.actual]),
  );
}
