/** What cannot be read, and where. */
export interface StatementProblem {
  /** Physical line of the file, counted from 1. */
  line: number;
  /** The header's name for the column, "column 3" where there is none, a tag as `<TRNAMT>`; null: the whole line. */
  column: string | null;
  /** The cell as it stands in the file, cut at 200 characters; null: no single cell is at fault. */
  value: string | null;
  reason: string;
}

const KEPT_PROBLEMS = 100;
const KEPT_VALUE_LENGTH = 200;

/** Says that a file cannot be imported, with every problem found in it: the first 100 kept, all counted. */
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

function columnLabel(column: string): string {
  return /^(?:column \d+|<\/?[A-Z.]+>)$/.test(column) ? column : `column "${column}"`;
}

/**
 * Stops the reading of a file at once, from a layer that may not know the line.
 * The format's reader turns it into a problem of a StatementError.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly line: number | null;
  readonly column: string | null;

  constructor(reason: string, line: number | null = null, column: string | null = null) {
    super(reason);
    this.line = line;
    this.column = column;
  }

  /** As a StatementError, at the line that was reached where the refusal itself names none. */
  at(lineReached: number): StatementError {
    const line = this.line ?? lineReached;
    return new StatementError([{ line, column: this.column, value: null, reason: this.message }]);
  }
}

/** Collects problems: keeps the first 100 of the file, counts all. */
export class ProblemList {
  #kept: StatementProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, column: string | null, value: string | null, reason: string): void {
    this.#count += 1;
    if (this.#kept.length >= KEPT_PROBLEMS) return;
    this.#kept.push({ line, column, value: value === null ? null : quoted(value), reason });
  }

  addRefusal(refusal: Refusal, lineReached: number): void {
    this.add(refusal.line ?? lineReached, refusal.column, null, refusal.message);
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const inFileOrder = this.#kept.toSorted((a, b) => a.line - b.line);
    throw new StatementError(inFileOrder, this.#count);
  }
}

/** Shortens a value for a message: a cell may hold a megabyte. */
export function quoted(value: string): string {
  return value.length <= KEPT_VALUE_LENGTH ? value : `${value.slice(0, KEPT_VALUE_LENGTH - 1)}…`;
}
