import type { ProblemList } from '../../statement/statement-error.ts';
import type { StatementWarning } from '../../statement/statement.ts';

const MAX_WARNINGS = 100;
const MAX_INCLUDES_NAMED = 5;

/** What a pass over a journal finds in addition to its items. */
export class Notices {
  readonly problems: ProblemList;
  readonly #warnings: StatementWarning[] = [];
  readonly #leftOut = new Map<string, number>();
  readonly #includes: { readonly line: number; readonly path: string }[] = [];
  #includeCount = 0;

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  get leftOut(): { what: string; count: number }[] {
    return [...this.#leftOut].map(([what, count]) => ({ what, count }));
  }

  /** In file order; those without a line come first. */
  get warnings(): StatementWarning[] {
    const includes = this.#includes.map(({ line, path }) => ({
      line,
      text: `"${path}" is not read: import it as a file of its own`,
    }));
    const all = [...this.#warnings, ...includes].slice(0, MAX_WARNINGS);
    return all.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }

  /** Whether all postings are read: no other file, and no rule or virtual posting, adds to the balances. */
  get isWhole(): boolean {
    const other = ['virtual posting', 'automated transaction'];
    return this.#includeCount === 0 && !other.some((what) => this.#leftOut.has(what));
  }

  /** Paths of included files; null if there are none. */
  get includedFiles(): string | null {
    const paths = this.#includes.slice(0, MAX_INCLUDES_NAMED).map(({ path }) => `"${path}"`);
    const more = this.#includeCount - paths.length;
    return paths.length === 0 ? null : paths.join(', ') + (more > 0 ? ` and ${more} more` : '');
  }

  warn(line: number | null, text: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ line, text });
  }

  include(line: number, path: string): void {
    this.#includeCount += 1;
    if (this.#includes.length < MAX_WARNINGS)
      this.#includes.push({ line, path: path.slice(0, 200) });
  }

  leaveOut(what: string, count = 1): void {
    if (count > 0) this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count);
  }
}
