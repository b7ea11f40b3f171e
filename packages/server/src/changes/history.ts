import sql, { join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Steps } from '../db/engine.ts';
import { rowAs, rowsAs } from '../db/rows.ts';
import { flag, integer, nullable, text } from '../db/table.ts';
import { accountNumbers, importForms } from '../db/tables.ts';
import { containing } from './log.ts';

/** Tables whose records are never shown. An undo restores them, too. */
export const internalTables: ReadonlySet<string> = new Set([importForms.name, accountNumbers.name]);

/** One change of a book. */
export interface HistoryEntry {
  readonly version: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly at: string;
  /** As in the log: `token 12`, `command`, … */
  readonly actor: string;
  readonly operation: string;
  /** The version that it undid; null if it is no undo. */
  readonly undoes: number | null;
  /** The last version that undid it; null if none did. */
  readonly undone_by: number | null;
}

/** Which changes to list. A change must match everything that is given. */
export interface HistoryFilter {
  /** Only older versions than this one. */
  readonly before?: number | undefined;
  /** The name of a table of which it wrote a record. */
  readonly record?: string | undefined;
  /** The first part of the key of a record of that table. */
  readonly id?: number | undefined;
  /** As in the log. */
  readonly actor?: string | undefined;
  readonly operation?: string | undefined;
  /** The first instant, inclusive: ISO 8601 in UTC with milliseconds. */
  readonly from?: string | undefined;
  /** The last instant, inclusive. */
  readonly to?: string | undefined;
}

/** Most versions that one statement examines. */
const blockOfVersions = 500;
/** A filter with at most so many versions is rare: none of the others needs to be counted. */
const few = 1000;

/** A range of versions, both ends inclusive. */
interface Versions {
  readonly first: number;
  readonly last: number;
}

/** Finds the versions that match one filter, by an index. */
interface Finder {
  /** Selects `version`. */
  readonly select: (versions: Versions, limit: number) => Sql;
}

const entryShape = {
  version: integer,
  at: text,
  actor: text,
  operation: text,
  undoes: nullable(integer),
  undone_by: nullable(integer),
  matches: flag,
};

/**
 * Returns changes of a book, the newest first.
 *
 * It reads the changes that match the rarest of the filters, and examines the others for each of them.
 */
export function* listHistory(
  bookId: number,
  filter: HistoryFilter,
  limit: number,
): Steps<HistoryEntry[]> {
  let versions = yield* versionsOf(bookId, filter);
  const finder = yield* rarest(findersOf(bookId, filter), versions);
  const block = Math.max(limit, finder.isOnly ? 0 : blockOfVersions);
  const found: HistoryEntry[] = [];
  for (;;) {
    const rows = yield* rowsAs(entryShape, entries(bookId, finder.select(versions, block), filter));
    found.push(...rows.filter(({ matches }) => matches).map(entryFrom));
    const last = rows.at(-1);
    if (found.length >= limit || last === undefined || rows.length < block)
      return found.slice(0, limit);
    versions = { ...versions, last: last.version - 1 };
  }
}

/** Returns one change of a book; undefined if the log does not have it. */
export function* entryOf(bookId: number, version: number): Steps<HistoryEntry | undefined> {
  const one = sql`SELECT version FROM changes WHERE book_id = ${bookId} AND version = ${version}`;
  const found = yield* rowAs(entryShape, entries(bookId, one, {}));
  return found && entryFrom(found);
}

function entryFrom({
  version,
  at,
  actor,
  operation,
  undoes,
  undone_by,
}: HistoryEntry): HistoryEntry {
  return { version, at, actor, operation, undoes, undone_by };
}

/** Times of changes ascend with their versions, so that a range of times is a range of versions. */
function* versionsOf(bookId: number, { before, from, to }: HistoryFilter): Steps<Versions> {
  const bounds = { first: 1, last: (before ?? Number.MAX_SAFE_INTEGER) - 1 };
  if (from === undefined && to === undefined) return bounds;
  const earliest = sql`SELECT version FROM changes WHERE book_id = ${bookId} AND at >= ${from ?? ''}
    ORDER BY at LIMIT 1`;
  const latest = sql`SELECT version FROM changes WHERE book_id = ${bookId} AND at <= ${to ?? '~'}
    ORDER BY at DESC LIMIT 1`;
  const found = yield* rowAs(
    { first: nullable(integer), last: nullable(integer) },
    sql`SELECT (${earliest}) AS first, (${latest}) AS last`,
  );
  const { first, last } = found!;
  if (first === null || last === null) return { first: 1, last: 0 };
  return { first, last: Math.min(bounds.last, last) };
}

/** Returns a finder for each filter; without filters, one for all versions. */
function findersOf(
  bookId: number,
  { actor, operation, record, id }: HistoryFilter,
): readonly Finder[] {
  const changes = (and: Sql): Finder => ({
    select: ({ first, last }, limit) => sql`SELECT version FROM changes
      WHERE book_id = ${bookId} ${and} AND version BETWEEN ${first} AND ${last} ORDER BY version DESC LIMIT ${limit}`,
  });
  const finders = [
    ...(actor === undefined ? [] : [changes(sql`AND actor = ${actor}`)]),
    ...(operation === undefined ? [] : [changes(sql`AND operation = ${operation}`)]),
    ...(record === undefined ? [] : [recordFinder(bookId, record, id)]),
  ];
  return finders.length === 0 ? [changes(sql``)] : finders;
}

function recordFinder(bookId: number, record: string, id: number | undefined): Finder {
  const lines = (and: Sql, { first, last }: Versions): Sql =>
    sql`SELECT version FROM changed_records
      WHERE book_id = ${bookId} AND record = ${record} AND ${and} AND version BETWEEN ${first} AND ${last}`;
  const latest = (limit: number): Sql => sql`GROUP BY version ORDER BY version DESC LIMIT ${limit}`;
  if (id === undefined)
    return {
      select: (versions, limit) => sql`${lines(sql`repeats = 0`, versions)} ${latest(limit)}`,
    };
  const ranges = (versions: Versions): Sql =>
    join(
      containing(id).map((and) => lines(and, versions)),
      ' UNION ALL ',
    );
  return {
    select: (versions, limit) => sql`SELECT version FROM (
        SELECT version FROM (${lines(sql`first_id = ${id}`, versions)} ${latest(limit)}) one
        UNION ALL ${ranges(versions)}
      ) lines ${latest(limit)}`,
  };
}

/** Returns the first finder with few versions, or the last one. */
function* rarest(
  finders: readonly Finder[],
  versions: Versions,
): Steps<Finder & { readonly isOnly: boolean }> {
  const isOnly = finders.length === 1;
  for (const finder of finders.slice(0, -1)) {
    const found = yield* rowAs(
      { versions: integer },
      sql`SELECT COUNT(*) AS versions FROM (${finder.select(versions, few + 1)}) found`,
    );
    if (found!.versions <= few) return { ...finder, isOnly };
  }
  return { ...finders.at(-1)!, isOnly };
}

/** Selects the entries of some versions, the newest first, and whether they match all filters. */
function entries(
  bookId: number,
  versions: Sql,
  { actor, operation, record, id }: HistoryFilter,
): Sql {
  const line = sql`SELECT 1 FROM changed_records r
    WHERE r.book_id = ${bookId} AND r.version = c.version AND r.record = ${record}`;
  const conditions = [
    ...(actor === undefined ? [] : [sql`c.actor = ${actor}`]),
    ...(operation === undefined ? [] : [sql`c.operation = ${operation}`]),
    ...(record === undefined ? [] : [recordCondition(line, id)]),
  ];
  const matches = conditions.length === 0 ? sql`1 = 1` : join(conditions, ' AND ');
  return sql`SELECT c.version, c.at, c.actor, c.operation, c.undoes,
      (SELECT MAX(u.version) FROM changes u WHERE u.book_id = ${bookId} AND u.undoes = c.version) AS undone_by,
      CASE WHEN ${matches} THEN 1 ELSE 0 END AS matches
    FROM (${versions}) found JOIN changes c ON c.book_id = ${bookId} AND c.version = found.version
    ORDER BY c.version DESC`;
}

function recordCondition(line: Sql, id: number | undefined): Sql {
  if (id === undefined) return sql`EXISTS (${line} AND r.repeats = 0)`;
  const conditions = [sql`r.first_id = ${id}`, ...containing(id)];
  const exists = conditions.map((and) => sql`EXISTS (${line} AND ${and})`);
  return sql`(${join(exists, ' OR ')})`;
}
