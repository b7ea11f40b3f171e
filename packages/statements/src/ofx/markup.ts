import { Refusal } from '../statement-error.ts';
import { decodeReferences } from './references.ts';

/** The most characters between two tags: a value with its comments. */
const LONGEST_VALUE = 65_536;
/** The most characters of a tag, its brackets and attributes included. */
const LONGEST_TAG = 256;

const LF = 10;
const CR = 13;
const CDATA = '<![CDATA[';
const NAME = /^(\/?)([A-Za-z][\w.:-]*)(\s|\/$|$)/;

/** A tag with the text up to the next one. */
export interface Tag {
  /** In upper case. */
  readonly name: string;
  readonly isClose: boolean;
  /** Physical line on which the tag begins, counted from 1. */
  readonly line: number;
  /** The text behind an opening tag, references resolved, trimmed; empty behind a closing one. */
  readonly value: string;
}

/** What runs up to an end of its own and holds no tags. */
interface Section {
  readonly end: string;
  readonly isKept: boolean;
}

const COMMENT: Section = { end: '-->', isKept: false };
const INSTRUCTION: Section = { end: '?>', isKept: false };
const VERBATIM: Section = { end: ']]>', isKept: true };

/**
 * Splits SGML or XML into tags with the text behind each, one at a time. Comments and instructions are passed over.
 * A `<` that begins no tag is text. What stands before the first tag is passed over.
 * Errors: Refusal at a document type declaration, a NUL character, a tag or value beyond its bound, and a file that
 * ends within a tag, a comment or a CDATA section. Source: XML 1.0; SGML as far as OFX 1.6 uses it.
 */
export class MarkupReader implements Iterable<Tag> {
  readonly #pieces: Iterable<string>;
  // The text that is not read yet begins at #at.
  #text = '';
  #at = 0;
  #line = 1;
  #isBehindCr = false;
  #isWhole = false;
  #section: Section | null = null;
  #tag: Omit<Tag, 'value'> | null = null;
  /** The tag's text so far: what is resolved, and behind it what is not. */
  #value = '';
  #raw = '';
  #valueLength = 0;

  constructor(pieces: Iterable<string>) {
    this.#pieces = pieces;
  }

  /** The line reached. */
  get line(): number {
    return this.#line;
  }

  *[Symbol.iterator](): Generator<Tag> {
    for (const piece of this.#pieces) {
      this.#append(piece);
      yield* this.#tags();
    }
    this.#isWhole = true;
    yield* this.#tags();
    if (this.#section !== null) throw new Refusal(`File ends before "${this.#section.end}"`);
    this.#skip(this.#text.length - this.#at, true);
    if (this.#tag !== null) yield this.#finishTag(this.#tag);
  }

  #append(piece: string): void {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
    const nul = piece.indexOf('\0');
    if (nul < 0) return;
    this.#countLines(this.#text.slice(0, this.#text.length - piece.length + nul));
    throw new Refusal('NUL character: this is not a text file', this.#line);
  }

  /** The tags whose end is in the text. */
  *#tags(): Generator<Tag> {
    for (;;) {
      if (this.#section !== null && !this.#endSection(this.#section)) return;
      const begin = this.#text.indexOf('<', this.#at);
      this.#skip((begin < 0 ? this.#text.length : begin) - this.#at, true);
      if (begin < 0) return;
      const isLong = this.#text.length - begin >= CDATA.length;
      if (!isLong && !this.#isWhole) return;
      if (this.#beginSection()) continue;
      const end = this.#endOfTag();
      if (end === null) return;
      const before = this.#tag;
      if (end === 0) {
        this.#skip(1, true);
        continue;
      }
      if (before !== null) yield this.#finishTag(before);
      yield* this.#beginTag(end);
    }
  }

  /** Passes over a section as far as the text goes; says whether it ends there. */
  #endSection({ end, isKept }: Section): boolean {
    const found = this.#text.indexOf(end, this.#at);
    // The last signs of the text may be the first ones of the end.
    const until = found < 0 ? Math.max(this.#at, this.#text.length - end.length + 1) : found;
    const text = this.#text.slice(this.#at, until);
    this.#skip(until - this.#at, false);
    if (isKept && this.#tag?.isClose === false) this.#value += text;
    if (found < 0) return false;
    this.#skip(end.length, false);
    this.#section = null;
    return true;
  }

  #beginSection(): boolean {
    const text = this.#text;
    if (text.startsWith('<!--', this.#at)) this.#section = COMMENT;
    else if (text.startsWith('<?', this.#at)) this.#section = INSTRUCTION;
    else if (text.startsWith(CDATA, this.#at)) this.#section = VERBATIM;
    else if (/^<![A-Za-z[]/.test(text.slice(this.#at, this.#at + 3))) {
      throw new Refusal('Document types and entities are not taken', this.#line);
    } else return false;
    const length = { '-->': 4, '?>': 2, ']]>': CDATA.length }[this.#section.end] ?? 0;
    this.#value += decodeReferences(this.#raw);
    this.#raw = '';
    this.#skip(length, false);
    return true;
  }

  /** The length of the tag at hand, 0 if it is none, null if its end is not in the text. */
  #endOfTag(): number | null {
    const window = this.#text.slice(this.#at, this.#at + LONGEST_TAG);
    if (!/^<\/?[A-Za-z]/.test(window)) return 0;
    const end = window.indexOf('>');
    const next = window.indexOf('<', 1);
    if (next >= 0 && (end < 0 || next < end)) return 0;
    if (end >= 0) return NAME.test(window.slice(1, end)) ? end + 1 : 0;
    if (window.length === LONGEST_TAG) {
      throw new Refusal(`Tag is longer than ${LONGEST_TAG} characters`, this.#line);
    }
    if (this.#isWhole) throw new Refusal('File ends within a tag', this.#line);
    return null;
  }

  *#beginTag(length: number): Generator<Tag> {
    const inner = this.#text.slice(this.#at + 1, this.#at + length - 1);
    const [, slash, rawName] = NAME.exec(inner)!;
    const name = rawName!.toUpperCase();
    this.#tag = { name, isClose: slash === '/', line: this.#line };
    this.#value = '';
    this.#raw = '';
    this.#skip(length, false);
    this.#valueLength = 0;
    if (slash === '/' || !inner.endsWith('/')) return;
    yield this.#finishTag(this.#tag);
    this.#tag = { name, isClose: true, line: this.#line };
  }

  #finishTag(tag: Omit<Tag, 'value'>): Tag {
    const value = (this.#value + decodeReferences(this.#raw)).trim();
    return { ...tag, value: tag.isClose ? '' : value };
  }

  /** Goes on in the text, which is a part of the tag's value if it `isText`. */
  #skip(length: number, isText: boolean): void {
    if (length === 0) return;
    this.#valueLength += length;
    if (this.#valueLength > LONGEST_VALUE) {
      const where =
        this.#tag === null ? 'Text before the first tag' : `Text behind <${this.#tag.name}>`;
      throw new Refusal(
        `${where} is longer than ${LONGEST_VALUE} characters`,
        this.#tag?.line ?? 1,
      );
    }
    const text = this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
    this.#countLines(text);
    if (isText && this.#tag?.isClose === false) this.#raw += text;
  }

  #countLines(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === CR || (code === LF && !this.#isBehindCr)) this.#line += 1;
      this.#isBehindCr = code === CR;
    }
  }
}
