import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import type { ChangeKind } from './log.ts';
import { netOf, tableOf } from './net.ts';
import { readKeys } from './version-records.ts';

/** How many records of a table a version created, changed or removed. */
export interface RecordCount {
  readonly record: string;
  readonly kind: ChangeKind;
  readonly count: number;
}

type VersionCount = RecordCount & { readonly version: number };

const shape = {
  version: integer,
  record: text,
  lines: integer,
  first_ids: integer,
  longest: integer,
  made: integer,
  changed: integer,
  removed: integer,
};
type Lines = Readonly<Record<Exclude<keyof typeof shape, 'record'>, number>> & {
  readonly record: string;
};

/** Returns how many of the records that are shown versions wrote, each record counted once; in the order of the tables. */
export function* countsOf(
  bookId: number,
  versions: readonly number[],
): Steps<ReadonlyMap<number, readonly RecordCount[]>> {
  const all: VersionCount[] = [];
  for (const block of blocksOf(versions)) {
    const lines = yield* rowsAs(shape, linesByTable(bookId, block));
    const found = lines.filter(({ record }) => !tableOf(record).isInternal);
    all.push(...found.filter(isEachOnce).flatMap(countsIn));
    const repeated = found.filter((lines) => !isEachOnce(lines));
    if (repeated.length > 0) all.push(...(yield* netCounts(bookId, repeated)));
  }
  return new Map(
    [...Map.groupBy(all, ({ version }) => version)].map(([version, own]) => [
      version,
      inOrder(own),
    ]),
  );
}

/** Counts lines by version and table. */
function linesByTable(bookId: number, versions: readonly number[]): Sql {
  const records = (kind: ChangeKind) =>
    sql`CAST(SUM(CASE WHEN kind = ${kind} THEN last_id - first_id + 1 ELSE 0 END) AS BIGINT)`;
  // The sum keeps SQLite from reading the lines of all versions in the order of the tables.
  return sql`SELECT version + 0 AS version, record, COUNT(*) AS lines, COUNT(DISTINCT first_id) AS first_ids,
      MAX(last_id - first_id) AS longest, ${records('made')} AS made, ${records('changed')} AS changed,
      ${records('removed')} AS removed
    FROM changed_records WHERE book_id = ${bookId} AND ${isOneOf(versions)}
    GROUP BY version + 0, record`;
}

/** Versions of a page without filters follow each other: a range needs no list of a hundred values. */
function isOneOf(versions: readonly number[]): Sql {
  const [first, last] = [Math.min(...versions), Math.max(...versions)];
  if (last - first + 1 === versions.length) return sql`version BETWEEN ${first} AND ${last}`;
  return sql`version IN (${join(versions)})`;
}

/** Whether each record is certainly in one line. */
function isEachOnce({ record, lines, first_ids, longest }: Lines): boolean {
  if (lines === 1) return true;
  return first_ids === lines && longest === 0 && tableOf(record).key.length === 1;
}

function countsIn({ version, record, made, changed, removed }: Lines): VersionCount[] {
  return Object.entries({ made, changed, removed }).map(([kind, count]) => ({
    version,
    record,
    count,
    kind: kind as ChangeKind,
  }));
}

/** Counts records that may be in several lines, by reading the lines. */
function* netCounts(bookId: number, repeated: readonly Lines[]): Steps<VersionCount[]> {
  const pairOf = (line: { readonly version: number; readonly record: string }): string =>
    `${line.version} ${line.record}`;
  const wanted = new Set(repeated.map(pairOf));
  const versions = [...new Set(repeated.map(({ version }) => version))];
  const lines = yield* readKeys(bookId, versions);
  const own = lines.filter((line) => wanted.has(pairOf(line)));
  return [...Map.groupBy(own, ({ version }) => version).values()].flatMap((ofVersion) =>
    netOf(ofVersion).map(({ version, record, kind, firstId, lastId }) => ({
      version,
      record,
      count: lastId - firstId + 1,
      kind: kind === 'replaced' ? 'changed' : kind,
    })),
  );
}

const tableOrder = new Map(bookTables.map(({ name }, at) => [name, at]));
const kindOrder: readonly ChangeKind[] = ['made', 'changed', 'removed'];

/** Adds the counts of one version that are of one table and kind. */
function inOrder(counts: readonly VersionCount[]): RecordCount[] {
  const sums = [...Map.groupBy(counts, ({ record, kind }) => `${record} ${kind}`).values()].map(
    (own) => {
      const { record, kind } = own[0]!;
      return { record, kind, count: own.reduce((sum, { count }) => sum + count, 0) };
    },
  );
  const placeOf = ({ record, kind }: RecordCount): number =>
    tableOrder.get(record)! * kindOrder.length + kindOrder.indexOf(kind);
  return sums.filter(({ count }) => count > 0).toSorted((a, b) => placeOf(a) - placeOf(b));
}
