import { randomBytes } from 'node:crypto';
import type { Steps } from '../db/engine.ts';
import { accountIdOf, sharedId, type ResolvedEntry } from './comparison.ts';
import type { ExistingRows } from './existing-rows.ts';

/** Numbers for each id: two halves of its hash, and its line; 0 for a free place. */
const width = 3;

/**
 * The lines on which a file first used ids. Keeps 64 bits of a hash instead of each id, so a million ids take about
 * 40 MB instead of 200. For two of a million ids, the chance of one hash is less than one in a million.
 */
export class IdLines {
  // With seeds that a file cannot know, it cannot be made to have many ids of one hash.
  readonly #seeds = randomBytes(8);
  #places = new Int32Array(16 * width);
  #count = 0;

  /** Keeps the line of an id, from 1. Returns the line that the id had already; undefined if it is the first. */
  add(id: string, line: number): number | undefined {
    if (this.#count * width * 4 > this.#places.length * 3) this.#grow();
    const [low, high] = this.#hashOf(id);
    const at = placeOf(this.#places, low, high);
    const known = this.#places[at + 2]!;
    if (known !== 0) return known;
    this.#places.set([low, high, line], at);
    this.#count += 1;
    return undefined;
  }

  has(id: string): boolean {
    const [low, high] = this.#hashOf(id);
    return this.#places[placeOf(this.#places, low, high) + 2] !== 0;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += width)
      if (before[at + 2] !== 0) {
        const place = placeOf(this.#places, before[at]!, before[at + 1]!);
        this.#places.set(before.subarray(at, at + width), place);
      }
  }

  #hashOf(id: string): [low: number, high: number] {
    let [low, high] = [this.#seeds.readInt32LE(0), this.#seeds.readInt32LE(4)];
    for (let at = 0; at < id.length; at += 1) {
      const code = id.charCodeAt(at);
      low = Math.imul(low ^ code, 0x2c9277b5);
      low ^= low >>> 15;
      high = Math.imul((high << 13) | (high >>> 19), 0x5f356495) + code;
    }
    return [mixed(low), mixed(high)];
  }
}

/** Returns the index of the place that has a hash, or else of the free one for it. */
function placeOf(places: Int32Array, low: number, high: number): number {
  const count = places.length / width;
  let at = (low >>> 0) % count;
  while (places[at * width + 2] !== 0) {
    if (places[at * width] === low && places[at * width + 1] === high) break;
    at = (at + 1) % count;
  }
  return at * width;
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  const twice = Math.imul(once ^ (once >>> 15), 0x735a2d97);
  return twice ^ (twice >>> 15);
}

/** The ids that a file has, by account. */
export class IdsOfFile {
  /** The line on which the file first used an id, by account. */
  readonly #lines = new Map<number | null, IdLines>();

  /** Notes an id of the file. Returns the line that first used it; undefined if this is the first. */
  use(externalId: string, accountId: number | null, line: number): number | undefined {
    let lines = this.#lines.get(accountId);
    if (lines === undefined) {
      lines = new IdLines();
      this.#lines.set(accountId, lines);
    }
    return lines.add(externalId, line);
  }

  has(externalId: string, accountId: number | null): boolean {
    return this.#lines.get(accountId)?.has(externalId) === true;
  }
}

/** Chooses free ids for new transactions. */
export class FreeIds {
  readonly #existing: ExistingRows;
  readonly #idsOfFile: () => Steps<IdsOfFile>;
  /** Ids that entries got because their own were in use. */
  readonly #given = new Set<string>();

  /** `idsOfFile` is called when an id of an entry is in use. */
  constructor(existing: ExistingRows, idsOfFile: () => Steps<IdsOfFile>) {
    this.#existing = existing;
    this.#idsOfFile = idsOfFile;
  }

  /** Returns the id for a new entry: its own, if it is free. `isUsed`: the account has rows under the bank's id. */
  *newId(entry: ResolvedEntry, isUsed: boolean): Steps<string> {
    const { raw, bankId } = entry;
    const externalId = entry.externalId!;
    if (isUsed && entry.ofId === null) yield* this.#existing.readIds([entry]);
    // The id of a transaction that is deleted, or in another account, is free.
    const here = entry.ofId?.filter(({ edit }) => edit?.now !== null);
    const taken = new Set(here?.map((row) => row.externalId));
    const accountId = accountIdOf(entry);
    const isGiven = (id: string): boolean => this.#given.has(keyOf(id, accountId));
    if (!taken.has(externalId) && !isGiven(externalId)) return externalId;
    const ofFile = yield* this.#idsOfFile();
    for (let { nth } = bankId!; ; nth += 1) {
      const id = sharedId({ ...bankId!, nth }, raw);
      const key = keyOf(id, accountId);
      if (taken.has(id) || isGiven(id) || ofFile.has(id, accountId)) continue;
      this.#given.add(key);
      return id;
    }
  }
}

function keyOf(id: string, accountId: number | null): string {
  return `${accountId ?? ''} ${id}`;
}
