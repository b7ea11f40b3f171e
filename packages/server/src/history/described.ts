import type { Effect } from '../book/version-records.ts';
import { rowsAfter } from '../book/earlier-rows.ts';
import { internalTables } from '../book/history.ts';
import { recordKey } from '../book/record-keys.ts';
import type { RecordKey } from '../book/record-keys.ts';
import { recordsOfVersion } from '../book/version-records.ts';
import type { Steps } from '../db/engine.ts';
import type { BookTable, Values } from '../db/table.ts';
import { bookTables } from '../db/tables/tables.ts';
import { shownColumns } from './column-forms.ts';

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

interface Keyed {
  readonly table: BookTable;
  readonly id: number;
  readonly key: Values;
}

/** Describes a part of the records of a version. */
export function* describeVersion(
  bookId: number,
  version: number,
  part: { readonly limit: number; readonly offset: number },
): Steps<VersionDescription> {
  const page = { ...part, without: internalTables };
  const effects = yield* recordsOfVersion(bookId, version, page);
  const changed = effects.filter(({ kind }) => kind === 'changed');
  const rows = yield* rowsAfter(bookId, version, changed);
  const records = effects.map((effect) => describe(effect, rows));
  const named = yield* namesOf(bookId, version, referencesOf(effects));
  return {
    records,
    nameOf: (record, column, id) => {
      const target = referenceOf(tableOf(record), column);
      return target === null ? null : (named.get(recordKey(target, { id })) ?? null);
    },
  };
}

const debits: readonly string[] = ['transactions', 'recurring_items'];

function describe(
  { table, id, kind, before, after, key }: Effect,
  rows: ReadonlyMap<RecordKey, Values>,
): DescribedRecord {
  const row = kind === 'changed' ? rows.get(recordKey(table, key)) : (after ?? before);
  return {
    record: table.name,
    id,
    isDebit: debits.includes(table.name),
    row: shownColumns(table, row ?? {}),
  };
}

function tableOf(name: string): BookTable | undefined {
  return bookTables.find((table) => table.name === name);
}

/** The table of the record that a column refers to. */
function referenceOf(table: BookTable | undefined, column: string): BookTable | null {
  const name = column === 'tag_ids' ? 'tags' : table?.columns[column]?.references;
  return (name === undefined ? undefined : tableOf(name)) ?? null;
}

function referencesOf(effects: readonly Effect[]): Keyed[] {
  const found = new Map<RecordKey, Keyed>();
  for (const { table, before, after, key } of effects)
    for (const [column, value] of [before, after, key].flatMap((row) =>
      Object.entries(row ?? {}),
    )) {
      const target = referenceOf(table, column);
      if (target === null || value === null) continue;
      const ids =
        column === 'tag_ids' ? (JSON.parse(value as string) as number[]) : [value as number];
      for (const id of ids)
        found.set(recordKey(target, { id }), { table: target, id, key: { id } });
    }
  return [...found.values()];
}

/** Returns the names that records had after a version, or else before it. */
function* namesOf(
  bookId: number,
  version: number,
  records: readonly Keyed[],
): Steps<ReadonlyMap<RecordKey, string>> {
  const names = new Map<RecordKey, string>();
  for (const each of [version - 1, version])
    for (const [key, row] of yield* rowsAfter(bookId, each, records)) {
      const name = row['display_name'] ?? row['name'] ?? row['payee'] ?? row['description'];
      if (typeof name === 'string') names.set(key, name);
    }
  return names;
}
