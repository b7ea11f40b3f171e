import sql, { join } from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import type { NetRecords, VersionEffect } from '../book/net.ts';
import type { SkippedRecords } from '../book/skipped-records.ts';
import type { UndoConflict } from '../book/undo-conflicts.ts';
import type { Steps } from '../db/engine.ts';
import { find, rowAs, rowsAs, select } from '../db/rows.ts';
import { integer, text, type Values } from '../db/table.ts';
import { bookSettings, books, bookTables, transactions } from '../db/tables/tables.ts';
import { ratesOf } from './currencies/actions.ts';
import { pricedTables, withoutPrice } from './currency-change.ts';
import { rerateRecords } from './rerate.ts';
import { revalueSome } from './transactions/rerate.ts';

/** An undo across a change of the primary currency: what it restores, or what changed since, may have other values. */
export interface CurrencyUndo {
  /** Whether the undone version is such a change. */
  readonly isOfCurrency: boolean;
  /** The records to value again, by tables and the first columns of their keys. */
  readonly stale: ReadonlyMap<string, Set<number>>;
}

const valuedTables = bookTables.filter(({ columns }) => 'to_base' in columns);

/** Returns what an undo of a version must value again; null if the primary currency is the same since before it. */
export function* currencyUndoOf(
  bookId: number,
  { version, lines }: VersionEffect,
): Steps<CurrencyUndo | null> {
  const isOfCurrency = lines.some(({ record }) => record === bookSettings.name);
  if (isOfCurrency) return { isOfCurrency, stale: idsOf(yield* valuedSince(bookId, version)) };
  const later = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changed_records
      WHERE book_id = ${bookId} AND record = ${bookSettings.name} AND version > ${version} LIMIT 1`,
  );
  return later === undefined ? null : { isOfCurrency, stale: idsOf(lines) };
}

/** Whether a version changed the primary currency. */
export function* isOfCurrency(bookId: number, version: number): Steps<boolean> {
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND record = ${bookSettings.name} LIMIT 1`,
  );
  return found !== undefined;
}

/** Whether a conflict is none across a change of the currency: the record is valued again, or needs no value. */
export function isValuedAgain({ record }: UndoConflict): boolean {
  return record !== bookSettings.name;
}

type Ids = Pick<NetRecords, 'record' | 'firstId' | 'lastId'>;

/** Returns the records that got another value after a version, or were created or removed. */
function* valuedSince(bookId: number, version: number): Steps<Ids[]> {
  const names = valuedTables.map(({ name }) => name);
  return yield* rowsAs(
    { record: text, firstId: integer, lastId: integer },
    sql`SELECT record, first_id AS "firstId", last_id AS "lastId" FROM changed_records
      WHERE book_id = ${bookId} AND version > ${version} AND record IN (${join(names)})
        AND (kind <> 'changed' OR diff LIKE '%"to_base":%')`,
  );
}

function idsOf(lines: readonly Ids[]): Map<string, Set<number>> {
  const found = new Map(valuedTables.map(({ name }) => [name, new Set<number>()]));
  for (const { record, firstId, lastId } of lines) {
    const ids = found.get(record);
    for (let id = firstId; ids !== undefined && id <= lastId; id += 1) ids.add(id);
  }
  return found;
}

/**
 * Values records again after an undo, with those that it kept: at the current rates, and without a rate as 0. Values of
 * cryptocurrencies are unknown until their price is read again.
 */
export function* valueAgain(
  change: Change,
  { stale }: CurrencyUndo,
  skipped: SkippedRecords,
): Steps<void> {
  yield* change.updateDerived();
  for (const table of valuedTables)
    for (const id of skipped.allOf(table)) stale.get(table.name)!.add(id);
  const book = yield* find(books, { id: change.bookId });
  const rating = {
    rates: yield* ratesOf(),
    primaryCurrency: book!.primary_currency,
    since: '',
    isNewCurrency: true,
    only: stale,
  };
  yield* revalueSome(change, rating, stale.get(transactions.name)!);
  yield* rerateRecords(change, rating);
  for (const table of pricedTables)
    for (const row of yield* select(table, { book_id: change.bookId })) {
      const { [table.key[0]!]: id } = row as Values;
      if (stale.get(table.name)!.has(id as number)) yield* change.update(table, row, withoutPrice);
    }
}
