import { nameKey } from '@coffer/core/text';
import sql, { join } from 'sql-template-tag';
import { merged, placeOf, type IdRange } from '../../book/changed-ids.ts';
import { groupsOf, idsOf, lineWith, tableOf, withDiffs } from '../../book/net.ts';
import type { NetRecords, RecordKey, VersionEffect } from '../../book/net.ts';
import type { SkippedRecords } from '../../book/skipped-records.ts';
import type { UndoConflict } from '../../book/undo-conflicts.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { among, rowsAs, select } from '../../db/rows.ts';
import { id, integer, nullable, text, type BookTable, type Row } from '../../db/table.ts';
import { transactions, manualAccounts } from '../../db/tables/tables.ts';
import type { TransactionRow } from '../../ledger/transactions/writes.ts';
import { Problem } from '../../operations/problem.ts';
import type { BlockedRecord, UndoConflict as ShownConflict } from './schema.ts';
import { statesOf } from './transaction-states.ts';

/** Most conflicts in a response, and most records that one of them blocks. */
const mostShown = 1000;

/** Returns conflicts as in a response, up to a thousand. */
export function shownConflicts(conflicts: readonly UndoConflict[]): ShownConflict[] {
  return conflicts.slice(0, mostShown).map(shownConflict);
}

function shownConflict({ record, id, key, column, reason, blocked }: UndoConflict): ShownConflict {
  const shown = { record, id, ...(key !== undefined && { key: key as Record<string, unknown> }) };
  return { ...shown, column, reason, blocked: blocked.slice(0, mostShown).map(recordOf) };
}

function recordOf(recordKey: RecordKey): BlockedRecord {
  const [record = '', id, ...rest] = recordKey.split(' ');
  const [, ...names] = tableOf(record).key;
  const key = Object.fromEntries(names.map((name, at) => [name, rest[at]]));
  return { record, id: Number(id), ...(names.length > 0 && { key }) };
}

/** Returns the problem of an undo that has conflicts, and undid nothing. */
export function conflictProblem(conflicts: readonly UndoConflict[]): Problem {
  return new Problem('undoConflict', {
    details: conflicts.map((each) => ({ errMsg: conflictText(each), ...shownConflict(each) })),
  });
}

/**
 * Returns why a record cannot be undone, such as `transactions 9125: notes was changed since`, or
 * `categories 3: used since by transactions 9125 (category_id)`.
 */
export function conflictText({ record, id, column, reason, blocked }: UndoConflict): string {
  if (reason === 'used since')
    return `${blocked.join(', ')}: used since by ${record} ${id} (${column})`;
  return `${record} ${id}: ${column ?? 'it'} was ${reason}`;
}

/** How a transaction is split or grouped. */
const linkColumns = ['is_split_parent', 'split_parent_id', 'group_parent_id'] as const;
/** What a split transaction has in common with its parts, and a group with its members. */
const shared = [
  ...(['amount', 'currency', 'to_base', 'date', 'is_pending'] as const),
  ...(['manual_account_id', 'plaid_account_id'] as const),
];

/**
 * Returns the conflicts of an undo with splits and groups: a transaction that was split or grouped since cannot get its
 * earlier amount alone, nor can one be split or grouped again whose amount has changed since. The same applies to what
 * else its parts have in common with it.
 */
export function* splitConflicts(
  bookId: number,
  { version, lines }: VersionEffect,
  skipped: SkippedRecords,
): Steps<UndoConflict[]> {
  const conflicts: Record<'linking' | 'others', UndoConflict[]> = { linking: [], others: [] };
  const parents: number[] = [];
  for (const group of groupsOf(linesOf(lines, 'changed', transactions))) {
    const read = yield* withDiffs(bookId, version, group);
    const linking = read.filter((line) => names(line, linkColumns));
    const others = read.filter((line) => names(line, shared) && !names(line, linkColumns));
    const isLeft = (id: number): boolean => !skipped.has(transactions, { id });
    const linked = yield* linkedIds(bookId, others);
    for (const [kind, own, ids] of [
      ['linking', linking, linking.flatMap(idsOf)],
      ['others', others, linked],
    ] as const)
      conflicts[kind].push(...(yield* conflictsAmong(bookId, own, ids.filter(isLeft))));
    const split = linking.filter(({ diff }) => pairOf(diff, 'is_split_parent')?.[0] === false);
    parents.push(...split.flatMap(idsOf).filter(isLeft));
  }
  const parts = yield* laterParts(bookId, parents, lines);
  return [...conflicts.linking, ...conflicts.others, ...parts];
}

function names({ diff }: NetRecords, columns: readonly string[]): boolean {
  return columns.some((name) => name in diff!);
}

/** Returns the conflicts of some transactions of lines, by ascending ids. */
function* conflictsAmong(
  bookId: number,
  lines: readonly NetRecords[],
  ids: readonly number[],
): Steps<UndoConflict[]> {
  const conflicts: UndoConflict[] = [];
  for (const block of blocksOf(ids))
    for (const { id, line, before, after, now } of yield* statesOf(bookId, lines, block))
      if (now !== undefined)
        for (const column of conflicting(before!, after!, now, names(line, shared)))
          conflicts.push(conflictOf(id, column, 'changed since'));
  return conflicts;
}

/** Returns conflicts for transactions that were split by the version, and again since: they have other parts. */
function* laterParts(
  bookId: number,
  parents: readonly number[],
  lines: readonly NetRecords[],
): Steps<UndoConflict[]> {
  const made = linesOf(lines, 'made', transactions);
  const conflicts: UndoConflict[] = [];
  for (const block of blocksOf(parents)) {
    const parts = yield* rowsAs(
      { id: integer, split_parent_id: integer },
      sql`SELECT id, split_parent_id FROM transactions
        WHERE book_id = ${bookId} AND ${among(sql`split_parent_id`, block)} ORDER BY id`,
    );
    for (const { id, split_parent_id: parent } of parts)
      if (lineWith(made, id) === undefined)
        conflicts.push(conflictOf(id, 'split_parent_id', 'used since', parent));
  }
  return conflicts;
}

function pairOf(diff: NetRecords['diff'], name: string): readonly unknown[] | undefined {
  return diff?.[name] as readonly unknown[] | undefined;
}

function conflicting(
  before: TransactionRow,
  after: TransactionRow,
  now: TransactionRow,
  hasShared: boolean,
): string[] {
  const isLinked = (row: TransactionRow): boolean =>
    row.is_split_parent || row.split_parent_id !== null || row.group_parent_id !== null;
  const isDifferent = (name: keyof TransactionRow): boolean => now[name] !== after[name];
  const isRelinked = linkColumns.some((name) => before[name] !== after[name]);
  return [
    ...(hasShared && isLinked(now) ? linkColumns.filter(isDifferent) : []),
    ...(isRelinked && isLinked(before) ? shared.filter(isDifferent) : []),
  ];
}

/** Returns a conflict of a transaction, which blocks only `of`. */
function conflictOf(
  id: number,
  column: string | null,
  reason: UndoConflict['reason'],
  of = id,
): UndoConflict {
  const record = transactions.name;
  return { record, id, column, reason, blocked: [`${record} ${of}`] };
}

function linesOf(
  lines: readonly NetRecords[],
  kind: NetRecords['kind'],
  { name }: BookTable,
): readonly NetRecords[] {
  return lines.filter((line) => line.kind === kind && line.record === name);
}

/** Returns the ids of those transactions of lines that are split or grouped now, ascending. */
function* linkedIds(bookId: number, lines: readonly NetRecords[]): Steps<number[]> {
  const linked: number[] = [];
  for (const block of blocksOf(lines.flatMap(idsOf))) {
    const found = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM transactions WHERE book_id = ${bookId} AND ${among(sql`id`, block)}
        AND (is_split_parent = 1 OR split_parent_id IS NOT NULL OR group_parent_id IS NOT NULL)
        ORDER BY id`,
    );
    for (const { id } of found) linked.push(id);
  }
  return linked;
}

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
  for (const block of blocksOf(linesOf(lines, 'removed', transactions))) {
    if (conflicts.length >= most) break;
    const page = yield* withDiffs(bookId, version, block);
    const restored = page.map(({ firstId, diff }) => ({ id: firstId, ...diff }) as Imported);
    const imported = restored.filter(({ import_id }) => (import_id ?? null) !== null);
    const dates = imported.map(({ date }) => date as string);
    const added = yield* addedOn(bookId, dates, made, nameOf);
    for (const row of imported) {
      const key = keyOf(row, nameOf);
      const left = added.get(key) ?? 0;
      if (left > 0) conflicts.push(conflictOf(row.id, null, 'imported since'));
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
  const removed = linesOf(lines, 'removed', manualAccounts);
  const all = [
    ...(yield* select(manualAccounts, { book_id: bookId })),
    ...removed.map(({ diff }) => diff as Row<typeof manualAccounts>),
  ];
  return new Map(all.map(({ id: account, name }) => [account, nameKey(name)]));
}
