import sql from 'sql-template-tag';
import type { Steps } from '../db/engine.ts';
import { rowAs } from '../db/rows.ts';
import { integer, nullable } from '../db/table.ts';
import { transactions } from '../db/tables/tables.ts';
import { readRemovedPage, readVersion } from './logged.ts';
import type { Diff, LoggedRecords } from './log.ts';

/** From this number of removed transactions on, their lines are not kept in memory. */
const many = 2000;

/** The lines of a version; removed transactions may be left out. */
export interface VersionLines {
  readonly lines: readonly LoggedRecords[];
  /** Whether the removed transactions are left out: {@link manyRemoved} reads them in parts. */
  readonly isPartial: boolean;
}

/**
 * Reads the lines of a version. If it is the undo of a large import, the lines of removed transactions are left out.
 *
 * Only undos are read in parts: they remove transactions after those that refer to them, each one with one line.
 */
export function* readLines(bookId: number, version: number): Steps<VersionLines> {
  const found = yield* rowAs(
    { removed: integer, first: nullable(integer), last: nullable(integer) },
    sql`SELECT COUNT(*) AS removed, MIN(first_id) AS first, MAX(last_id) AS last FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND record = ${transactions.name} AND kind = 'removed'
        AND version IN (SELECT version FROM changes WHERE book_id = ${bookId} AND undoes IS NOT NULL)`,
  );
  const { removed, first, last } = found!;
  if (removed < many) return { lines: yield* readVersion(bookId, version), isPartial: false };
  const lines = yield* readVersion(bookId, version, transactions.name);
  const isAmong = ({ record, firstId, lastId }: LoggedRecords): boolean =>
    record === transactions.name && firstId <= last! && lastId >= first!;
  if (!lines.some(isAmong)) return { lines, isPartial: true };
  return { lines: yield* readVersion(bookId, version), isPartial: false };
}

/**
 * Reads the transactions that a version removed, in parts: the last one first, so that transactions come before those
 * that refer to them. Calls `restore` with each part.
 */
export function* manyRemoved(
  bookId: number,
  version: number,
  restore: (rows: readonly Diff[]) => Steps<void>,
): Steps<void> {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const page = yield* readRemovedPage(bookId, version, transactions.name, before);
    const last = page.at(-1);
    if (last === undefined) return;
    const byId = page.toSorted((a, b) => a.firstId - b.firstId);
    yield* restore(byId.map(({ diff }) => diff!));
    before = last.place;
  }
}
