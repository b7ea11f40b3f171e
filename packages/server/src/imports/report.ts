import { ImportRefusedError } from './entry.ts';
import type { ImportEntry, ImportProblem } from './entry.ts';

const kept = 100;

/** Gathers what is wrong in a file, so that all of it is reported at once; memory stays bounded. */
export class ImportProblems {
  readonly #problems: ImportProblem[] = [];
  #count = 0;

  add(problem: ImportProblem): void {
    this.#count += 1;
    if (this.#problems.length < kept) this.#problems.push(problem);
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Throws {@link ImportRefusedError} when anything was added. */
  refuse(): void {
    if (this.any) throw new ImportRefusedError(this.#problems, this.#count);
  }
}

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
