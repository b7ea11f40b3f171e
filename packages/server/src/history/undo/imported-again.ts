import { nameKey } from '@coffer/core/text';
import sql, { join } from 'sql-template-tag';
import { merged, placeOf } from '../../book/changed-ids.ts';
import type { IdRange } from '../../book/changed-ids.ts';
import { withDiffs } from '../../book/net.ts';
import type { NetRecords, VersionEffect } from '../../book/net.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { rowsAs, select } from '../../db/rows.ts';
import { id, integer, nullable, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import { manualAccounts, transactions } from '../../db/tables/tables.ts';

/** Conflicts that are enough to refuse an undo. */
const enough = 1000;

const place = {
  date: text,
  amount: integer,
  currency: text,
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
};

/** What identifies an entry of a statement. */
type Place = { readonly [K in keyof typeof place]: unknown };

/**
 * Returns the conflicts of an undo that restores imported transactions: those of which another import has since added
 * the same date, amount and account; the account may be a new one with the same name. Restored, they would be in the
 * book twice. There may be a few more than `most`.
 */
export function* importedAgain(
  bookId: number,
  { version, lines }: VersionEffect,
  most = enough,
): Steps<UndoConflict[]> {
  const made = yield* madeSince(bookId, version);
  if (made.length === 0) return [];
  const nameOf = yield* accountNames(bookId, lines);
  const conflicts: UndoConflict[] = [];
  const removed = lines.filter(
    ({ kind, record }) => kind === 'removed' && record === transactions.name,
  );
  for (const block of blocksOf(removed)) {
    if (conflicts.length >= most) break;
    const page = yield* withDiffs(bookId, version, block);
    const restored = page.map(({ firstId, diff }) => ({ id: firstId, ...diff }) as Imported);
    const imported = restored.filter(({ import_id }) => (import_id ?? null) !== null);
    const added = yield* addedOn(
      bookId,
      imported.map(({ date }) => date as string),
      made,
      nameOf,
    );
    for (const row of imported) {
      const key = keyOf(row, nameOf);
      const left = added.get(key) ?? 0;
      if (left > 0) conflicts.push(conflictOf(row.id));
      added.set(key, left - 1);
    }
  }
  return conflicts;
}

interface Imported extends Place {
  readonly id: number;
  readonly import_id?: number | null;
}

/** Returns which transactions were created, or restored, after a version: ascending ranges that do not overlap. */
function* madeSince(bookId: number, version: number): Steps<IdRange[]> {
  const ranges = yield* rowsAs(
    { firstId: id, lastId: id },
    sql`SELECT first_id AS "firstId", last_id AS "lastId" FROM changed_records
      WHERE book_id = ${bookId} AND version > ${version} AND record = ${transactions.name} AND kind = 'made'
      ORDER BY first_id`,
  );
  return merged(ranges);
}

/** Returns how many imported transactions among `made` are on some days, by what identifies them. */
function* addedOn(
  bookId: number,
  dates: readonly string[],
  made: readonly IdRange[],
  nameOf: AccountNames,
): Steps<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const block of blocksOf([...new Set(dates)])) {
    const rows = yield* rowsAs(
      { id, ...place },
      sql`SELECT id, date, amount, currency, manual_account_id, plaid_account_id FROM transactions
        WHERE book_id = ${bookId} AND date IN (${join(block)}) AND import_id IS NOT NULL`,
    );
    for (const row of rows)
      if (isIn(made, row.id)) {
        const key = keyOf(row, nameOf);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
  }
  return counts;
}

function isIn(ranges: readonly IdRange[], wanted: number): boolean {
  const range = ranges[placeOf(ranges.length, (at) => ranges[at]!.lastId < wanted)];
  return range !== undefined && range.firstId <= wanted;
}

function keyOf(row: Place, nameOf: AccountNames): string {
  const { date, amount, currency, manual_account_id: account, plaid_account_id: synced } = row;
  return JSON.stringify([date, amount, currency, nameOf.get(account) ?? account, synced]);
}

/** The names of manual accounts as they are compared, by id. */
type AccountNames = ReadonlyMap<unknown, string>;

/** Returns the names of the accounts of a book, and of those that the undo restores. */
function* accountNames(bookId: number, lines: readonly NetRecords[]): Steps<AccountNames> {
  const removed = lines.filter(
    ({ kind, record }) => kind === 'removed' && record === manualAccounts.name,
  );
  const all = [
    ...(yield* select(manualAccounts, { book_id: bookId })),
    ...removed.map(({ diff }) => diff as Row<typeof manualAccounts>),
  ];
  return new Map(all.map(({ id: account, name }) => [account, nameKey(name)]));
}

function conflictOf(removed: number): UndoConflict {
  const { name: record } = transactions;
  const blocked = [`${record} ${removed}`] as const;
  return { record, id: removed, column: null, reason: 'imported since', blocked };
}
