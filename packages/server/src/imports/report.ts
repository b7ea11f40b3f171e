import { ImportRefusedError } from './entry.ts';
import type { ImportEntry, ImportProblem } from './entry.ts';

const kept = 100;

/** Collects the problems of a file, so that all are reported at once, in bounded memory. */
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

  /** Throws {@link ImportRefusedError} if there are problems. */
  refuse(): void {
    if (this.any) throw new ImportRefusedError(this.#problems, this.#count);
  }
}

/** Computes the first and last date of a file, and exact sums by currency. */
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
