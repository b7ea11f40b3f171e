import type { BookTable } from '../db/table.ts';
import type { Diff, LoggedRecords } from './log.ts';

/** A range of ids, both ends inclusive. */
export interface IdRange {
  readonly firstId: number;
  readonly lastId: number;
}

/** A range of created records, and when it was noted. */
interface MadeRange extends IdRange {
  readonly order: number;
}

/**
 * The ids of the records of a table that were created, changed or removed after a version. Its lines are noted oldest
 * first, then {@link finish} is called once.
 */
export class ChangedIds {
  readonly #table: BookTable;
  readonly #isSingleKey: boolean;
  #made: MadeRange[] = [];
  /** When a record was first changed or removed. */
  #orders = new Map<number, number>();
  #order = 0;
  #ranges: LoggedRecords[] = [];
  readonly #diffs = new Map<string, Diff>();
  #existing = new Float64Array();

  constructor(table: BookTable) {
    this.#table = table;
    this.#isSingleKey = table.key.length === 1;
  }

  note(line: LoggedRecords): void {
    const { kind, firstId, lastId } = line;
    const order = (this.#order += 1);
    if (lastId > firstId) this.#ranges.push({ ...line, diff: this.#shared(line.diff) });
    // With a longer key, other records with the same id may have existed.
    if (kind === 'made' && this.#isSingleKey) this.#made.push({ firstId, lastId, order });
    else
      for (let id = firstId; id <= lastId; id += 1)
        if (!this.#orders.has(id)) this.#orders.set(id, order);
  }

  finish(): void {
    const ids = Float64Array.from(this.#orders.keys()).sort();
    const made = this.#made.toSorted((a, b) => a.firstId - b.firstId);
    this.#existing = ids.slice(0, this.#keepExisting(ids, made));
    this.#made = merged(made);
    this.#orders = new Map();
  }

  /** Returns these ids together with `later`, which was noted from the lines after the last one here. */
  and(later: ChangedIds): ChangedIds {
    if (later.isEmpty) return this;
    const both = new ChangedIds(this.#table);
    both.#order = this.#order + later.#order;
    // What did not exist at the version was created since, so it is among the ids that are known here.
    const added = later.#existing.filter((id) => !this.has(id));
    both.#existing = joined(this.#existing, added);
    both.#made = merged([...this.#made, ...later.#made].toSorted((a, b) => a.firstId - b.firstId));
    both.#ranges = [...this.#ranges, ...later.#ranges];
    return both;
  }

  /** The ids of the records that existed at the version and were changed or removed since, ascending. */
  get existing(): Float64Array {
    return this.#existing;
  }

  /** True if nothing was created, changed or removed. */
  get isEmpty(): boolean {
    return this.#order === 0;
  }

  /** Ranges of ids that were created since, ascending. */
  get made(): readonly Pick<MadeRange, 'firstId' | 'lastId'>[] {
    return this.#made;
  }

  /** Whether a record was created, changed or removed. */
  has(id: number): boolean {
    const ids = this.#existing;
    if (ids[placeOf(ids.length, (at) => ids[at]! < id)] === id) return true;
    const made = this.#made;
    const range = made[placeOf(made.length, (at) => made[at]!.lastId < id)];
    return range !== undefined && range.firstId <= id;
  }

  /** Returns the lines about several records, once for each of the ids among them. */
  rangesOver(ids: readonly number[]): { id: number; line: LoggedRecords }[] {
    const sorted = ids.toSorted((a, b) => a - b);
    const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
    const found: { id: number; line: LoggedRecords }[] = [];
    for (const line of this.#ranges) {
      if (line.lastId < least || line.firstId > most) continue;
      const start = placeOf(sorted.length, (at) => sorted[at]! < line.firstId);
      for (let at = start; at < sorted.length && sorted[at]! <= line.lastId; at += 1)
        found.push({ id: sorted[at]!, line });
    }
    return found;
  }

  /** Moves the ids that were not created before to the start, and returns how many they are. */
  #keepExisting(ids: Float64Array, made: readonly MadeRange[]): number {
    let kept = 0;
    let next = 0;
    let open: MadeRange[] = [];
    for (const id of ids) {
      while (next < made.length && made[next]!.firstId <= id) open.push(made[next++]!);
      if (open.some(({ lastId }) => lastId < id)) open = open.filter(({ lastId }) => lastId >= id);
      const order = this.#orders.get(id)!;
      if (!open.some((range) => range.order < order)) ids[kept++] = id;
    }
    return kept;
  }

  /** Many lines have the same diff, which is kept once. */
  #shared(diff: Diff | null): Diff | null {
    if (diff === null) return null;
    const text = JSON.stringify(diff);
    const known = this.#diffs.get(text) ?? diff;
    this.#diffs.set(text, known);
    return known;
  }
}

/** Returns the ids of both lists, ascending. */
function joined(ids: Float64Array, others: Float64Array): Float64Array<ArrayBuffer> {
  const all = new Float64Array(ids.length + others.length);
  all.set(ids);
  all.set(others, ids.length);
  return all.sort();
}

/** Merges ranges that overlap or follow each other. They are sorted by their first ids. */
export function merged<R extends IdRange>(ranges: readonly R[]): R[] {
  const all: R[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last === undefined || last.lastId + 1 < range.firstId) all.push(range);
    else if (last.lastId < range.lastId) all[all.length - 1] = { ...last, lastId: range.lastId };
  }
  return all;
}

/** Returns the first of `length` places for which `isBefore` is false, by bisection. */
export function placeOf(length: number, isBefore: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
