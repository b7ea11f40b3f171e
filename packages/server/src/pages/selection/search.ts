import sql, { empty } from 'sql-template-tag';
import { partsOf, type SumParts } from '../../db/derived-tables.ts';
import { bytesOf, dialectOf, type Steps } from '../../db/engine.ts';
import { dayOf, unwrittenOf } from '../../db/follow-search.ts';
import {
  asBytes,
  blockRows,
  joinedBlock,
  mapLength,
  packBlock,
  readBlock,
  zeros,
} from '../../db/search-blocks.ts';
import type { Column, SearchBlock } from '../../db/search-blocks.ts';
import { dateRange, shownKinds, type RowKey } from '../filter.ts';
import type { Selection } from './query.ts';

/** Shorter words match only where a word of a text begins: in the middle they would match almost every text. */
const shortest = 3;
/** Blocks that are read at once: 2 MB. */
const blocksAtOnce = 64;

/** What a row must be, besides having the words. */
interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly kinds: ReturnType<typeof shownKinds>;
  /** Of the amount without its sign. */
  readonly least: number;
  readonly most: number;
}

function wantedOf(selection: Selection): Wanted {
  const { start_date, end_date } = dateRange(selection);
  const { min_amount: least = 0, max_amount: most = Infinity } = selection;
  const [from, to] = [dayOf(start_date), dayOf(end_date)];
  return { from, to, kinds: shownKinds(selection), least, most };
}

/**
 * Returns the rows that have all words of a selection, of its dates, kinds and amounts; no other filter is compared.
 *
 * It looks through the words of all blocks in the range of dates, and through the rows that changed since the blocks
 * were written. Throws a DerivedOutdatedError if these are too many.
 */
export function* search(bookId: number, selection: Selection): Steps<Found> {
  const { ids: stale, rows } = yield* unwrittenOf(bookId);
  const wanted = wantedOf(selection);
  const parts = partsOfWords(selection);
  const found = new Found();
  const { hasParts, joinedBytes } = yield* dialectOf();
  const having = hasParts(
    'words',
    parts.map((part) => Buffer.from(part, 'latin1')),
  );
  let [after, isRare] = [-1, false];
  for (let blocks: Buffer[] = []; ;) {
    const next = sql`SELECT ${joinedBytes('block', 'words')} FROM search_blocks
      WHERE book_id = ${bookId} AND first_id > ${after} AND first_day <= ${wanted.to} AND last_day >= ${wanted.from}
        ${isRare ? having : empty} ORDER BY first_id LIMIT ${blocksAtOnce}`;
    blocks = yield* bytesOf(next, { spare: blocks });
    let holding = 0;
    for (const bytes of blocks) {
      const block = readBlock(bytes);
      after = idAt(block, block.count - 1);
      if (searchBlock(block, parts, wanted, stale, found)) holding += 1;
    }
    if (blocks.length < blocksAtOnce) break;
    // The database looks for a rare word in less time than it takes to read the blocks.
    isRare ||= holding < blocksAtOnce / 2;
  }
  for (let at = 0; at < rows.length; at += blockRows)
    searchBlock(
      readBlock(joinedBlock(packBlock(rows.slice(at, at + blockRows)))),
      parts,
      wanted,
      none,
      found,
    );
  return found;
}

const none: ReadonlySet<number> = new Set();

/** Returns what a word of a row must contain for each searched word, the longest, probably the rarest, first. */
function partsOfWords({ words }: Selection): string[] {
  const parts = words.map((word) => asBytes([...word].length < shortest ? ` ${word}` : word));
  return parts.toSorted((a, b) => b.length - a.length);
}

function idAt({ ids }: SearchBlock, place: number): number {
  return ids.base + ids.values[place]! + place;
}

/** The places of found rows of a block. */
const places = new Int32Array(blockRows);

/** Adds the rows of a block that have all parts, and are what is wanted. Returns whether its words have them. */
function searchBlock(
  block: SearchBlock,
  parts: readonly string[],
  wanted: Wanted,
  stale: ReadonlySet<number>,
  found: Found,
): boolean {
  if (!parts.every((part) => block.words.includes(part))) return false;
  const count = placesWith(block, parts);
  found.addAll(block, wantedPlaces(block, count, wanted, stale));
  return true;
}

/** A bit for each row of a block: those with a part, and those with all parts. */
const having = new Uint16Array(mapLength);
const havingAll = new Uint16Array(mapLength);

/** Writes the places of the rows that have all parts. Returns how many there are. */
function placesWith(block: SearchBlock, parts: readonly string[]): number {
  havingAll.fill(0xffff);
  for (const part of parts) {
    having.fill(0);
    addHolders(block, part);
    for (let at = 0; at < mapLength; at += 1) havingAll[at]! &= having[at]!;
  }
  let count = 0;
  for (let at = 0; at < mapLength; at += 1)
    for (let bits = havingAll[at]!; bits !== 0; bits &= bits - 1) {
      places[count] = 16 * at + 31 - Math.clz32(bits & -bits);
      count += 1;
    }
  return count;
}

/** Adds the rows with a word that has a part to {@link having}. */
function addHolders({ words, lengths, holders, places: all }: SearchBlock, part: string): void {
  let [word, end, first] = [0, lengths.base + lengths.values[0]!, 0];
  for (let at = words.indexOf(part); at !== -1; at = words.indexOf(part, end)) {
    let length = Math.min(holders.base + holders.values[word]!, mapLength);
    while (end <= at) {
      word += 1;
      first += length;
      end += lengths.base + lengths.values[word]!;
      length = Math.min(holders.base + holders.values[word]!, mapLength);
    }
    if (length === mapLength)
      for (let bit = 0; bit < mapLength; bit += 1) having[bit]! |= all[first + bit]!;
    else
      for (let place = first; place < first + length; place += 1)
        having[all[place]! >> 4]! |= 1 << (all[place]! & 15);
  }
}

/** Returns those of the first `count` places whose rows are what is wanted. */
function wantedPlaces(
  block: SearchBlock,
  count: number,
  { from, to, kinds: { mask, bits }, least, most }: Wanted,
  stale: ReadonlySet<number>,
): Int32Array {
  const { days, kinds, amounts } = block;
  const areAll = (kinds.base & mask) === bits && kinds.values === zeros;
  const ofKind = (place: number): boolean => ((kinds.base + kinds.values[place]!) & mask) === bits;
  let kept = 0;
  for (let at = 0; at < count; at += 1) {
    const place = places[at]!;
    const day = days.base + days.values[place]!;
    if (day < from || day > to || !(areAll || ofKind(place))) continue;
    if (least > 0 || most < Infinity) {
      const amount = Math.abs(amounts.base + amounts.values[place]!);
      if (amount < least || amount > most) continue;
    }
    if (stale.size > 0 && stale.has(idAt(block, place))) continue;
    places[kept] = place;
    kept += 1;
  }
  return places.subarray(0, kept);
}

/** The number and the sum of the found rows of a day. */
export interface DaySum extends SumParts {
  readonly date: string;
  readonly count: number;
}

/** Found rows, by columns: a search may find every row of a book. */
export class Found {
  #size = 0;
  #ids = new Float64Array(256);
  #days = new Int32Array(256);
  #toBase = new Float64Array(256);
  #amounts = new Float64Array(256);

  get size(): number {
    return this.#size;
  }

  get ids(): Float64Array {
    return this.#ids.subarray(0, this.#size);
  }

  /** Adds the rows at some places of a block. */
  addAll({ ids, days, toBase, amounts }: SearchBlock, of: Int32Array): void {
    const size = this.#size + of.length;
    while (size > this.#ids.length) this.#grow();
    copyValues(ids, of, this.#ids, this.#size);
    for (let at = 0; at < of.length; at += 1) this.#ids[this.#size + at]! += of[at]!;
    copyValues(days, of, this.#days, this.#size);
    copyValues(toBase, of, this.#toBase, this.#size);
    copyValues(amounts, of, this.#amounts, this.#size);
    this.#size = size;
  }

  /** Returns those whose ids are among some sorted ids. */
  among(ids: Float64Array): Found {
    const some = new Found();
    for (let at = 0; at < this.#size; at += 1)
      if (hasNumber(ids, this.#ids[at]!)) some.#copy(this, at);
    return some;
  }

  /** Returns the keys as `date` and `id`. */
  keys(): RowKey[] {
    return Array.from(this.ids, (id, at) => ({ date: dateOf(this.#days[at]!), id }));
  }

  /** Returns the number and the sum of the rows of each day, newest first. */
  daySums(): DaySum[] {
    const byDay = new Map<number, { count: number; high: number; low: number }>();
    let [last, sum] = [-1, { count: 0, high: 0, low: 0 }];
    for (let at = 0; at < this.#size; at += 1) {
      const day = this.#days[at]!;
      if (day !== last) {
        last = day;
        sum = byDay.get(day) ?? { count: 0, high: 0, low: 0 };
        byDay.set(day, sum);
      }
      const { high, low } = partsOf(this.#toBase[at]!);
      sum.count += 1;
      sum.high += high;
      sum.low += low;
    }
    return [...byDay]
      .map(([day, each]) => ({ date: dateOf(day), ...each }))
      .toSorted((a, b) => (a.date < b.date ? 1 : -1));
  }

  /** Returns the ids of a page in a list by date: of some days, after `skip` rows of them. */
  pageByDate(days: DayRange, { sort, limit }: Selection, skip: number): number[] {
    const [from, to] = [dayOf(days.start_date), dayOf(days.end_date)];
    const places: number[] = [];
    for (let at = 0; at < this.#size; at += 1)
      if (this.#days[at]! >= from && this.#days[at]! <= to) places.push(at);
    const sign = sort.startsWith('-') ? -1 : 1;
    return this.#idsOf(
      places.sort((a, b) => sign * this.#byDate(a, b)),
      skip,
      limit,
    );
  }

  /** Returns the ids of a page in a list by amount. */
  pageByAmount(selection: Selection): number[] {
    const sign = selection.sort.startsWith('-') ? -1 : 1;
    const { least, most, skip } = amountsOfPage(this.#amounts.slice(0, this.#size), selection);
    const places: number[] = [];
    for (let at = 0; at < this.#size; at += 1)
      if (this.#amounts[at]! >= least && this.#amounts[at]! <= most) places.push(at);
    places.sort((a, b) => sign * (this.#amounts[a]! - this.#amounts[b]! || this.#byDate(a, b)));
    return this.#idsOf(places, skip, selection.limit);
  }

  #byDate(a: number, b: number): number {
    return this.#days[a]! - this.#days[b]! || this.#ids[a]! - this.#ids[b]!;
  }

  #idsOf(places: readonly number[], skip: number, limit: number): number[] {
    return places.slice(skip, skip + limit).map((at) => this.#ids[at]!);
  }

  #copy(from: Found, at: number): void {
    if (this.#size === this.#ids.length) this.#grow();
    const to = this.#size;
    this.#ids[to] = from.#ids[at]!;
    this.#days[to] = from.#days[at]!;
    this.#toBase[to] = from.#toBase[at]!;
    this.#amounts[to] = from.#amounts[at]!;
    this.#size += 1;
  }

  #grow(): void {
    const length = 2 * this.#ids.length;
    this.#ids = grown(new Float64Array(length), this.#ids);
    this.#days = grown(new Int32Array(length), this.#days);
    this.#toBase = grown(new Float64Array(length), this.#toBase);
    this.#amounts = grown(new Float64Array(length), this.#amounts);
  }
}

/** The amounts of a page in a list by amount. */
export interface AmountsOfPage {
  /** Inclusive, as `most` is. */
  readonly least: number;
  readonly most: number;
  /** How many rows with such an amount precede the page. */
  readonly skip: number;
}

/** Returns the amounts of a page, from those of all rows of a list, which it sorts. NaN for an empty page. */
export function amountsOfPage(
  amounts: Float64Array,
  { sort, offset, limit }: Selection,
): AmountsOfPage {
  const sorted = amounts.sort();
  if (sort.startsWith('-')) sorted.reverse();
  const [first, last] = [sorted[offset]!, sorted[Math.min(offset + limit, sorted.length) - 1]!];
  const skip = offset - sorted.indexOf(first);
  return { least: Math.min(first, last), most: Math.max(first, last), skip };
}

/** Copies the values of a column at some places. */
function copyValues(
  { base, values }: Column,
  of: Int32Array,
  to: Float64Array | Int32Array,
  start: number,
): void {
  for (let at = 0; at < of.length; at += 1) to[start + at] = base + values[of[at]!]!;
}

function grown<T extends Float64Array | Int32Array>(larger: T, values: T): T {
  larger.set(values);
  return larger;
}

/** The first and the last day of some rows: `YYYY-MM-DD`. */
export interface DayRange {
  readonly start_date: string;
  readonly end_date: string;
}

/** Whether sorted numbers have a number. */
function hasNumber(sorted: Float64Array, number: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! < number) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === number;
}

/** Returns the date of a number such as 20241231. */
function dateOf(day: number): string {
  const digits = String(day).padStart(8, '0');
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}
