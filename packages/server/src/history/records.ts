import type { RecordKind } from '../book/record.ts';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import type { Values } from '../db/table.ts';
import { ledgerRecords } from '../ledger/records.ts';
import { connectionRecord } from '../sync/banks/record.ts';
import { manualCryptoRecord } from '../sync/crypto-manual/record.ts';
import { cryptoAccountRecord, cryptoBalanceRecord } from '../sync/crypto/record.ts';

/** All kinds of records of a book, for history, feed and webhooks. */
export const records: readonly RecordKind[] = [
  ...ledgerRecords,
  connectionRecord,
  cryptoAccountRecord,
  cryptoBalanceRecord,
  manualCryptoRecord,
];

const byTable = new Map(records.map((kind) => [kind.table.name, kind]));

/** Returns the kind of the records of a table, by its name. Throws for a table without one. */
export function kindOf(table: string): RecordKind {
  const kind = byTable.get(table);
  if (kind === undefined) throw new Error(`Records of the table "${table}" have no kind`);
  return kind;
}

/**
 * Returns the present form of the record of each change as JSON, or null where the record no longer exists.
 *
 * It needs a statement for each table and block of records. Run it on the snapshot of the changes.
 */
export function* presentValues(
  bookId: number,
  changes: readonly { readonly record: string; readonly id: number; readonly key: Values }[],
): Steps<(string | null)[]> {
  const values = new Map<string, string>();
  for (const [record, some] of Map.groupBy(changes, (change) => change.record)) {
    const { read } = kindOf(record);
    for (const ids of blocksOf([...new Set(some.map(({ id }) => id))]))
      for (const { key, json } of yield* read(bookId, ids)) values.set(`${record} ${key}`, json);
  }
  return changes.map(({ record, id, key }) => {
    const name = [record, id, ...Object.values(key)].join(' ');
    return values.get(name) ?? null;
  });
}
