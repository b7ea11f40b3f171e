import { ImportRefusedError } from './import.ts';
import type { ImportProblem } from './import.ts';

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
