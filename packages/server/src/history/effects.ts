import sql, { join, type Sql } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, text, type BookTable, type Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { rowsAfter, type KeyedRecord } from './earlier-rows.ts';
import { containing, selectLines, type ChangeKind, type LoggedRecords } from '../book/log.ts';
import { netOf, restOf, tableOf, withDiffs, type NetRecords } from '../book/net.ts';
import { changedColumns, recordKey, type RecordKey } from '../book/net.ts';

/**
 * What a version did to a record. `before` and `after` are rows; null where it did not exist. For a changed record they
 * have only the columns that changed, without `updated_at`.
 */
export interface Effect extends KeyedRecord {
  readonly kind: ChangeKind;
  readonly before: Values | null;
  readonly after: Values | null;
}

/** A part of the records of a version. */
export interface VersionPage {
  readonly offset: number;
  readonly limit: number;
}

/** Tables with more lines of a version, each about another record, are read in parts. */
const mostLinesRead = 1000;

/** Returns the net effect of a version on a part of the records that are shown, in a fixed order. */
export function* recordsOfVersion(
  bookId: number,
  version: number,
  page: VersionPage,
): Steps<Effect[]> {
  const long = yield* longTables(bookId, version);
  const all = yield* readKeys(bookId, [version], noneOf([...long.keys()]));
  const keys = all.filter(({ record }) => !tableOf(record).isInternal);
  const found = recordsOn(netOf(byPlace([...keys, ...long.values()])), page);
  const parts = yield* partsOf(bookId, version, found.filter(isIn(long)));
  const [wanted, read] = [[...withIds(found, parts)], [...parts.values()].flat()];
  const about = linesAbout(byPlace([...keys, ...read]), wanted);
  const lines = yield* withDiffs(bookId, version, about);
  return yield* effectsOn(bookId, version, netOf(lines), wanted);
}

/**
 * Returns a line for each table with very many lines, in place of these: its ids are the positions of the records in
 * the order of their ids.
 */
function* longTables(bookId: number, version: number): Steps<Map<string, LoggedRecords>> {
  const tables = yield* rowsAs(shape, linesByTable(bookId, [version]));
  const long = tables.filter(
    (each) => each.lines > mostLinesRead && isEachOnce(each) && !tableOf(each.record).isInternal,
  );
  const positions = { version, firstId: 1, kind: 'changed', diff: null } as const;
  return new Map(
    long.map(({ record, first_place: place, lines: lastId }) => [
      record,
      { ...positions, record, place, lastId },
    ]),
  );
}

function isIn(tables: ReadonlyMap<string, unknown>): (record: KeyedRecord) => boolean {
  return ({ table }) => tables.has(table.name);
}

function byPlace(lines: readonly LoggedRecords[]): LoggedRecords[] {
  return lines.toSorted((a, b) => a.place - b.place);
}

/** Returns the lines at the positions of records, which follow each other in each table. */
function* partsOf(
  bookId: number,
  version: number,
  positions: readonly KeyedRecord[],
): Steps<Map<string, LoggedRecords[]>> {
  const parts = new Map<string, LoggedRecords[]>();
  for (const [record, own] of Map.groupBy(positions, ({ table }) => table.name)) {
    const where = sql`book_id = ${bookId} AND version = ${version} AND record = ${record}
      ORDER BY first_id LIMIT ${own.length} OFFSET ${own[0]!.id - 1}`;
    parts.set(record, yield* selectLines(where, sql`NULL`));
  }
  return parts;
}

/** The same records; those of parts have ids instead of positions. */
function* withIds(
  records: readonly KeyedRecord[],
  parts: ReadonlyMap<string, readonly LoggedRecords[]>,
): Generator<KeyedRecord> {
  const next = new Map([...parts].map(([record, lines]) => [record, lines.values()]));
  for (const each of records) {
    const line = next.get(each.table.name)?.next().value;
    yield line === undefined ? each : recordOf(line, line.firstId);
  }
}

/** Returns what some versions did to a record whose key is its id. A version that did nothing to it is left out. */
export function* effectsOnRecord(
  bookId: number,
  table: BookTable,
  id: number,
  versions: readonly number[],
): Steps<ReadonlyMap<number, Effect>> {
  const lines: LoggedRecords[] = [];
  for (const block of blocksOf(versions))
    for (const and of [sql`first_id = ${id}`, ...containing(id)])
      // The inner statement reads only an index. Otherwise SQLite would read all lines of the versions.
      lines.push(
        ...(yield* selectLines(sql`book_id = ${bookId} AND (version, place) IN (
          SELECT version, place FROM changed_records
          WHERE book_id = ${bookId} AND record = ${table.name} AND ${and} AND version + 0 IN (${join(block)}))`)),
      );
  const effects = new Map<number, Effect>();
  const wanted = [{ table, id, key: { id } }];
  for (const [version, own] of Map.groupBy(lines, (line) => line.version)) {
    const net = netOf(own.toSorted((a, b) => a.place - b.place));
    const [effect] = yield* effectsOn(bookId, version, net, wanted);
    if (effect !== undefined) effects.set(version, effect);
  }
  return effects;
}

/** Reads the lines of versions that meet a condition. Only those with a key of several columns have a diff. */
function* readKeys(bookId: number, versions: readonly number[], and: Sql): Steps<LoggedRecords[]> {
  const keyed = bookTables.filter(({ key }) => key.length > 1).map(({ name }) => name);
  return yield* selectLines(
    sql`book_id = ${bookId} AND version IN (${join(versions)}) AND ${and} ORDER BY version, place`,
    sql`CASE WHEN record IN (${join(keyed)}) THEN diff END`,
  );
}

function noneOf(records: readonly string[]): Sql {
  return records.length === 0 ? sql`1 = 1` : sql`record NOT IN (${join(records)})`;
}

function recordsOn(lines: readonly NetRecords[], { offset, limit }: VersionPage): KeyedRecord[] {
  const found: KeyedRecord[] = [];
  let skipped = 0;
  for (const line of lines) {
    const length = line.lastId - line.firstId + 1;
    const start = line.firstId + Math.min(length, Math.max(0, offset - skipped));
    skipped += length;
    for (let id = start; id <= line.lastId && found.length < limit; id += 1)
      found.push(recordOf(line, id));
    if (found.length >= limit) break;
  }
  return found;
}

function recordOf(line: NetRecords, id: number): KeyedRecord {
  const table = tableOf(line.record);
  return { table, id, key: { [table.key[0]!]: id, ...restOf(table, line) } };
}

/** Returns the lines that are about one of the records, and maybe others. */
function linesAbout(
  lines: readonly LoggedRecords[],
  records: readonly KeyedRecord[],
): LoggedRecords[] {
  const ids = new Map(
    [...Map.groupBy(records, ({ table }) => table.name)].map(([record, own]) => [
      record,
      new Set(own.map(({ id }) => id)),
    ]),
  );
  return lines.filter(({ record, firstId, lastId }) => {
    const own = ids.get(record);
    if (own === undefined) return false;
    if (firstId === lastId) return own.has(firstId);
    return [...own].some((id) => firstId <= id && id <= lastId);
  });
}

/** Returns what the lines of a version did to records, in their order. Lines about others are ignored. */
function* effectsOn(
  bookId: number,
  version: number,
  lines: readonly NetRecords[],
  records: readonly KeyedRecord[],
): Steps<Effect[]> {
  const found = new Map<RecordKey, NetRecords>();
  for (const line of linesOfRecords(lines, records)) found.set(...line);
  const lineOf = ({ table, key }: KeyedRecord) => found.get(recordKey(table, key));
  const rebuilt = records.filter((each) => ['made', 'replaced'].includes(lineOf(each)?.kind ?? ''));
  const after = yield* rowsAfter(bookId, version, rebuilt);
  return records.flatMap((each) => {
    const line = lineOf(each);
    const row = after.get(recordKey(each.table, each.key)) ?? null;
    return line === undefined ? [] : [{ ...each, ...effectOf(each.table, line, row) }];
  });
}

function* linesOfRecords(
  lines: readonly NetRecords[],
  records: readonly KeyedRecord[],
): Generator<[RecordKey, NetRecords]> {
  const ofTables = Map.groupBy(records, ({ table }) => table.name);
  for (const line of lines) {
    const table = tableOf(line.record);
    const rest = restOf(table, line);
    for (const { id } of ofTables.get(line.record) ?? [])
      if (line.firstId <= id && id <= line.lastId)
        yield [recordKey(table, { [table.key[0]!]: id, ...rest }), line];
  }
}

function effectOf(
  table: BookTable,
  { kind, diff }: NetRecords,
  after: Values | null,
): Pick<Effect, 'kind' | 'before' | 'after'> {
  if (kind === 'made') return { kind, before: null, after };
  if (kind === 'removed') return { kind, before: diff, after: null };
  const pairs =
    kind === 'changed' ? changedColumns(table, diff) : differences(table, diff ?? {}, after ?? {});
  const column = (at: 0 | 1): Values =>
    Object.fromEntries(pairs.map(([name, values]) => [name, values[at]]));
  return { kind: 'changed', before: column(0), after: column(1) };
}

/** The columns of a record that was removed and created again, as far as they differ. */
function differences(
  table: BookTable,
  before: Values,
  after: Values,
): (readonly [name: string, values: readonly [before: unknown, after: unknown]])[] {
  const names = Object.keys(before).filter(
    (name) => name !== 'updated_at' && !table.key.includes(name) && before[name] !== after[name],
  );
  return names.map((name) => [name, [before[name], after[name]]]);
}

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
  first_place: integer,
  first_ids: integer,
  longest: integer,
  made: integer,
  changed: integer,
  removed: integer,
};
type Lines = Readonly<Record<Exclude<keyof typeof shape, 'record'>, number>> & {
  readonly record: string;
};

/** Returns how many of the records that are shown versions wrote, each counted once; in the order of the tables. */
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
    // There may be more than a call can have arguments.
    if (repeated.length > 0) for (const each of yield* netCounts(bookId, repeated)) all.push(each);
  }
  return new Map(
    [...Map.groupBy(all, ({ version }) => version)].map(([version, own]) => [
      version,
      inOrder(own),
    ]),
  );
}

function linesByTable(bookId: number, versions: readonly number[]): Sql {
  const records = (kind: ChangeKind) =>
    sql`CAST(SUM(CASE WHEN kind = ${kind} THEN last_id - first_id + 1 ELSE 0 END) AS BIGINT)`;
  // The sum keeps SQLite from reading the lines of all versions in the order of the tables.
  return sql`SELECT version + 0 AS version, record, COUNT(*) AS lines, MIN(place) AS first_place,
      COUNT(DISTINCT first_id) AS first_ids, MAX(last_id - first_id) AS longest,
      ${records('made')} AS made, ${records('changed')} AS changed, ${records('removed')} AS removed
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

/** Counts records that may be in several lines, by reading these lines, of one table after another. */
function* netCounts(bookId: number, repeated: readonly Lines[]): Steps<VersionCount[]> {
  const counts: VersionCount[] = [];
  for (const [record, own] of Map.groupBy(repeated, (each) => each.record)) {
    const versions = own.map(({ version }) => version);
    const lines = yield* readKeys(bookId, versions, sql`record = ${record}`);
    for (const ofVersion of Map.groupBy(lines, ({ version }) => version).values())
      for (const { version, kind, firstId, lastId } of netOf(ofVersion))
        counts.push({
          version,
          record,
          count: lastId - firstId + 1,
          kind: kind === 'replaced' ? 'changed' : kind,
        });
  }
  return counts;
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
