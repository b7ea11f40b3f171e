import { quoted, type StatementProblem } from './statement-error.ts';

/** The ways in which a kind of value is written, and how to speak of them. */
export interface Conventions<C extends string, V extends string | number> {
  /** The preferred one first. */
  readonly all: readonly C[];
  /** The value that a text stands for, null if it does not read so. */
  readonly read: (text: string, convention: C) => V | null;
  /** What is wrong with a text that reads under no convention. */
  readonly fault: (text: string) => string;
  readonly label: (convention: C) => string;
  readonly print: (value: V) => string;
  /** What to do about a column that reads in two ways. */
  readonly advice: string;
}

interface Place {
  readonly text: string;
  readonly line: number;
  readonly column: string;
}

/**
 * Finds the convention under which every value of a column reads: never value by value, always the whole column.
 * Starts from all conventions allowed; each value strikes out those under which it does not read.
 */
export class ConventionFinder<C extends string, V extends string | number> {
  readonly #conventions: Conventions<C, V>;
  #possible: readonly C[];
  #settledBy: Place | null = null;
  #ambiguous: Place | null = null;
  #lastText: string | null = null;

  /** With a convention `given`, values are only checked against it. */
  constructor(conventions: Conventions<C, V>, given: C | undefined) {
    this.#conventions = conventions;
    this.#possible = given === undefined ? conventions.all : [given];
  }

  /** The preferred one of the conventions that are still possible. */
  get convention(): C {
    return this.#possible[0]!;
  }

  /** Takes a value into account; says why if it reads under none of the conventions still possible, else null. */
  note(text: string, line: number, column: string): string | null {
    if (text === this.#lastText) return null; // statements repeat dates, row after row
    const { read } = this.#conventions;
    const fitting = this.#possible.filter((convention) => read(text, convention) !== null);
    if (fitting.length === 0) return this.#misfit(text);
    this.#lastText = text;
    if (fitting.length < this.#possible.length) {
      this.#settledBy = { text, line, column };
      this.#possible = fitting;
    }
    if (fitting.length > 1 && this.#ambiguous === null) {
      const values = new Set(fitting.map((convention) => read(text, convention)));
      if (values.size > 1) this.#ambiguous = { text, line, column };
    }
    return null;
  }

  /** The first value that has two readings, if no other value tells them apart. */
  ambiguity(): StatementProblem | null {
    if (this.#possible.length < 2 || this.#ambiguous === null) return null;
    const { read, print, label, advice } = this.#conventions;
    const { text, line, column } = this.#ambiguous;
    const readings = this.#possible.map(
      (convention) => `${print(read(text, convention)!)} (${label(convention)})`,
    );
    return { line, column, value: text, reason: `Could be ${readings.join(' or ')}: ${advice}` };
  }

  #misfit(text: string): string {
    const { all, read, fault, label } = this.#conventions;
    const other = all.find((convention) => read(text, convention) !== null);
    if (other === undefined) return fault(text);
    const possible = this.#possible.map(label).join(' or ');
    if (this.#settledBy === null) return `Reads as ${label(other)}, but ${possible} is given`;
    const by = `"${quoted(this.#settledBy.text)}" on line ${this.#settledBy.line}`;
    return `Reads as ${label(other)}, but ${by} only as ${possible}`;
  }
}
