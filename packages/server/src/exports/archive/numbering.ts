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
