import { isId } from '@coffer/core/ids';
import { nameKey, quote } from '@coffer/core/text';
import type { Table, Values } from '../../db/table.ts';
import { manualAccounts, transactions } from '../../db/tables/tables.ts';
import {
  archivedTables,
  deletedAccounts,
  deletedTransactions,
  isNumbered,
  lastId,
  namesDeleted,
  referenceOf,
  type Manifest,
} from './format.ts';
import { ArchiveError, readArchive } from './read-archive.ts';

/** What an archive has, after all of it was read and checked. */
export interface ExaminedArchive {
  readonly manifest: Manifest;
  /** The ids of the records by the names of their tables. */
  readonly numbers: ReadonlyMap<string, Numbering>;
  /** How many records each table has. */
  readonly records: Readonly<Record<string, number>>;
  readonly files: number;
  /** How many attached files have a record, but no content. */
  readonly withoutContent: number;
}

/** Transactions refer to each other in both directions; other records to those before them. */
const ownTables: readonly string[] = [transactions.name, 'categories'];

/**
 * Reads a whole archive, and checks that every record that another one names is there, once. Some 16 bytes for each
 * record are in memory, and the ids of deleted accounts, which are few. Throws an {@link ArchiveError}.
 */
export async function examineArchive(path: string): Promise<ExaminedArchive> {
  let manifest: Manifest | undefined;
  const numbered = archivedTables.filter(isNumbered).map(({ name }) => name);
  const numbers = new Map(
    [...numbered, deletedTransactions, deletedAccounts].map((name) => [name, new Numbering()]),
  );
  const records: Record<string, number> = {};
  const names = new Map(archivedTables.map(({ name }) => [name, new Set<string>()]));
  /** The ids of deleted manual accounts, in any order. */
  const gone = new Set<number>();
  const forward: Forward = new Map(ownTables.map((name) => [name, new Map<number, string>()]));
  let files = 0;
  let withoutContent = 0;
  /** The files whose records were not read yet. */
  const waiting = new Set<number>();
  for await (const part of readArchive(path)) {
    if ('manifest' in part) manifest = part.manifest;
    else if ('fileId' in part) {
      files += 1;
      // The next batch of records has its record.
      if (waiting.size > 0)
        throw new ArchiveError(`The attached file ${[...waiting][0]} has no record after it`);
      waiting.add(part.fileId);
    } else {
      const { table, row, place } = part;
      records[table.name] = (records[table.name] ?? 0) + 1;
      const id = row['id'] as number;
      forward.get(table.name)?.delete(id);
      if (isNumbered(table) && !numbers.get(table.name)!.add(id))
        throw new ArchiveError(
          `${place}: the id ${id} of ${table.name} is not above the one before`,
        );
      if (table.name === 'transaction_files' && !waiting.delete(id)) withoutContent += 1;
      checkNames(part, names.get(table.name)!);
      checkReferences(part, numbers, { forward, gone });
    }
  }
  const [left] = waiting;
  if (left !== undefined) throw new ArchiveError(`The attached file ${left} has no record`);
  for (const [sentence] of [...forward.values()].map((each) => each.values()))
    if (sentence !== undefined) throw new ArchiveError(sentence);
  for (const id of [...gone].toSorted((a, b) => a - b)) numbers.get(deletedAccounts)!.add(id);
  return { manifest: manifest!, numbers, records, files, withoutContent };
}

/** References to records that come later: by table and id, the sentence for one that does not. */
type Forward = ReadonlyMap<string, Map<number, string>>;

/** A record, and where it is in the archive. */
interface Placed {
  readonly table: Table;
  readonly row: Values;
  readonly place: string;
}

/** Names that are unique in a book are of tables that have few records. */
function checkNames({ table, row, place }: Placed, names: Set<string>): void {
  for (const column of table.unique) {
    const name = row[column] as string;
    if (names.has(nameKey(name)))
      throw new ArchiveError(
        `${place}: another record of ${table.name} has the ${column} ${quote(name)}`,
      );
    names.add(nameKey(name));
  }
}

function checkReferences(
  { table, row, place }: Placed,
  numbers: ReadonlyMap<string, Numbering>,
  { forward, gone }: { readonly forward: Forward; readonly gone: Set<number> },
): void {
  for (const [column, to, id] of namedBy(table, row, place)) {
    if (numbers.get(to)?.has(id) === true) continue;
    if (namesDeleted(table, column, to) && isId(id) && id <= lastId) {
      const deleted = to === manualAccounts.name ? gone : numbers.get(deletedTransactions)!;
      if (deleted.add(id) !== false) continue;
    }
    const sentence =
      `${place}: the ${column} of this record of ${table.name} names ${to} ${quote(String(id))}, ` +
      'which the archive does not have';
    const later = to === table.name ? forward.get(to) : undefined;
    if (later === undefined) throw new ArchiveError(sentence);
    later.set(id, sentence);
  }
  for (const columns of table.exclusive)
    if (columns.filter((name) => (row[name] ?? null) !== null).length > 1)
      throw new ArchiveError(`${place}: this record of ${table.name} has ${columns.join(' and ')}`);
}

/** Yields the records that a row names: the column, the table and the id. */
function* namedBy(
  table: Table,
  row: Values,
  place: string,
): Generator<readonly [column: string, table: string, id: number]> {
  for (const [column, { named }] of Object.entries(table.columns)) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    const to = referenceOf(table, column);
    if (to !== undefined) yield [column, to, value as number];
    if (named === undefined) continue;
    let found: readonly (readonly [string, number])[];
    try {
      found = named.in(value as string);
    } catch {
      throw new ArchiveError(`${place}: invalid ${column} of ${table.name}`);
    }
    for (const [name, id] of found) yield [column, name, id];
  }
}

/** The ids of the records of a table in an archive, ascending, and the new id of each. Sixteen bytes a record. */
export class Numbering {
  #old = new Float64Array(1024);
  #new = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The greatest id in the archive; 0 if there is none. */
  get last(): number {
    return this.#length === 0 ? 0 : this.#old[this.#length - 1]!;
  }

  /** Adds an id, which is its new id too until another one is set. Returns false if it is not above the last one. */
  add(id: number): boolean {
    if (id <= this.last) return false;
    if (this.#length === this.#old.length) {
      this.#old = doubled(this.#old);
      this.#new = doubled(this.#new);
    }
    this.#old[this.#length] = id;
    this.#new[this.#length] = id;
    this.#length += 1;
    return true;
  }

  has(id: number): boolean {
    return this.#placeOf(id) !== undefined;
  }

  /** Returns the new id; undefined if the archive has no such record. */
  newId(id: number): number | undefined {
    const place = this.#placeOf(id);
    return place === undefined ? undefined : this.#new[place];
  }

  set(id: number, newId: number): void {
    this.#new[this.#placeOf(id)!] = newId;
  }

  /** Gives consecutive new ids, from `first` on, to the records from a place on. Returns the place after them. */
  setFrom(place: number, first: number, count: number): number {
    const end = Math.min(this.#length, place + count);
    for (let at = place; at < end; at += 1) this.#new[at] = first + at - place;
    return end;
  }

  #placeOf(id: number): number | undefined {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#old[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low < this.#length && this.#old[low] === id ? low : undefined;
  }
}

function doubled(ids: Float64Array): Float64Array<ArrayBuffer> {
  const all = new Float64Array(2 * ids.length);
  all.set(ids);
  return all;
}
