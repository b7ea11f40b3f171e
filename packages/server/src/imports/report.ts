import type { ResolvedEntry, Comparison } from './comparison.ts';
import { ImportRefusedError } from './entry.ts';
import type {
  DoubtfulEntry,
  ImportEntry,
  ImportPlan,
  ImportProblem,
  ImportSummary,
} from './entry.ts';

const mostListed = 100;

/** Collects the problems of a file, so that all are reported at once, in bounded memory. */
export class ImportProblems {
  readonly #problems: ImportProblem[] = [];
  #count = 0;

  add(problem: ImportProblem): void {
    this.#count += 1;
    if (this.#problems.length < mostListed) this.#problems.push(problem);
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

/** Collects what was decided about entries, in bounded memory. */
export class ImportVerdicts {
  readonly #listed: DoubtfulEntry[] = [];
  readonly #onVerdict: ImportPlan['onVerdict'];
  readonly counts = { known: 0, replaced: 0, doubtful: 0, skippedByChoice: 0, imported: 0 };

  constructor(onVerdict: ImportPlan['onVerdict']) {
    this.#onVerdict = onVerdict;
  }

  add(
    { number, raw, currency, account }: ResolvedEntry,
    comparison: Comparison,
    isImported: boolean,
  ): void {
    const { verdict, row, why } = comparison;
    const { counts } = this;
    if (verdict === 'doubtful') this.#addDoubtful(number, raw, comparison, isImported);
    if (isImported) counts.imported += 1;
    else if (verdict === 'known') counts.known += 1;
    else if (verdict === 'replaces') counts.replaced += 1;
    else counts.skippedByChoice += 1;
    const of = { number, currency, account };
    this.#onVerdict?.({ ...of, verdict, knownId: row?.id ?? null, why, isImported });
  }

  get doubtful(): ImportSummary['doubtful'] {
    return { count: this.counts.doubtful, entries: this.#listed };
  }

  #addDoubtful(
    number: number,
    { line, date, amount, payee }: ImportEntry,
    { row, why }: Comparison,
    isImported: boolean,
  ): void {
    this.counts.doubtful += 1;
    if (this.#listed.length >= mostListed) return;
    const entry = { number, line, date, amount, payee };
    const { date: knownDate, amount: knownAmount, payee: knownPayee } = row!.edit?.now ?? row!;
    const known = { date: knownDate, amount: knownAmount, payee: knownPayee };
    this.#listed.push({ ...entry, knownId: row!.id, known, why: why!, isImported });
  }
}
