import { toInstant, toLastInstant } from '@coffer/core/dates';
import { prunedVersion, containing } from '../book/log.ts';
import { countsOf, effectsOnRecord, recordsOfVersion, type Effect } from './effects.ts';
import { find, rowAs, rowsAs, type Shaped } from '../db/rows.ts';
import { transactions } from '../db/tables/tables.ts';
import { notFound, refusePruned } from '../operations/problem.ts';
import { actorsOf, type Actor } from './schema.ts';
import type * as schema from './schema.ts';
import { dialectOf, type Steps } from '../db/engine.ts';
import { kindOf } from './records.ts';
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Dialect } from '../db/dialect.ts';
import { flag, integer, nullable, text } from '../db/table.ts';

/** Which changes to list: the query of the operation. */
export type HistoryQuery = Partial<schema.HistoryQuery> & { readonly limit: number };

interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Returns changes of a book, the newest first. */
export function* getHistory(
  bookId: number,
  { limit, from, to, ...filter }: HistoryQuery,
): Steps<{ history: schema.HistoryEntry[]; has_more: boolean }> {
  const times = {
    from: from === undefined ? undefined : toInstant(from)!,
    to: to === undefined ? undefined : toLastInstant(to)!,
  };
  const found = yield* listHistory(bookId, { ...filter, ...times }, limit + 1);
  const history = yield* withCounts(bookId, found.slice(0, limit));
  return { history, has_more: found.length > limit };
}

/** Returns a change of a book, and what it did to a part of its records. Throws a 404, or a 410 if it was pruned. */
export function* getVersion(
  bookId: number,
  version: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Steps<schema.HistoryVersion> {
  if (version > 0) refusePruned(version, yield* prunedVersion(bookId));
  const found = yield* entryOf(bookId, version);
  if (found === undefined) throw notFound('version', version);
  const [entry] = yield* withCounts(bookId, [found]);
  const page = { offset, limit: limit + 1 };
  const records = (yield* recordsOfVersion(bookId, version, page)).map(recordToWire);
  return { ...entry!, records: records.slice(0, limit), has_more: records.length > limit };
}

/** Returns the changes of a transaction, the newest first. Throws a 404 if the book never had it. */
export function* getTransactionHistory(
  bookId: number,
  id: number,
  { limit, before }: Page,
): Steps<schema.TransactionHistory> {
  const filter = { record: transactions.name, id };
  const found = yield* listHistory(bookId, { ...filter, before }, limit + 1);
  if (found.length === 0 && !(yield* wasThere(bookId, id))) throw notFound('transaction', id);
  const entries = found.slice(0, limit);
  const versions = entries.map(({ version }) => version);
  const effects = yield* effectsOnRecord(bookId, transactions, id, versions);
  const actors = yield* actorsIn(bookId, entries);
  const history = entries.map((entry) => ({
    ...changeToWire(entry, actors),
    ...effectToWire(effects.get(entry.version)),
  }));
  return { history, has_more: found.length > limit };
}

function* wasThere(bookId: number, id: number): Steps<boolean> {
  if ((yield* find(transactions, { book_id: bookId, id })) !== undefined) return true;
  const filter = { record: transactions.name, id };
  return (yield* listHistory(bookId, filter, 1)).length > 0;
}

function* withCounts(
  bookId: number,
  entries: readonly LoggedChange[],
): Steps<schema.HistoryEntry[]> {
  const versions = entries.map(({ version }) => version);
  const all = yield* countsOf(bookId, versions);
  const actors = yield* actorsIn(bookId, entries);
  return entries.map((entry) => ({
    ...changeToWire(entry, actors),
    counts: [...(all.get(entry.version) ?? [])],
  }));
}

type Actors = ReadonlyMap<string, Actor>;

function* actorsIn(bookId: number, entries: readonly LoggedChange[]): Steps<Actors> {
  return yield* actorsOf(
    bookId,
    entries.map(({ actor }) => actor),
  );
}

function changeToWire({ actor, ...entry }: LoggedChange, actors: Actors) {
  return { ...entry, actor: actors.get(actor)! };
}

function recordToWire(effect: Effect): schema.HistoryRecord {
  const { table, id, key } = effect;
  const rest = table.key.slice(1);
  return {
    record: table.name,
    id,
    ...(rest.length > 0 && { key: Object.fromEntries(rest.map((name) => [name, key[name]])) }),
    ...effectToWire(effect),
  };
}

/** A record that was created and deleted by the same change is a deleted one that nobody saw. */
function effectToWire(effect: Effect | undefined): Pick<Effect, 'kind' | 'before' | 'after'> {
  if (effect === undefined) return { kind: 'removed', before: null, after: null };
  const { table, kind, before, after } = effect;
  const { shownColumns } = kindOf(table.name);
  return { kind, before: before && shownColumns(before), after: after && shownColumns(after) };
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

interface Finder {
  /** Selects `version` of the newest changes that match it, by an index. */
  readonly select: (versions: Versions, limit: number) => Sql;
  /** The condition that the change `c` matches it. */
  readonly matches: Sql;
}

const entryShape = {
  version: integer,
  /** ISO 8601 in UTC with milliseconds. */
  at: text,
  /** As in the log: `token 12`, `command`, … */
  actor: text,
  operation: text,
  /** The version that it undid; null if it is no undo. */
  undoes: nullable(integer),
  /** The last version that undid it; null if none did. */
  undone_by: nullable(integer),
  matches: flag,
};

type LoggedChange = Omit<Shaped<typeof entryShape>, 'matches'>;

/**
 * Returns changes of a book, the newest first.
 *
 * It reads the changes that match the rarest of the filters, and examines the others for each of them.
 */
export function* listHistory(
  bookId: number,
  filter: HistoryFilter,
  limit: number,
): Steps<LoggedChange[]> {
  let versions = yield* versionsOf(bookId, filter);
  const finders = findersOf(yield* dialectOf(), bookId, filter);
  const finder = yield* rarest(finders, versions);
  const others = finders.filter((each) => each !== finder).map(({ matches }) => matches);
  const block = others.length === 0 ? limit : Math.max(limit, blockOfVersions);
  const found: LoggedChange[] = [];
  for (;;) {
    const rows = yield* rowsAs(entryShape, entries(bookId, finder.select(versions, block), others));
    found.push(...rows.filter(({ matches }) => matches).map(entryFrom));
    const last = rows.at(-1);
    if (found.length >= limit || last === undefined || rows.length < block)
      return found.slice(0, limit);
    versions = { ...versions, last: last.version - 1 };
  }
}

/** Returns one change of a book; undefined if the log does not have it. */
function* entryOf(bookId: number, version: number): Steps<LoggedChange | undefined> {
  const one = sql`SELECT version FROM changes WHERE book_id = ${bookId} AND version = ${version}`;
  const found = yield* rowAs(entryShape, entries(bookId, one, []));
  return found && entryFrom(found);
}

function entryFrom({ matches: _, ...entry }: Shaped<typeof entryShape>): LoggedChange {
  return entry;
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
  { byBytes }: Dialect,
  bookId: number,
  { actor, operation, record, id }: HistoryFilter,
): readonly Finder[] {
  const changes = (and: Sql, matches: Sql): Finder => ({
    matches,
    select: ({ first, last }, limit) => sql`SELECT version FROM changes
      WHERE book_id = ${bookId} ${and} AND version BETWEEN ${first} AND ${last} ORDER BY version DESC LIMIT ${limit}`,
  });
  const finders: Finder[] = [];
  const equal = (column: string, value: string): Finder =>
    changes(sql`AND ${byBytes(column)} = ${value}`, sql`${raw(`c.${column}`)} = ${value}`);
  if (actor !== undefined) finders.push(equal('actor', actor));
  if (operation !== undefined) finders.push(equal('operation', operation));
  if (record !== undefined)
    finders.push(id === undefined ? tableFinder(bookId, record) : recordFinder(bookId, record, id));
  return finders.length === 0 ? [changes(sql``, sql`1 = 1`)] : finders;
}

function tableFinder(bookId: number, record: string): Finder {
  const lines = sql`FROM changed_records r WHERE r.book_id = ${bookId} AND r.record = ${record} AND r.repeats = 0`;
  return {
    matches: sql`EXISTS (SELECT 1 ${lines} AND r.version = c.version)`,
    select: ({ first, last }, limit) => sql`SELECT r.version ${lines}
      AND r.version BETWEEN ${first} AND ${last} GROUP BY r.version ORDER BY r.version DESC LIMIT ${limit}`,
  };
}

/**
 * Finds the changes of one record. Few lines about ranges contain its id, so they are all read. The sum keeps the
 * engine from reading all lines between two versions instead.
 */
function recordFinder(bookId: number, record: string, id: number): Finder {
  const lines = sql`FROM changed_records r WHERE r.book_id = ${bookId} AND r.record = ${record}`;
  const ranges = join(
    containing(id).map((and) => sql`SELECT r.version ${lines} AND ${and}`),
    ' UNION ALL ',
  );
  const latest = (limit: number): Sql => sql`GROUP BY version ORDER BY version DESC LIMIT ${limit}`;
  return {
    matches: sql`(EXISTS (SELECT 1 ${lines} AND r.first_id = ${id} AND r.version = c.version)
      OR c.version IN (${ranges}))`,
    select: ({ first, last }, limit) => sql`SELECT version FROM (
        SELECT version FROM (SELECT r.version ${lines} AND r.first_id = ${id}
          AND r.version BETWEEN ${first} AND ${last} ${latest(limit)}) one
        UNION ALL ${ranges}
      ) lines WHERE version + 0 BETWEEN ${first} AND ${last} ${latest(limit)}`,
  };
}

/** Returns the first finder with few versions, or the last one. */
function* rarest(finders: readonly Finder[], versions: Versions): Steps<Finder> {
  for (const finder of finders.slice(0, -1)) {
    const found = yield* rowAs(
      { versions: integer },
      sql`SELECT COUNT(*) AS versions FROM (${finder.select(versions, few + 1)}) found`,
    );
    if (found!.versions <= few) return finder;
  }
  return finders.at(-1)!;
}

/** Selects the entries of some versions, the newest first, and whether they meet conditions. */
function entries(bookId: number, versions: Sql, conditions: readonly Sql[]): Sql {
  const matches = conditions.length === 0 ? sql`1 = 1` : join(conditions, ' AND ');
  // A cross join keeps SQLite from reading all changes for each of the versions.
  return sql`SELECT c.version, c.at, c.actor, c.operation, c.undoes,
      (SELECT MAX(u.version) FROM changes u WHERE u.book_id = ${bookId} AND u.undoes = c.version) AS undone_by,
      CASE WHEN ${matches} THEN 1 ELSE 0 END AS matches
    FROM (${versions}) found CROSS JOIN changes c
    WHERE c.book_id = ${bookId} AND c.version = found.version ORDER BY c.version DESC`;
}
