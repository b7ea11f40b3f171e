import { shorten } from '@coffer/core/text';
import type { Entry, StatementProblem, StatementWarning } from './statement.ts';

const MAX_PROBLEMS = 100;
/** Maximum characters of a value in a problem: a cell may have a megabyte. */
export const MAX_SHOWN_LENGTH = 200;

/** The file cannot be imported. Has the first 100 problems and the number of all. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly problems: readonly StatementProblem[];
  readonly problemCount: number;

  constructor(problems: readonly StatementProblem[], problemCount = problems.length) {
    super(message(problems, problemCount));
    this.problems = problems;
    this.problemCount = problemCount;
  }
}

function message(problems: readonly StatementProblem[], count: number): string {
  const first = problems[0];
  if (first === undefined) return 'Statement cannot be read';
  const place = [`Line ${first.line}`];
  if (first.column !== null) place.push(columnLabel(first.column));
  if (first.value !== null && first.value !== '') place.push(`value "${first.value}"`);
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return `${place.join(', ')}: ${first.reason}${more}`;
}

/** The label of a column. One without a header has a number; a tag is not quoted. */
export function columnLabel(column: string, quoted = (name: string) => `"${name}"`): string {
  return /^(?:column \d+|<\/?[A-Za-z.]+>|:\w+:|field \S)$/.test(column)
    ? column
    : `column ${quoted(column)}`;
}

/**
 * Stops reading at once; thrown by code that may not know the line.
 * The parser of the format turns it into a StatementError.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly line: number | null;
  readonly column: string | null;

  /** Whether the columns of a table are not known. */
  readonly needsColumns: boolean;

  constructor(
    reason: string,
    line: number | null = null,
    column: string | null = null,
    needsColumns = false,
  ) {
    super(reason);
    this.needsColumns = needsColumns;
    this.line = line;
    this.column = column;
  }

  /** Converts to a StatementError, at `lineReached` if the refusal has no line. */
  at(lineReached: number): StatementError {
    const line = this.line ?? lineReached;
    const problem = { line, column: this.column, value: null, reason: this.message };
    return new StatementError([this.needsColumns ? { ...problem, needsColumns: true } : problem]);
  }
}

/** The bytes are not valid UTF-8: the file is read again in another encoding. */
export class NotUtf8 extends Refusal {}

/** The first 100 problems of a file, and the number of all. */
export class ProblemList {
  #first: StatementProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, column: string | null, value: string | null, reason: string): void {
    this.#count += 1;
    if (this.#first.length >= MAX_PROBLEMS) return;
    const shown = value === null ? null : shorten(value, MAX_SHOWN_LENGTH);
    this.#first.push({ line, column, value: shown, reason });
  }

  /** Adds something that can be read in several ways. */
  addAmbiguity(problem: StatementProblem): void {
    this.#count += 1;
    if (this.#first.length < MAX_PROBLEMS)
      this.#first.push({ ...problem, value: shorten(problem.value ?? '', MAX_SHOWN_LENGTH) });
  }

  /** Adds a refusal, at `lineReached` if it has no line. Errors: any other error, and NotUtf8. */
  addRefusal(error: unknown, lineReached: number): void {
    if (!(error instanceof Refusal) || error instanceof NotUtf8) throw error;
    this.add(error.line ?? lineReached, error.column, null, error.message);
  }

  addAll(others: ProblemList): void {
    for (const problem of others.#first) {
      this.#count += 1;
      if (this.#first.length < MAX_PROBLEMS) this.#first.push(problem);
    }
  }

  /** The first problems, by line. */
  inFileOrder(): StatementProblem[] {
    return this.#first.toSorted((a, b) => a.line - b.line);
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    throw new StatementError(this.inFileOrder(), this.#count);
  }
}

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

/** Returns how many entries there are. */
export function countOf(entries: Iterable<Entry>): number {
  const rest = entries[Symbol.iterator]();
  let count = 0;
  while (rest.next().done !== true) count += 1;
  return count;
}
