import { placeOf } from '../../../book/changed-ids.ts';
import type { RowKey } from '../../../pages/filter.ts';

/** Keys of transactions in the order of a list, newest first, in twelve bytes each. */
export class EarlierKeys {
  #days: Int32Array;
  #ids: Float64Array;
  #length = 0;

  /** `most` is the largest number of keys. */
  constructor(most: number) {
    this.#days = new Int32Array(most);
    this.#ids = new Float64Array(most);
  }

  get length(): number {
    return this.#length;
  }

  add({ date, id }: RowKey): void {
    this.#days[this.#length] = dayOf(date);
    this.#ids[this.#length] = id;
    this.#length += 1;
  }

  /** Sorts the keys. Called once, after the last was added. */
  sort(): void {
    const [days, ids] = [this.#days, this.#ids];
    const places = Uint32Array.from({ length: this.#length }, (_, at) => at);
    places.sort((a, b) => days[b]! - days[a]! || ids[b]! - ids[a]!);
    this.#days = Int32Array.from(places, (at) => days[at]!);
    this.#ids = Float64Array.from(places, (at) => ids[at]!);
  }

  /** Returns the key at a place; undefined past the end. */
  at(place: number): RowKey | undefined {
    if (place >= this.#length) return undefined;
    const digits = String(this.#days[place]).padStart(8, '0');
    const date = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
    return { date, id: this.#ids[place]! };
  }

  /** Returns the place of the first key after another one. */
  placeAfter({ date, id }: RowKey): number {
    const day = dayOf(date);
    const [days, ids] = [this.#days, this.#ids];
    return placeOf(this.#length, (at) => days[at]! > day || (days[at] === day && ids[at]! >= id));
  }
}

/** A date as a number that sorts like it: 20240229. */
function dayOf(date: string): number {
  return Number(date.replaceAll('-', ''));
}

/** Whether a key comes before another one in a list. */
export function isBefore(one: RowKey, other: RowKey): boolean {
  return one.date === other.date ? one.id > other.id : one.date > other.date;
}
