import { Refusal, NotUtf8 } from '../statement/statement-error.ts';
import type { StatementSource } from '../statement/statement.ts';
import { isUtf8 } from 'node:buffer';

const PIECE_BYTES = 65_536;
/** Maximum bytes of a file, unpacked. */
export const MAX_CONTENT_BYTES = 2 ** 31;

/**
 * The content of a file in pieces of about 64 KiB. The file is opened once: what the beginning shows is found by
 * looking ahead, before all of it is read. Errors, when the piece is needed: Refusal if the content exceeds
 * `maxBytes`; any error of the source.
 */
export class Content {
  readonly #source: StatementSource;
  readonly #maxBytes: number;
  #pieces: Iterator<Uint8Array>;
  /** The pieces that were looked at, until more of them are read. */
  #ahead: Uint8Array[] = [];
  #fault: { readonly error: unknown } | null = null;
  #isPast = false;
  /** The first piece; null if the file is empty. */
  readonly first: Uint8Array | null;

  constructor(source: StatementSource, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#pieces = this.#open();
    this.first = this.#look(0);
  }

  /** The pieces from the first on, as far as the caller goes. */
  *head(): Generator<Uint8Array> {
    if (this.#isPast) this.#reopen();
    for (let at = 0; ; at += 1) {
      const piece = this.#look(at);
      if (piece === null) return;
      yield piece;
    }
  }

  /** All pieces. After that the file is opened again for {@link head} or a second time, if pieces were left behind. */
  *whole(): Generator<Uint8Array> {
    if (this.#isPast) this.#reopen();
    yield* this.#ahead;
    for (;;) {
      const piece = this.#next();
      if (piece === null) return;
      this.#isPast = true;
      this.#ahead = [];
      yield piece;
    }
  }

  close(): void {
    this.#pieces.return?.();
  }

  #look(at: number): Uint8Array | null {
    while (at >= this.#ahead.length) {
      const piece = this.#next();
      if (piece === null) return null;
      // The source may use its memory again.
      this.#ahead.push(Uint8Array.from(piece));
    }
    return this.#ahead[at]!;
  }

  #next(): Uint8Array | null {
    if (this.#fault !== null) throw this.#fault.error;
    try {
      const next = this.#pieces.next();
      return next.done === true ? null : next.value;
    } catch (error) {
      this.#fault = { error };
      throw error;
    }
  }

  #reopen(): void {
    this.close();
    this.#pieces = this.#open();
    this.#ahead = [];
    this.#fault = null;
    this.#isPast = false;
  }

  *#open(): Generator<Uint8Array> {
    let total = 0;
    for (const piece of evenPieces(this.#source.open())) {
      total += piece.length;
      if (total > this.#maxBytes)
        throw new Refusal(`File is longer than ${this.#maxBytes} bytes unpacked`);
      yield piece;
    }
  }
}

/** Cuts and joins chunks into pieces of 64 KiB, so that huge or tiny chunks cost no more than others. */
function* evenPieces(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let buffer: Uint8Array = new Uint8Array(0);
  let length = 0;
  try {
    for (const chunk of chunks) {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + PIECE_BYTES - length);
        at += part.length;
        if (part.length === PIECE_BYTES) {
          yield part;
          continue;
        }
        // Most files are one short chunk.
        if (length === 0) buffer = new Uint8Array(part);
        else {
          if (buffer.length < PIECE_BYTES) buffer = enlarged(buffer);
          buffer.set(part, length);
        }
        length += part.length;
        if (length < PIECE_BYTES) continue;
        yield buffer;
        length = 0;
      }
    }
  } catch (error) {
    // The error is reported at the line that the bytes before it reach.
    yield buffer.subarray(0, length);
    throw error;
  }
  if (length > 0) yield buffer.subarray(0, length);
}

function enlarged(buffer: Uint8Array): Uint8Array {
  const whole = new Uint8Array(PIECE_BYTES);
  whole.set(buffer);
  return whole;
}

const LESS_THAN = 0x3c;
const LOOKED_AT_BYTES = 4096;

/** The UTF-16 encoding that the first bytes show, by a byte order mark or as XML, or null. */
export function utf16Of(head: Uint8Array): string | null {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : unmarkedUtf16Of(head);
}

/**
 * UTF-16 without a byte order mark: XML shows it by its first two characters, any other text by a NUL in nearly every
 * other byte. Source: XML 1.0, appendix F.
 */
function unmarkedUtf16Of(head: Uint8Array): string | null {
  const [a, b, c, d] = head;
  if (a === LESS_THAN && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  if (a === 0 && b === LESS_THAN && c === 0 && d !== 0) return 'utf-16be';
  const looked = head.subarray(0, LOOKED_AT_BYTES);
  const nuls = [0, 0];
  for (let at = 0; at < looked.length; at += 1) if (looked[at] === 0) nuls[at % 2]! += 1;
  const [high = 0, low = 0] = nuls;
  const many = looked.length / 4;
  if (looked.length < 16 || high + low < many) return null;
  return high === 0 ? 'utf-16le' : low === 0 ? 'utf-16be' : null;
}

/** Opens a text at its first character, also several times. */
export type OpenText = () => Iterable<string>;

/** The text of a file, in the encoding that its bytes show while they are decoded. */
export class FileText {
  readonly #content: Content;
  readonly #fallback: (head: Uint8Array) => string;
  /** Whether nothing says what the encoding is. */
  #isOpen: boolean;
  #encoding: string;
  /** Whether the file is not valid UTF-8, as far as it was decoded. */
  isFallback = false;

  /** `given`: the encoding that the user gave. Errors: Refusal if it is unknown. */
  constructor(content: Content, given: string | undefined, fallback: (head: Uint8Array) => string) {
    this.#content = content;
    this.#fallback = fallback;
    const known = given === undefined ? utf16Of(this.#head) : encodingName(given);
    this.#isOpen = known === null;
    this.#encoding = known ?? 'utf-8';
  }

  get encoding(): string {
    return this.#encoding;
  }

  /** The text from its beginning on, as far as the caller goes. */
  head(): Iterable<string> {
    return this.#decoded(this.#content.head());
  }

  /** All of the text. Errors: as {@link decode}. */
  whole(): Iterable<string> {
    return this.#decoded(this.#content.whole());
  }

  /** Changes to the fallback encoding; returns false if it was used already, or an encoding is known. */
  fallBack(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.isFallback = true;
    this.#encoding = this.#fallback(this.#head);
    return true;
  }

  get #head(): Uint8Array {
    return this.#content.first ?? new Uint8Array();
  }

  #decoded(pieces: Iterable<Uint8Array>): Iterable<string> {
    if (!this.#isOpen) return decode(pieces, this.#encoding);
    return unpadded(decodeUtf8(pieces, () => this.#afterAscii()));
  }

  /** The encoding in which a text that was only ASCII goes on; null if it is none in which ASCII is the same. */
  #afterAscii(): string | null {
    this.fallBack();
    return /^(?:iso-2022|utf-)/.test(this.#encoding) ? null : this.#encoding;
  }
}

/**
 * Calls `read` with the text of a file: in the given encoding; in UTF-16 if the file begins with its byte order mark;
 * else in UTF-8. At bytes that are not valid UTF-8, the text goes on in the encoding that `fallback` returns for the
 * first bytes; after other characters than ASCII, `read` starts again.
 * Errors: what `read` throws; Refusal if the given label is unknown.
 */
export function inItsEncoding<T>(
  content: Content,
  given: string | undefined,
  fallback: (head: Uint8Array) => string,
  read: (text: FileText) => T,
): T {
  const text = new FileText(content, given, fallback);
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof NotUtf8) || (!text.fallBack() && !text.isFallback)) throw error;
    return read(text);
  }
}

const DEFAULT = 'windows-1252';

/** The fallback encoding of files that declare none. */
export function usualFallback(): string {
  return DEFAULT;
}

const CODE_PAGE = /^\d{3,4}$/;

/** The fallback encoding of XML: what its declaration says, as {@link fallbackOf}. */
export function declaredByXml(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, LOOKED_AT_BYTES)).toString('latin1');
  return fallbackOf(/<\?xml[^<>]{0,200}?\sencoding\s*=\s*["']([\w-]{1,40})["']/.exec(text)?.[1]);
}

/**
 * The WHATWG name of a declared encoding, for text that is not valid UTF-8. windows-1252 if the declaration is missing,
 * unknown, or certainly wrong: UTF-8, and UTF-16, which the first bytes would show.
 */
export function fallbackOf(label = DEFAULT): string {
  try {
    const known = encodingName(CODE_PAGE.test(label) ? `windows-${label}` : label);
    return known.startsWith('utf-') ? DEFAULT : known;
  } catch {
    return DEFAULT;
  }
}

/**
 * The WHATWG name of an encoding's label, such as `windows-1252` for `latin1`.
 * Errors: Refusal if the label is unknown. Source: WHATWG Encoding Standard, 4.2.
 */
export function encodingName(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new Refusal(`Unknown encoding "${label}"`);
  }
}

/**
 * Decodes pieces of bytes to pieces of text, without a byte order mark.
 * Errors: NotUtf8 if the bytes are not valid UTF-8, Refusal if they are not valid in another encoding.
 */
export function decode(pieces: Iterable<Uint8Array>, encoding: string): Iterable<string> {
  return unpadded(
    encoding === 'utf-8' ? decodeUtf8(pieces, () => null) : decodeOther(pieces, encoding),
  );
}

/** Maximum NUL characters at the end of a file. */
const MAX_PADDING = 65_536;

/** Some systems fill the end of a file with NUL characters. One that text follows stays, for the reader to refuse. */
function* unpadded(pieces: Iterable<string>): Generator<string> {
  let padding = 0;
  for (const piece of pieces) {
    let end = piece.length;
    while (end > 0 && piece.charCodeAt(end - 1) === 0) end -= 1;
    const isPadding = end === 0 && padding + piece.length <= MAX_PADDING;
    if (!isPadding) yield '\0'.repeat(padding) + piece.slice(0, end);
    padding = isPadding ? padding + piece.length : piece.length - end;
  }
}

/**
 * Several times faster than a streaming TextDecoder, and ASCII text takes one byte per character in memory. `otherwise`
 * returns the encoding in which a text goes on that was only ASCII up to bytes that are not valid; null for none.
 */
function* decodeUtf8(
  pieces: Iterable<Uint8Array>,
  otherwise: () => string | null,
): Generator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  let isAscii = true;
  let atStart = true;
  let other: Decoder | null = null;
  for (const piece of pieces) {
    if (other !== null) {
      yield decodedPart(other, piece);
      continue;
    }
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.subarray(0, wholeCharacters(bytes));
    if (!isUtf8(whole)) {
      other = otherDecoder(isAscii ? otherwise() : null);
      yield decodedPart(other, bytes);
      continue;
    }
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf8');
    yield atStart && text.startsWith('\uFEFF') ? text.slice(1) : text;
    atStart &&= text === '';
    isAscii &&= text.length === whole.length;
    rest = Uint8Array.from(bytes.subarray(whole.length)); // a copy: the source may reuse its memory
  }
  if (other === null && rest.length === 0) return;
  if (other === null) {
    other = otherDecoder(isAscii ? otherwise() : null);
    yield decodedPart(other, rest);
  }
  yield decodedPart(other, null);
}

function otherDecoder(encoding: string | null): Decoder {
  if (encoding === null) throw new NotUtf8('Text is not valid utf-8');
  return new TextDecoder(encoding, { fatal: true });
}

/** The end of the last complete character. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

type Decoder = InstanceType<typeof TextDecoder>;

function* decodeOther(pieces: Iterable<Uint8Array>, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (const piece of pieces) yield decodedPart(decoder, piece);
  yield decodedPart(decoder, null);
}

function decodedPart(decoder: Decoder, piece: Uint8Array | null): string {
  try {
    return piece === null ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch {
    throw new Refusal(`Text is not valid ${decoder.encoding}`);
  }
}
