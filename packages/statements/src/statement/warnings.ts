import type { StatementWarning } from './statement.ts';

const MAX_WARNINGS = 100;

/** Collects the first 100 warnings of a file. */
export class WarningList {
  readonly #warnings: StatementWarning[] = [];

  /** In the order in which they were added. */
  get all(): readonly StatementWarning[] {
    return this.#warnings;
  }

  add(line: number | null, text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ line, text });
  }
}
