import { rowsAfter, type KeyedRecord } from './earlier-rows.ts';
import { tableOf, recordKey, type RecordKey } from '../book/net.ts';
import { referencesOf } from '../book/references.ts';
import { recordsOfVersion, type Effect } from './effects.ts';
import type { Steps } from '../db/engine.ts';
import type { BookTable, Column, Values } from '../db/table.ts';
import { kindOf } from './records.ts';

/** What a person wants to read about a record of a version, in addition to its columns. */
export interface DescribedRecord {
  readonly record: string;
  readonly id: number;
  /** The whole record after the change; of a deleted one, before it. */
  readonly row: Values;
  /** Whether the amounts of the table are debits: a payment is positive. */
  readonly isDebit: boolean;
}

/** The records of a part of a version, and the names of those that they refer to. */
export interface VersionDescription {
  readonly records: readonly DescribedRecord[];
  /** Returns the name of the record that an id in a column refers to; null if it has none. */
  readonly nameOf: (record: string, column: string, id: unknown) => string | null;
}

/** Describes a part of the records of a version. */
export function* describeVersion(
  bookId: number,
  version: number,
  part: { readonly limit: number; readonly offset: number },
): Steps<VersionDescription> {
  const effects = yield* recordsOfVersion(bookId, version, part);
  const changed = effects.filter(({ kind }) => kind === 'changed');
  const rows = yield* rowsAfter(bookId, version, changed);
  const records = effects.map((effect) => describe(effect, rows));
  const named = yield* namesOf(bookId, version, namedBy(effects));
  return {
    records,
    nameOf: (record, column, id) => {
      const target = targetOf(tableOf(record).columns[column]);
      return target === null ? null : (named.get(recordKey(target, { id })) ?? null);
    },
  };
}

function describe(
  { table, id, kind, before, after, key }: Effect,
  rows: ReadonlyMap<RecordKey, Values>,
): DescribedRecord {
  const row = kind === 'changed' ? rows.get(recordKey(table, key)) : (after ?? before);
  const { isDebit, shownColumns } = kindOf(table.name);
  return { record: table.name, id, isDebit, row: shownColumns(row ?? {}) };
}

/** The table of the one record that a column refers to, or of those that its list of tags names. */
function targetOf(column: Column | undefined): BookTable | null {
  const name =
    column?.references ?? (column?.named?.tables.length === 1 ? column.named.tables[0] : undefined);
  return name === undefined ? null : tableOf(name);
}

function namedBy(effects: readonly Effect[]): KeyedRecord[] {
  const found = new Map<RecordKey, KeyedRecord>();
  for (const { table, before, after, key } of effects)
    for (const row of [before, after, key])
      for (const [name, value] of Object.entries(row ?? {})) {
        const target = targetOf(table.columns[name]);
        if (target === null) continue;
        for (const [, id] of referencesOf(table.columns[name], value))
          found.set(recordKey(target, { id }), { table: target, id, key: { id } });
      }
  return [...found.values()];
}

/** Returns the names that records had after a version, or else before it. */
function* namesOf(
  bookId: number,
  version: number,
  records: readonly KeyedRecord[],
): Steps<ReadonlyMap<RecordKey, string>> {
  const names = new Map<RecordKey, string>();
  for (const each of [version - 1, version])
    for (const [key, row] of yield* rowsAfter(bookId, each, records)) {
      const name = row['display_name'] ?? row['name'] ?? row['payee'] ?? row['description'];
      if (typeof name === 'string') names.set(key, name);
    }
  return names;
}
