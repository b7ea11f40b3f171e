import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { among, rowAs, rowsAs, type Shaped } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';

/** What happened to records. The log has ids for `made`, columns before and after for `changed`, rows for `removed`. */
export type ChangeKind = 'made' | 'changed' | 'removed';

/** The content of a line: `{column: [before, after]}`, or a row, or the rest of the key. */
export type Diff = Readonly<Record<string, unknown>>;

/** One line of the log: records of one table with ids from `firstId` to `lastId`, both inclusive. */
interface ChangedRecords {
  readonly record: string;
  readonly firstId: number;
  readonly lastId: number;
  readonly kind: ChangeKind;
  readonly diff: Diff | null;
}

/** A line as it is stored. Within a version, places ascend in the order of the writes. */
export interface LoggedRecords extends ChangedRecords {
  readonly version: number;
  readonly place: number;
}

/** The columns of a line of the change log, without its book. */
export const lineShape = {
  version: integer,
  place: integer,
  record: text,
  first_id: integer,
  last_id: integer,
  kind: text,
  diff: nullable(text),
};

/** Lines of a version that are read at once. */
const pageSize = 20_000;

/** Returns the lines that meet conditions, which may end with an order. `diff` may select less than the column. */
export function* selectLines(where: Sql, diff: Sql = sql`diff`): Steps<LoggedRecords[]> {
  const found = yield* rowsAs(
    lineShape,
    sql`SELECT version, place, record, first_id, last_id, kind, ${diff} AS diff FROM changed_records WHERE ${where}`,
  );
  return found.map(toLogged);
}

/**
 * Returns the last version of a book that the change log no longer has; 0 if nothing was pruned. Every later version is
 * complete.
 */
export function* prunedVersion(bookId: number): Steps<number> {
  const book = yield* rowAs(
    { pruned_version: integer },
    sql`SELECT pruned_version FROM books WHERE id = ${bookId}`,
  );
  return book?.pruned_version ?? 0;
}

/** Which lines of a version to read. */
interface VersionLines {
  /** The table whose lines are read without their diffs. */
  readonly withoutDiffs?: string;
  /** Default: all. */
  readonly limit?: number;
}

/** Returns the lines of one version of a book, in the order of their places. */
export function* readVersion(
  bookId: number,
  version: number,
  { withoutDiffs = '', limit = Infinity }: VersionLines = {},
): Steps<LoggedRecords[]> {
  const all: LoggedRecords[] = [];
  const words = new Map<string, string>();
  // Each row has strings of its own, which are the same.
  const shared = (word: string): string => {
    const known = words.get(word);
    if (known === undefined) words.set(word, word);
    return known ?? word;
  };
  for (let after = -1; all.length < limit;) {
    const most = Math.min(limit - all.length, pageSize);
    const page = yield* selectLines(
      sql`book_id = ${bookId} AND version = ${version} AND place > ${after} ORDER BY place LIMIT ${most}`,
      sql`CASE WHEN record <> ${withoutDiffs} THEN diff END`,
    );
    for (const line of page)
      all.push({ ...line, record: shared(line.record), kind: shared(line.kind) as ChangeKind });
    if (page.length < most) break;
    after = page.at(-1)!.place;
  }
  return all;
}

/** Returns the diffs of lines of a version, by their places: at most a block of them. */
export function* readDiffs(
  bookId: number,
  version: number,
  places: readonly number[],
): Steps<Map<number, Diff | null>> {
  const found = yield* rowsAs(
    { place: integer, diff: nullable(text) },
    sql`SELECT place, diff FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND ${among(sql`place`, places)}`,
  );
  return new Map(found.map(({ place, diff }) => [place, diffOf(diff)]));
}

/** Returns the diffs of the lines of a version about changed records of a table, as they are stored: pages by place. */
export function* readDiffTexts(
  bookId: number,
  version: number,
  record: string,
  after: number,
): Steps<readonly { readonly place: number; readonly diff: string }[]> {
  return yield* rowsAs(
    { place: integer, diff: text },
    sql`SELECT place, diff FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND place > ${after}
        AND record = ${record} AND kind = 'changed'
      ORDER BY place LIMIT ${pageSize}`,
  );
}

/**
 * Returns the lines after a version about records with ids in a range, oldest first.
 *
 * Removals of transactions that were undone are left out, unless `isWhole`: an undo has restored the rows as they were,
 * apart from those that it has kept. There may be millions of them.
 */
export function* readLater(
  bookId: number,
  { record, firstId, lastId }: Pick<ChangedRecords, 'record' | 'firstId' | 'lastId'>,
  after: number,
  isWhole = false,
  diff: Sql = sql`diff`,
): Steps<LoggedRecords[]> {
  const lasts = isWhole ? empty : sql`AND ${lasting(bookId, after)}`;
  const lines = (and: Sql): Sql =>
    sql`SELECT version, place, record, first_id, last_id, kind, ${diff} AS diff
      FROM ${linesWith(bookId, record, and, after)} ${lasts}`;
  const all = [sql`first_id BETWEEN ${firstId} AND ${lastId}`, ...containing(firstId)];
  const later = yield* rowsAs(
    lineShape,
    sql`${join(all.map(lines), ' UNION ALL ')} ORDER BY version, place`,
  );
  return later.map(toLogged);
}

/**
 * Joins the lines of a table after a version that meet a condition on their ids.
 *
 * They are found by an index that has all columns of the condition, and read afterwards: SQLite would else read all
 * later lines of the book, of which there may be millions. So are unary plus and CROSS JOIN for SQLite.
 */
function linesWith(bookId: number, record: string, ids: Sql, after: number): Sql {
  return sql`(SELECT version AS of_version, place AS of_place FROM changed_records
      WHERE book_id = ${bookId} AND record = ${record} AND +version > ${after} AND ${ids}) found
    CROSS JOIN (SELECT * FROM changed_records WHERE book_id = ${bookId}) lines
      WHERE version = of_version AND place = of_place`;
}

/** Ranges of at least this length plus one have an index of their own: see the sixth schema. */
const longRange = 512;

/**
 * Returns the conditions for lines about ranges that contain an id after their first id, one for each index. No line
 * meets two of them.
 */
export function containing(id: number): Sql[] {
  const nearest = id - longRange;
  return [
    sql`last_id > first_id AND first_id BETWEEN ${nearest} AND ${id - 1} AND last_id >= ${id}`,
    sql`last_id - first_id >= ${raw(String(longRange))} AND first_id < ${nearest} AND last_id >= ${id}`,
  ];
}

type Range = Omit<LoggedRecords, 'kind' | 'diff' | 'place'>;

/** Returns the ids of records of a line that were changed or removed after it. */
export function* readChangedSince(bookId: number, line: Range): Steps<number[]> {
  const later = yield* readLater(bookId, line, line.version, false, sql`CAST(NULL AS TEXT)`);
  const own = later.filter(({ kind }) => kind !== 'made');
  const ids = new Set<number>();
  for (const { firstId, lastId } of own)
    for (let id = Math.max(firstId, line.firstId); id <= Math.min(lastId, line.lastId); id += 1)
      ids.add(id);
  return [...ids];
}

/** Returns the ids of transactions of a line that were removed after it, by what was not undone, or are missing now. */
export function* readRemovals(
  bookId: number,
  { record, firstId, lastId, version }: Range,
): Steps<number[]> {
  const ids = sql`first_id BETWEEN ${firstId} AND ${lastId}`;
  const removed = yield* rowsAs(
    { id: integer },
    sql`SELECT DISTINCT first_id AS id FROM ${linesWith(bookId, record, ids, version)}
      AND kind = 'removed'
      AND (${lasting(bookId, version)}
        OR NOT EXISTS (SELECT 1 FROM transactions t WHERE t.book_id = ${bookId} AND t.id = first_id))`,
  );
  return removed.map(({ id }) => id);
}

/** Returns which of some records a version or a later one has removed. */
export function* readRemovedSince(
  bookId: number,
  record: string,
  ids: readonly number[],
  version: number,
): Steps<Set<number>> {
  const removed = new Set<number>();
  for (const block of blocksOf(ids)) {
    const some = sql`first_id IN (${join(block)})`;
    const lines = yield* rowsAs(
      { id: integer },
      sql`SELECT DISTINCT first_id AS id FROM ${linesWith(bookId, record, some, version - 1)}
        AND kind = 'removed'`,
    );
    for (const { id } of lines) removed.add(id);
  }
  return removed;
}

/** Whether a record existed before a version: the first one since that has created or removed it has removed it. */
export function* existedBefore(
  bookId: number,
  record: string,
  id: number,
  version: number,
): Steps<boolean> {
  const range = { record, firstId: id, lastId: id };
  const lines = yield* readLater(bookId, range, version - 1, true);
  return lines.find(({ kind }) => kind !== 'changed')?.kind === 'removed';
}

/**
 * The condition for lines that are no removals of transactions, or removals that were not undone. Other tables have
 * keys that can be used again, so that a record can be removed and created in several ways.
 */
function lasting(bookId: number, after: number): Sql {
  return sql`NOT (record = 'transactions' AND kind = 'removed' AND version IN (
    SELECT undoes FROM changes WHERE book_id = ${bookId} AND undoes > ${after}))`;
}

/** Converts a line from the database. */
export function toLogged(line: Shaped<typeof lineShape>): LoggedRecords {
  const { version, place, record, first_id: firstId, last_id: lastId } = line;
  const diff = diffOf(line.diff);
  return { version, place, record, firstId, lastId, kind: line.kind as ChangeKind, diff };
}

function diffOf(json: string | null): Diff | null {
  return json === null ? null : (JSON.parse(json) as Diff);
}
