import type { Dialect } from '../db/dialect.ts';
import { dialectOf, rows, row, run, insertMany, type Engine, type Steps } from '../db/engine.ts';
import {
  checkJson,
  checkTags,
  raiseVersions,
  checkSums,
  checkPayees,
  checkSearch,
  fillOutdated,
} from './derived-rules.ts';
import { findingsOf, Findings, type Finding } from './finding.ts';
import { checkLog, checkRecords, checkReferences, checkTimes } from './record-rules.ts';
import { checkSequences } from './tables.ts';
import { checkTexts, checkJsonColumns } from './text-rules.ts';
import { randomBytes } from 'node:crypto';
import sql, { raw, join, type Sql } from 'sql-template-tag';
import { find } from '../db/rows.ts';
import { accountNumbers, databaseIdentity } from '../db/tables/tables.ts';
import {
  selectHiddenCounts,
  selectStatusCounts,
  fillDerived,
  outdatedBooks,
} from '../db/fill-derived.ts';
import { attachedFiles, bookIds, type AttachedFile } from '../db/attached-files.ts';
import { readChecked } from '../files/content.ts';
import { FileStoreError, noFileStore, type FileStore } from '../files/store.ts';

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
  sql`SELECT book_id, ${raw(`'${granularity}' AS granularity, ${period} AS period`)},
      CAST(sum(listed) AS BIGINT) AS listed FROM transactions
    GROUP BY book_id, ${raw(period)} HAVING sum(listed) > 0`;

/** The books whose hidden rows are counted, and those whose rows are counted by status. */
const [inStep, byStatus] = ['hidden_counts_version', 'activity_version'].map((column) =>
  raw(`book_id IN (SELECT id FROM books WHERE ${column} = version)`),
) as [Sql, Sql];

const countTables: readonly CountTable[] = [
  {
    name: 'transaction_counts',
    key: ['granularity', 'period'],
    number: 'listed',
    stored: sql`SELECT book_id, granularity, period, listed FROM transaction_counts`,
    actual: sql`${listedCounts('day', 'date')} UNION ALL ${listedCounts('month', 'substr(date, 1, 7)')}`,
  },
  {
    name: 'hidden_counts',
    key: ['granularity', 'period', 'kind'],
    number: 'number',
    stored: sql`SELECT book_id, granularity, period, kind, number FROM hidden_counts WHERE ${inStep}`,
    actual: sql`${selectHiddenCounts('day', sql`t.${inStep}`)}
      UNION ALL ${selectHiddenCounts('month', sql`t.${inStep}`)}`,
  },
  {
    name: 'status_counts',
    key: ['granularity', 'period', 'kind', 'status'],
    number: 'number',
    stored: sql`SELECT book_id, granularity, period, kind, status, number FROM status_counts WHERE ${byStatus}`,
    actual: sql`${selectStatusCounts('day', sql`t.${byStatus}`)}
      UNION ALL ${selectStatusCounts('month', sql`t.${byStatus}`)}`,
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

/** Compares the counts of periods with the transactions. */
function* checkCounts(repair: boolean): Steps<Finding[]> {
  const found: Finding[] = [];
  for (const table of countTables) found.push(...(yield* checkTable(table, repair)));
  return found;
}

function* checkTable(table: CountTable, repair: boolean): Steps<Finding[]> {
  const findings = new Findings(table.name, { repaired: repair });
  const differences = yield* compareCounts(table);
  for (const { book_id, granularity, period, kind, status, counted, actual } of differences) {
    const of = kind === undefined ? '' : `, ${status ?? 'hidden'} rows of kind ${kind}`;
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
  return yield* rows<CountDifference>(sql`
    WITH actual AS (${actual}), stored AS (${stored})
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
    const isSame = ['book_id', ...key].map((column) => sql`${raw(column)} = ${each[column]}`);
    yield* run(sql`DELETE FROM ${raw(name)} WHERE ${join(isSame, ' AND ')}`);
  }
  yield* insertMany(
    name,
    ['book_id', ...key, number],
    differences
      .filter(({ actual }) => actual > 0)
      .map((each) => [each.book_id, ...key.map((column) => each[column]), each.actual]),
  );
}

/** The checks that can repair what they find. */
const repairable: readonly ((repair: boolean, dialect: Dialect) => Steps<Finding[]>)[] = [
  checkSequences,
  checkKeys,
  checkCounts,
  checkJson,
  checkTags,
  checkPayees,
  checkSearch,
  checkSums,
];

/**
 * Checks the database: the file, the records, the change log, and the data derived from the records.
 *
 * It reads one snapshot, so others write meanwhile. With `repair` it then rebuilds the derived data that differ, and
 * locks the database for each of these repairs. It never changes a record, nor the change log.
 */
export async function checkDatabase(
  engine: Engine,
  { repair }: { readonly repair: boolean },
): Promise<Finding[]> {
  if (!repair) return engine.read(() => check(false));
  for (const id of await engine.read(outdatedBooks)) await engine.write(() => fillDerived(id));
  const { own, derived, records } = await engine.read(() => examine(false));
  const repaired: Finding[][] = [];
  for (const [at, found] of derived.entries()) {
    const again = () => repairable[at]!(true, engine.dialect);
    repaired.push(found.length === 0 ? found : await engine.write(again, { onSnapshot: true }));
  }
  return [...own, ...repaired.flat(), ...records];
}

/** Runs the checks of {@link checkDatabase} in the open transaction. */
export function* check(repair: boolean): Steps<Finding[]> {
  if (repair) yield* fillOutdated();
  const { own, derived, records } = yield* examine(repair);
  return [...own, ...derived.flat(), ...records];
}

/** The findings of the engine, of each check that can repair, and of the others. */
function* examine(repair: boolean) {
  const dialect = yield* dialectOf();
  const own = yield* checkOwn(dialect);
  const derived: Finding[][] = [];
  for (const part of repairable) derived.push(yield* part(repair, dialect));
  const records = [
    ...(yield* checkRecords()),
    ...(yield* checkReferences()),
    ...(yield* checkTimes()),
    ...(yield* checkLog()),
    ...(yield* checkTexts(dialect)),
    ...(yield* checkJsonColumns()),
  ];
  return { own, derived, records };
}

function* checkOwn({ ownChecks }: Dialect): Steps<Finding[]> {
  const findings: Finding[] = [];
  for (const query of ownChecks) {
    const found = yield* rows<{ kind: string; detail: string }>(query);
    const details = found.map(({ detail }) => detail);
    findings.push(...findingsOf(found[0]?.kind ?? '', details));
  }
  return findings;
}

/** What is lost without each random text of a database. */
const uses = {
  id: 'clients take another database for it',
  file_links: 'no link to an attached file works',
  account_numbers: 'imports do not know the accounts of files',
} as const;

const pattern = /^[0-9a-f]{32}$/;

/**
 * Checks the random texts that a database needs. A repair makes a new one, except the key of account numbers while
 * there are hashes that were made with it.
 */
function* checkKeys(repair: boolean): Steps<Finding[]> {
  const [made, left] = [new Findings('keys', { repaired: repair }), new Findings('keys')];
  for (const [name, loss] of Object.entries(uses)) {
    const found = yield* find(databaseIdentity, { name });
    if (found !== undefined && pattern.test(found.value)) continue;
    const state = found === undefined ? 'is missing' : 'is not 32 hexadecimal digits';
    const isMade = repair && !(name === 'account_numbers' && (yield* hasHashes()));
    (isMade ? made : left).add(`The text "${name}" of the database ${state}: ${loss}`);
    if (isMade) yield* draw(name);
  }
  return [...made.list(), ...left.list()];
}

function* hasHashes(): Steps<boolean> {
  const found = yield* row(sql`SELECT id FROM ${raw(accountNumbers.name)} LIMIT 1`);
  return found !== undefined;
}

function* draw(name: string): Steps<void> {
  yield* run(sql`
    INSERT INTO ${raw(databaseIdentity.name)} (name, value) VALUES (${name}, ${randomBytes(16).toString('hex')})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
}

/** What the doctor says about attached files. */
export interface FilesReport {
  readonly findings: readonly Finding[];
  /** Sentences about what is not wrong, but that somebody should know. */
  readonly notes: readonly string[];
}

/** After so many files that cannot be read, the rest is not tried. */
const mostFailures = 5;

/**
 * Reads the bytes of every attached file, also of those that an undo can bring back, and compares them with what was
 * stored. One file at a time is in memory, and no transaction is open meanwhile.
 */
export async function checkFiles(engine: Engine, store: FileStore): Promise<FilesReport> {
  const findings = new Findings('files');
  let [unread, unknown, failures] = [0, 0, 0];
  for (const bookId of await engine.read(bookIds))
    for (const file of await engine.read(() => attachedFiles(bookId))) {
      if (file.content === null) unknown += 1;
      if (store === noFileStore || failures === mostFailures) {
        unread += 1;
        continue;
      }
      const found = await readChecked(store, file).catch((error: unknown) => {
        if (!(error instanceof FileStoreError)) throw error;
        failures += 1;
        return `cannot be read: ${error.message}`;
      });
      // It may have been deleted since.
      if (typeof found === 'string' && (await isReferenced(engine, file)))
        findings.add(`${named(file)} ${found}`);
    }
  if (unread > 0 && store !== noFileStore) findings.add(`${unread} further files were not read`);
  return { findings: findings.list(), notes: notes(store === noFileStore ? unread : 0, unknown) };
}

async function isReferenced(engine: Engine, { bookId, key }: AttachedFile): Promise<boolean> {
  const files = await engine.read(() => attachedFiles(bookId));
  return files.some((file) => file.key === key);
}

function named({ bookId, id, name, isRemoved }: AttachedFile): string {
  const deleted = isRemoved ? 'deleted ' : '';
  return `The file of the ${deleted}attachment ${id} in book ${bookId}, ${JSON.stringify(name)},`;
}

function notes(unplaced: number, unknown: number): string[] {
  const found: string[] = [];
  if (unplaced > 0)
    found.push(`Attached files that were not checked, because FILES_URL is not set: ${unplaced}`);
  if (unknown > 0)
    found.push(
      `Attached files without a checksum, which the server adds while it runs: ${unknown}`,
    );
  return found;
}
