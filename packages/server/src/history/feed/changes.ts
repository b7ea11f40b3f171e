import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs, type Shaped } from '../../db/rows.ts';
import { integer, nullable, text, type Values } from '../../db/table.ts';
import { bookTables } from '../../db/tables/tables.ts';
import { NoSuchBookError } from '../../book/change.ts';
import type { ChangeKind, Diff } from '../../book/log.ts';
import { restOf, tableOf } from '../../book/net.ts';
import { quote } from '@coffer/core/text';
import type { Identity } from '../../operations/caller.ts';
import { Problem } from '../../operations/problem.ts';

/**
 * A place in the log of a book: the first change that a reader has not seen. Changes are ordered by version, by place
 * within the version, and by id within a line of the log.
 */
export interface FeedPosition {
  readonly version: number;
  readonly place: number;
  readonly id: number;
}

/** A change of one record. A version that writes a record several times has several of them. */
export interface FeedChange {
  readonly version: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The name of its table. */
  readonly record: string;
  /** The first column of its key. */
  readonly id: number;
  /** The other columns of its key; empty for most tables. */
  readonly key: Values;
  readonly kind: ChangeKind;
  /** The position after it. */
  readonly next: FeedPosition;
}

/** A part of the feed. */
export interface FeedPage {
  readonly changes: readonly FeedChange[];
  /** The position after the last change; at the end of the feed, that after everything in the book. */
  readonly position: FeedPosition;
  /** Whether no further change has been committed. */
  readonly isEnd: boolean;
}

/** How far the log of a book reaches. */
export interface LogBounds {
  /** The version of the book. */
  readonly version: number;
  /** The log has the changes after this version. */
  readonly prunedVersion: number;
}

/** A position before changes that the log no longer has. */
export class PrunedPositionError extends Error {
  override name = 'PrunedPositionError';
  /** The oldest version in the log. */
  readonly oldestVersion: number;

  constructor(oldestVersion: number) {
    super(`The change log begins with version ${oldestVersion}`);
    this.oldestVersion = oldestVersion;
  }
}

/** Lines of the log that are read at once in search of one kind of record: a few milliseconds. */
const mostScanned = 20_000;

/** The tables whose changes are not visible outside. */
const internalNames = bookTables.filter(({ isInternal }) => isInternal).map(({ name }) => name);

/** The tables with more than one column in their key. Only for them the content of a line is needed. */
const withRest = bookTables.filter(({ key }) => key.length > 1).map(({ name }) => name);

/** Returns the position after all changes of a version and of the versions before it. */
export function positionAfter(version: number): FeedPosition {
  return { version: version + 1, place: 0, id: 0 };
}

/** Returns how far the log of a book reaches. Throws {@link NoSuchBookError}. */
export function* logBounds(bookId: number): Steps<LogBounds> {
  const found = yield* rowAs(
    { version: integer, pruned_version: integer },
    sql`SELECT version, pruned_version FROM books WHERE id = ${bookId}`,
  );
  if (found === undefined) throw new NoSuchBookError(bookId);
  return { version: found.version, prunedVersion: found.pruned_version };
}

/**
 * Returns at most `limit` changes of a book from a position on, in the order of the commits. A line of the log about
 * many ids becomes a change for each id, and may be cut anywhere. Before the end, a page has `limit` changes.
 *
 * With `record`, only changes of that table. Then a page may have fewer and even none before the end, because at most
 * `mostLines` lines of the log are read.
 *
 * Throws {@link PrunedPositionError} and {@link NoSuchBookError}. A position after the book's version has no changes.
 */
export function* readChanges(
  bookId: number,
  after: FeedPosition,
  limit: number,
  record?: string,
  mostLines = mostScanned,
): Steps<FeedPage> {
  const { version, prunedVersion } = yield* logBounds(bookId);
  if (after.version <= prunedVersion) throw new PrunedPositionError(prunedVersion + 1);
  const beyond = record === undefined ? null : yield* placeBeyond(bookId, after, mostLines);
  const all: FeedChange[] = [];
  // One more to know whether there are more, and one more because nothing may be left of the first.
  for (const line of yield* linesFrom(bookId, { from: after, beyond, record }, limit + 2))
    for (const change of changesOf(line, after)) {
      if (all.length < limit) all.push(change);
      else return { changes: all, position: all.at(-1)?.next ?? after, isEnd: false };
    }
  if (beyond !== null) return { changes: all, position: beyond, isEnd: false };
  const end = after.version > version ? after : positionAfter(version);
  return { changes: all, position: end, isEnd: true };
}

const shape = {
  version: integer,
  place: integer,
  at: text,
  record: text,
  first_id: integer,
  last_id: integer,
  kind: text,
  diff: nullable(text),
};

type Line = Shaped<typeof shape>;

/** Which lines to read: from a position on, before the line `beyond`, of one table. */
interface Stretch {
  readonly from: FeedPosition;
  readonly beyond: FeedPosition | null;
  readonly record: string | undefined;
}

/** Returns the position of the line that follows so many lines; null if there is none. */
function* placeBeyond(
  bookId: number,
  { version, place }: FeedPosition,
  lines: number,
): Steps<FeedPosition | null> {
  const found = yield* rowAs(
    { version: integer, place: integer },
    sql`SELECT version, place FROM changed_records
      WHERE book_id = ${bookId} AND (version, place) >= (${version}, ${place})
      ORDER BY version, place LIMIT 1 OFFSET ${lines}`,
  );
  return found === undefined ? null : { ...found, id: 0 };
}

/** Reads lines in the order of the primary key. */
function* linesFrom(
  bookId: number,
  { from, beyond, record }: Stretch,
  limit: number,
): Steps<Line[]> {
  const end =
    beyond === null ? empty : sql`AND (l.version, l.place) < (${beyond.version}, ${beyond.place})`;
  return yield* rowsAs(
    shape,
    sql`SELECT l.version, l.place,
        (SELECT c.at FROM changes c WHERE c.book_id = l.book_id AND c.version = l.version) AS at,
        l.record, l.first_id, l.last_id, l.kind,
        CASE WHEN l.record IN (${join(withRest)}) THEN l.diff END AS diff
      FROM changed_records l
      WHERE l.book_id = ${bookId} AND (l.version, l.place) >= (${from.version}, ${from.place}) ${end}
        AND ${isShown(record)}
      ORDER BY l.version, l.place LIMIT ${limit}`,
  );
}

function isShown(record: string | undefined): Sql {
  if (record !== undefined) return sql`l.record = ${record}`;
  return sql`l.record NOT IN (${join(internalNames)})`;
}

function* changesOf(line: Line, after: FeedPosition): Generator<FeedChange, void, undefined> {
  const { version, place, at, record, last_id: lastId } = line;
  const kind = line.kind as ChangeKind;
  const diff = line.diff === null ? null : (JSON.parse(line.diff) as Diff);
  const key = restOf(tableOf(record), { kind, diff });
  const isCut = version === after.version && place === after.place;
  const firstId = isCut ? Math.max(line.first_id, after.id) : line.first_id;
  for (let id = firstId; id <= lastId; id += 1) {
    const next =
      id < lastId ? { version, place, id: id + 1 } : { version, place: place + 1, id: 0 };
    yield { version, at, record, id, key, kind, next };
  }
}

/** Returns a change as JSON; `value` is JSON or null. */
export function changeText(
  { version, at, record, id, key, kind }: FeedChange,
  value: string | null,
): string {
  const named = Object.keys(key).length === 0 ? {} : { key };
  const text = JSON.stringify({ version, at, record, id, ...named, kind });
  return `${text.slice(0, -1)},"value":${value}}`;
}

/** What a position is valid for: another database or book has other changes. */
type Place = Pick<Identity, 'databaseId'> & { readonly book: Pick<Identity['book'], 'id'> };

/** A position as a client sent it. `of` is what it is valid for; null for a version. */
export interface SentPosition {
  readonly position: FeedPosition;
  readonly of: string | null;
}

const versionPattern = /^(?:0|[1-9]\d{0,15})$/;
const positionPattern = /^([0-9a-f]{32}\.\d{1,16})\.(\d{1,16})\.(\d{1,16})\.(\d{1,16})$/;
const advice = 'Copy the records again, and continue from after=latest';

/** Returns a position as text, with the ids of the database and the book. */
export function positionText(place: Place, { version, place: at, id }: FeedPosition): string {
  return [placeText(place), version, at, id].join('.');
}

/** Reads a position or a version; null for `latest`. `name` is for the message of a Problem that refuses other text. */
export function readPosition(text: string, name: string): SentPosition | null {
  if (text === 'latest') return null;
  const [, of = null, ...numbers] = positionPattern.exec(text) ?? [];
  const [version = NaN, place = NaN, id = NaN] = numbers.map(Number);
  const position = versionPattern.test(text) ? positionAfter(Number(text)) : { version, place, id };
  if (Object.values(position).every(Number.isSafeInteger)) return { position, of };
  const errMsg = `${name} must be a position, a version or "latest", not ${quote(text)}`;
  throw new Problem('validation', { details: [{ errMsg, instancePath: '/query/after' }] });
}

/**
 * Refuses a position with 410 if it belongs to another book, if changes after it were pruned, or if the book has not
 * reached it. `oldest_version` of the error is the oldest version after which all changes exist.
 */
export function refuseGone(sent: SentPosition, place: Place, bounds: LogBounds): void {
  const { version, prunedVersion } = bounds;
  const last = sent.position.version - 1;
  if (sent.of !== null && sent.of !== placeText(place))
    throw gone('The position belongs to another book or to another copy of the database', bounds);
  if (last < prunedVersion)
    throw gone(`The changes after version ${last} were pruned, up to ${prunedVersion}`, bounds);
  if (last > version) throw gone(`The book has only ${version} versions, not ${last}`, bounds);
}

function gone(reason: string, { prunedVersion }: LogBounds): Problem {
  const details = [{ errMsg: `${reason}. ${advice}`, oldest_version: prunedVersion }];
  return new Problem('pruned', { details });
}

function placeText({ databaseId, book }: Place): string {
  return `${databaseId}.${book.id}`;
}
