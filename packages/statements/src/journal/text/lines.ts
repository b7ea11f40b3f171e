import { Refusal } from '../../statement/statement-error.ts';

/** Maximum characters of a line. */
export const MAX_LINE_LENGTH = 1_048_576;

const LINE_END = /\r\n|\n|\r/;

/** A line without its end. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

/**
 * Splits text into lines that end with LF, CRLF or CR.
 * Errors: Refusal at a line longer than MAX_LINE_LENGTH, or a NUL character.
 */
export class LineReader implements Iterable<Line> {
  readonly #pieces: Iterable<string>;
  #number = 0;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces;
  }

  /** The line that was read last. */
  get line(): number {
    return Math.max(1, this.#number);
  }

  *[Symbol.iterator](): Generator<Line> {
    let rest = '';
    for (const piece of this.#pieces) {
      const text = rest + piece;
      // A CR at the end may be half of a CRLF.
      const held = text.endsWith('\r') ? '\r' : '';
      const lines = text.slice(0, text.length - held.length).split(LINE_END);
      rest = lines.pop()! + held;
      for (const line of lines) yield this.#next(line);
      this.#check(rest, this.#number + 1);
    }
    if (rest !== '') yield this.#next(rest.replace(/\r$/, ''));
  }

  #next(text: string): Line {
    this.#number += 1;
    this.#check(text, this.#number);
    return { number: this.#number, text };
  }

  #check(text: string, line: number): void {
    if (text.length > MAX_LINE_LENGTH) {
      throw new Refusal(`Line is longer than ${MAX_LINE_LENGTH} characters`, line);
    }
    if (text.includes('\0')) throw new Refusal('NUL character: this is not a text file', line);
  }
}
