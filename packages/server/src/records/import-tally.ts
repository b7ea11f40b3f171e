import type { ImportEntry } from './import.ts';

/** Adds up the entries of a file, exactly: dates as text, sums as integers without bound. */
export class ImportTally {
  readonly #sums = new Map<string, bigint>();
  #firstDate: string | null = null;
  #lastDate: string | null = null;

  add(entry: ImportEntry, currency: string): void {
    this.#sums.set(currency, (this.#sums.get(currency) ?? 0n) + BigInt(entry.amount));
    if (this.#firstDate === null || entry.date < this.#firstDate) this.#firstDate = entry.date;
    if (this.#lastDate === null || entry.date > this.#lastDate) this.#lastDate = entry.date;
  }

  get result(): {
    firstDate: string | null;
    lastDate: string | null;
    sumByCurrency: Record<string, bigint>;
  } {
    return {
      firstDate: this.#firstDate,
      lastDate: this.#lastDate,
      sumByCurrency: Object.fromEntries(this.#sums),
    };
  }
}
