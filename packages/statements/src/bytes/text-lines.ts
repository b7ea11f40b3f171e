import { Refusal } from '../statement/statement-error.ts';

/** Maximum characters of a line. */
const MAX_LINE_LENGTH = 65_536;

const LF = 10;
const CR = 13;

/** A line without its end. */
export interface TextLine {
  /** Physical line of the file, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * The part of a text, which comes in pieces, that is not read yet. It begins at `at`; `nextLf` and `nextCr` are the
 * next such positions, or the length of `text`.
 */
export abstract class UnreadText<T> implements Iterable<T> {
  readonly #pieces: Iterable<string>;
  protected reached = 1;
  protected text = '';
  protected at = 0;
  protected isWhole = false;
  protected nextLf = 0;
  protected nextCr = 0;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces;
  }

  /** The line reached. */
  get line(): number {
    return this.reached;
  }

  *[Symbol.iterator](): Generator<T> {
    for (const piece of this.#pieces) {
      this.append(piece);
      for (let next = this.next(); next !== null; next = this.next()) yield next;
      this.checkLength(this.text.length - this.at);
    }
    this.isWhole = true;
    for (let next = this.next(); next !== null; next = this.next()) yield next;
  }

  /** The next item, or null if its end is not in the text. */
  protected abstract next(): T | null;

  /** Errors: Refusal if a line or a row is too long. */
  protected abstract checkLength(length: number): void;

  protected append(piece: string): void {
    this.text = this.text.slice(this.at) + piece;
    this.at = 0;
    this.nextLf = this.find('\n');
    this.nextCr = this.find('\r');
  }

  protected find(sign: string): number {
    const found = this.text.indexOf(sign, this.at);
    return found < 0 ? this.text.length : found;
  }

  /** The next end of a line, or of the text. */
  protected lineEnd(): number {
    if (this.nextLf < this.at) this.nextLf = this.find('\n');
    if (this.nextCr < this.at) this.nextCr = this.find('\r');
    return Math.min(this.nextLf, this.nextCr);
  }

  /** The next line; null if its end is not in the text. */
  protected takeLine(): TextLine | null {
    if (this.at === this.text.length) return null;
    const end = this.lineEnd();
    if (!this.isLineEnd(end)) return null;
    this.checkLength(end - this.at);
    const found = { line: this.reached, text: this.text.slice(this.at, end) };
    if (end < this.text.length) this.reached += 1;
    this.passLineEnd(end);
    return found;
  }

  /** A small packed file can contain gigabytes of empty lines, so they must cost almost nothing. */
  protected skipEmptyLines(): void {
    for (; this.at < this.text.length; this.reached += 1) {
      const code = this.text.charCodeAt(this.at);
      if (code !== LF && code !== CR) return;
      const isCrLf = code === CR && this.text.charCodeAt(this.at + 1) === LF;
      const end = isCrLf ? this.at + 1 : this.at;
      if (!this.isLineEnd(end)) return;
      this.at = end + 1;
    }
  }

  /** Whether a line certainly ends here. A CR at the end of the text may be half of a CRLF. */
  protected isLineEnd(end: number): boolean {
    const last = this.text.length - 1;
    return this.isWhole || end < last || (end === last && this.text[end] === '\n');
  }

  /** Goes behind the end of a line. */
  protected passLineEnd(end: number): void {
    this.at = Math.min(end + (this.text.startsWith('\r\n', end) ? 2 : 1), this.text.length);
  }
}

/**
 * Splits text into lines, one at a time. Lines end with LF, CRLF or CR; empty lines are skipped but counted.
 * Errors: Refusal at a line longer than 65,536 characters or with a NUL character.
 */
export class TextLines extends UnreadText<TextLine> {
  protected override append(piece: string): void {
    super.append(piece);
    if (piece.includes('\0'))
      throw new Refusal('NUL character: this is not a text file', this.reached);
  }

  protected next(): TextLine | null {
    this.skipEmptyLines();
    return this.takeLine();
  }

  protected checkLength(length: number): void {
    if (length <= MAX_LINE_LENGTH) return;
    throw new Refusal(`Line is longer than ${MAX_LINE_LENGTH} characters`, this.reached);
  }
}

/** Maximum characters of a line. */
export const MAX_JOURNAL_LINE_LENGTH = 1_048_576;

/**
 * Splits a journal into all of its lines, which end with LF, CRLF or CR.
 * Errors: Refusal at a line longer than 1,048,576 characters, or a NUL character.
 */
export class JournalLines extends UnreadText<TextLine> {
  #last = 1;

  /** The line that was read last. */
  override get line(): number {
    return this.#last;
  }

  protected next(): TextLine | null {
    const found = this.takeLine();
    if (found !== null) this.#last = found.line;
    return found;
  }

  protected checkLength(length: number): void {
    if (length > MAX_JOURNAL_LINE_LENGTH)
      throw new Refusal(`Line is longer than ${MAX_JOURNAL_LINE_LENGTH} characters`, this.reached);
    if (this.text.slice(this.at, this.at + length).includes('\0'))
      throw new Refusal('NUL character: this is not a text file', this.reached);
  }
}
