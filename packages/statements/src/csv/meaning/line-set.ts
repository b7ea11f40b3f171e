const FIRST_BYTES = 1024;

/** A set of lines of a file: a bit for each line. */
export class LineSet {
  #bits = new Uint8Array(FIRST_BYTES);

  add(line: number): void {
    const at = line >> 3;
    if (at >= this.#bits.length) {
      const longer = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      longer.set(this.#bits);
      this.#bits = longer;
    }
    this.#bits[at]! |= 1 << (line & 7);
  }

  has(line: number): boolean {
    return ((this.#bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0;
  }
}
