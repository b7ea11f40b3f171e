import { shorten } from '@coffer/core/text';
import { MAX_SHOWN_LENGTH } from './statement-error.ts';
import { type StatementProblem } from './statement.ts';

/** The notations of one kind of value, such as the orders of a date, and their texts for messages. */
export interface Conventions<C extends string, V extends string | number> {
  /** Preferred first. */
  readonly all: readonly C[];
  /** Parses a text; null if it does not fit the convention. */
  readonly read: (text: string, convention: C) => V | null;
  /** Why a text fits no convention. */
  readonly fault: (text: string) => string;
  readonly label: (convention: C) => string;
  readonly print: (value: V) => string;
  /** What the user can do about an ambiguous column. */
  readonly advice: string;
  /** The option that decides it. */
  readonly option: 'dateFormat' | 'decimal';
}

interface Place {
  readonly text: string;
  readonly line: number;
  readonly column: string;
}

/**
 * Finds the convention that fits every value of a column.
 * Starts with all allowed conventions; each value removes those that do not fit it.
 */
export class ConventionFinder<C extends string, V extends string | number> {
  readonly #conventions: Conventions<C, V>;
  #possible: readonly C[];
  #decidedBy: Place | null = null;
  #ambiguous: Place | null = null;
  #lastText: string | null = null;
  #lastValue: V | null = null;

  /** With a convention `given`, values are only checked against it. */
  constructor(conventions: Conventions<C, V>, given: C | undefined) {
    this.#conventions = conventions;
    this.#possible = given === undefined ? conventions.all : [given];
  }

  /** The preferred of the remaining conventions. */
  get convention(): C {
    return this.#possible[0]!;
  }

  /** The conventions that fit every value so far, preferred first. */
  get possible(): readonly C[] {
    return this.#possible;
  }

  /** Whether only one convention is left. */
  get isDecided(): boolean {
    return this.#possible.length === 1;
  }

  /** Whether a valid value was added. */
  get hasValues(): boolean {
    return this.#lastText !== null || this.#decidedBy !== null;
  }

  /** The last valid value, as the preferred of the remaining conventions reads it. */
  get lastValue(): V | null {
    return this.#lastValue;
  }

  /** Chooses a convention for a column that fits several. */
  prefer(convention: C): void {
    if (this.#possible.includes(convention)) this.#possible = [convention];
  }

  /** Adds a value. Returns null if it fits one of the remaining conventions, else the reason why not. */
  note(text: string, line: number, column: string): string | null {
    if (text === this.#lastText) return null; // statements repeat dates, row after row
    const { read } = this.#conventions;
    if (this.#possible.length === 1) return this.#noteOnly(text);
    const fitting = this.#possible.filter((convention) => read(text, convention) !== null);
    if (fitting.length === 0) return this.#misfit(text);
    this.#lastText = text;
    this.#lastValue = read(text, fitting[0]!);
    if (fitting.length < this.#possible.length) {
      this.#decidedBy = { text, line, column };
      this.#possible = fitting;
    }
    if (fitting.length > 1 && this.#ambiguous === null) {
      const values = new Set(fitting.map((convention) => read(text, convention)));
      if (values.size > 1) this.#ambiguous = { text, line, column };
    }
    return null;
  }

  /** The first ambiguous value, unless another value decides it. */
  ambiguity(): StatementProblem | null {
    if (this.#possible.length < 2 || this.#ambiguous === null) return null;
    const { read, print, label, advice, option } = this.#conventions;
    const { text, line, column } = this.#ambiguous;
    const choices = this.#possible.map((convention) => ({
      label: `${print(read(text, convention)!)} (${label(convention)})`,
      options: { [option]: convention },
    }));
    const reason = `Could be ${choices.map((choice) => choice.label).join(' or ')}: ${advice}`;
    return { line, column, value: text, reason, choices };
  }

  #noteOnly(text: string): string | null {
    const value = this.#conventions.read(text, this.#possible[0]!);
    if (value === null) return this.#misfit(text);
    this.#lastText = text;
    this.#lastValue = value;
    return null;
  }

  #misfit(text: string): string {
    const { all, read, fault, label } = this.#conventions;
    const other = all.find((convention) => read(text, convention) !== null);
    if (other === undefined) return fault(text);
    const possible = this.#possible.map(label).join(' or ');
    if (this.#decidedBy === null) return `Fits ${label(other)}, but ${possible} is given`;
    const by = `"${shorten(this.#decidedBy.text, MAX_SHOWN_LENGTH)}" on line ${this.#decidedBy.line}`;
    return `Fits ${label(other)}, but ${by} fits only ${possible}`;
  }
}
