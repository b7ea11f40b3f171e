import { shorten } from '@coffer/core/text';
import type { ColumnMap } from './column-map.ts';

/** A problem of a file, and its place. */
export interface StatementProblem {
  /** Physical line of the file, counted from 1. */
  line: number;
  /** The column's name in the header, or `column 3` if it has none; a tag as `<TRNAMT>`; null: the whole line. */
  column: string | null;
  /** The cell as written in the file, cut after 200 characters; null if the problem is not in a single cell. */
  value: string | null;
  reason: string;
  /** What it could be, with the option that makes it so; missing if no option helps. */
  choices?: readonly ProblemChoice[];
  /** Whether the columns of the table are not known: a map is needed. */
  needsColumns?: true;
}

/** One way to read something that can be read in several. */
export interface ProblemChoice {
  /** What it means, in a few words, such as `2026-03-02 (d/m/y)`. */
  readonly label: string;
  readonly options: {
    readonly map?: ColumnMap;
    readonly dateFormat?: 'y-m-d' | 'd/m/y' | 'm/d/y';
    readonly decimal?: 'point' | 'comma';
    readonly negate?: boolean;
    readonly anyYear?: boolean;
  };
}

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

function columnLabel(column: string): string {
  return /^(?:column \d+|<\/?[A-Za-z.]+>|:\w+:|field \S)$/.test(column)
    ? column
    : `column "${column}"`;
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

/** Collects problems: keeps the first 100 of a file and counts all. */
export class ProblemList {
  #kept: StatementProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, column: string | null, value: string | null, reason: string): void {
    this.#count += 1;
    if (this.#kept.length >= MAX_PROBLEMS) return;
    const kept = value === null ? null : shorten(value, MAX_SHOWN_LENGTH);
    this.#kept.push({ line, column, value: kept, reason });
  }

  /** Adds something that can be read in several ways. */
  addAmbiguity(problem: StatementProblem): void {
    this.#count += 1;
    if (this.#kept.length < MAX_PROBLEMS)
      this.#kept.push({ ...problem, value: shorten(problem.value ?? '', MAX_SHOWN_LENGTH) });
  }

  addRefusal(refusal: Refusal, lineReached: number): void {
    this.add(refusal.line ?? lineReached, refusal.column, null, refusal.message);
  }

  addAll(others: ProblemList): void {
    for (const problem of others.#kept) {
      this.#count += 1;
      if (this.#kept.length < MAX_PROBLEMS) this.#kept.push(problem);
    }
  }

  /** The kept problems, by line. */
  inFileOrder(): StatementProblem[] {
    return this.#kept.toSorted((a, b) => a.line - b.line);
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    throw new StatementError(this.inFileOrder(), this.#count);
  }
}
