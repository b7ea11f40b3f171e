import { Refusal } from '../../statement/statement-error.ts';

/** Maximum characters between two tags: a value with its comments. */
const MAX_VALUE_LENGTH = 65_536;
/** Maximum characters of a tag, including its brackets and attributes. */
const MAX_TAG_LENGTH = 256;

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
  /** The text after an opening tag, trimmed, with references resolved; empty after a closing tag. */
  readonly value: string;
}

/** A section without tags, up to its end mark. */
interface Section {
  readonly end: string;
  readonly isText: boolean;
}

const COMMENT: Section = { end: '-->', isText: false };
const INSTRUCTION: Section = { end: '?>', isText: false };
const VERBATIM: Section = { end: ']]>', isText: true };

/**
 * Splits SGML or XML into tags with the text after each, one at a time. Comments, instructions and any text before the
 * first tag are skipped. A `<` that does not begin a tag is text.
 * Errors: Refusal at a document type declaration, a NUL character, a tag or value that is too long, and a file that
 * ends within a tag, a comment or a CDATA section. Source: XML 1.0; SGML as far as OFX 1.6 uses it.
 */
export class MarkupReader implements Iterable<Tag> {
  readonly #pieces: Iterable<string>;
  // Unread text begins at #at.
  #text = '';
  #at = 0;
  #line = 1;
  #isAfterCr = false;
  #isWhole = false;
  #section: Section | null = null;
  #tag: Omit<Tag, 'value'> | null = null;
  /** The tag's text so far, with references resolved; followed by #raw, whose references are not resolved yet. */
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

  /** The complete tags in the text. */
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

  /** Skips a section as far as the text goes; returns whether it ends there. */
  #endSection({ end, isText }: Section): boolean {
    const found = this.#text.indexOf(end, this.#at);
    // The end mark may be divided between two pieces.
    const until = found < 0 ? Math.max(this.#at, this.#text.length - end.length + 1) : found;
    const text = this.#text.slice(this.#at, until);
    this.#skip(until - this.#at, false);
    if (isText && this.#tag?.isClose === false) this.#value += text;
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
      throw new Refusal('Document types and entities are not supported', this.#line);
    } else return false;
    const length = { '-->': 4, '?>': 2, ']]>': CDATA.length }[this.#section.end] ?? 0;
    this.#value += decodeReferences(this.#raw);
    this.#raw = '';
    this.#skip(length, false);
    return true;
  }

  /** Length of the tag at #at, 0 if there is none, null if it is incomplete. */
  #endOfTag(): number | null {
    const window = this.#text.slice(this.#at, this.#at + MAX_TAG_LENGTH);
    if (!/^<\/?[A-Za-z]/.test(window)) return 0;
    const end = window.indexOf('>');
    const next = window.indexOf('<', 1);
    if (next >= 0 && (end < 0 || next < end)) return 0;
    if (end >= 0) return NAME.test(window.slice(1, end)) ? end + 1 : 0;
    if (window.length === MAX_TAG_LENGTH) {
      throw new Refusal(`Tag is longer than ${MAX_TAG_LENGTH} characters`, this.#line);
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

  /** Advances in the text, which belongs to the tag's value if `isText`. */
  #skip(length: number, isText: boolean): void {
    if (length === 0) return;
    this.#valueLength += length;
    if (this.#valueLength > MAX_VALUE_LENGTH) {
      const where =
        this.#tag === null ? 'Text before the first tag' : `Text after <${this.#tag.name}>`;
      throw new Refusal(
        `${where} is longer than ${MAX_VALUE_LENGTH} characters`,
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
      if (code === CR || (code === LF && !this.#isAfterCr)) this.#line += 1;
      this.#isAfterCr = code === CR;
    }
  }
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([a-z]{2,4}));/g;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['apos', "'"],
  ['quot', '"'],
  ['nbsp', '\u00a0'],
]);

/**
 * Resolves `&amp;` `&lt;` `&gt;` `&apos;` `&quot;` `&nbsp;` and numeric references, once: the result is not resolved
 * again. Leaves everything else unchanged, including numbers of control characters or of no character.
 * Source: XML 1.0, 4.6 and 2.2; OFX 1.6, 2.3.2.1.
 */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return isCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  if (code >= 0xd800 && code <= 0xdfff) return false;
  return code !== 0xfffe && code !== 0xffff && code <= 0x10ffff;
}
