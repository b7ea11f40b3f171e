import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import type { NewRow, Table } from '../../db/table.ts';

/** The creation time of all records, so that the demo book is always the same. */
export const madeAt = '2026-11-01T12:00:00.000Z';
export const made = { created_at: madeAt, updated_at: madeAt };
/** The name of the user. */
export const linkedBy = 'Demo';

/** The ids of the accounts of a demo book in the database, by their index in the demo book. */
export interface AccountIds {
  readonly manualAccounts: readonly number[];
  readonly plaidAccounts: readonly number[];
  readonly manualCrypto: readonly number[];
  readonly syncedCrypto: readonly number[];
}

/** The ids of the records that others refer to, by their index in the demo book. */
export interface DemoIds extends AccountIds {
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

/** Inserts records one after the other and returns their ids. A record may refer to those before it. */
export function* insertEach<R, T extends Table<'book'>>(
  change: Change,
  table: T,
  records: readonly R[],
  toRow: (record: R, idsBefore: readonly number[]) => NewRow<T>,
): Steps<number[]> {
  const ids: number[] = [];
  for (const record of records) {
    const inserted = yield* change.insert(table, toRow(record, ids));
    ids.push(inserted['id'] as number);
  }
  return ids;
}

/** Returns the id of a record by its index, or null for none. */
export function idAt(ids: readonly number[], index: number | null): number | null {
  return index === null ? null : (ids[index] ?? null);
}
