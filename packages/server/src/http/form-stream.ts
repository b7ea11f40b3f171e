import { quote } from '@coffer/core/text';
import { Problem } from '../operations/problem.ts';

const maxParts = 20;
const maxHeaderBytes = 8192;
const lineEnd = Buffer.from('\r\n');
const headerEnd = Buffer.from('\r\n\r\n');
const dash = 0x2d;

/** Receives the content of one part of a form. */
export interface PartSink {
  write(chunk: Uint8Array): Promise<void>;
  end(): void;
}

/** Begins a part; `fileName` is null for a part that is no file. */
type BeginPart = (name: string, fileName: string | null) => PartSink;

/**
 * Returns the boundary of a media type multipart/form-data; null for another type. Throws a Problem if it has none, or
 * one that is not valid.
 *
 * Source: RFC 2046, 5.1.1.
 */
export function boundaryOf(type: string): string | null {
  if (!/^\s*multipart\/form-data\s*(?:;|$)/i.test(type)) return null;
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";]{1,70})(?=[\s;]|$))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary !== undefined) return boundary;
  throw malformed('The media type multipart/form-data needs a boundary of at most 70 characters');
}

/**
 * Parses a body of the type multipart/form-data as it arrives, and passes the content of each part on. Holds a few
 * kilobytes of it. Throws a Problem for a form that cannot be parsed, and for one with more than 20 parts.
 *
 * Node's own parser needs the whole body in memory, which is too much for files of 50 MB.
 *
 * Source: RFC 7578; RFC 2046, 5.1.
 */
export class FormStream {
  readonly #delimiter: Buffer;
  readonly #begin: BeginPart;
  /** The first delimiter may be at the start of the body. */
  #held: Buffer = lineEnd;
  #state: 'preamble' | 'delimiter' | 'header' | 'content' | 'end' = 'preamble';
  #part: PartSink | null = null;
  #parts = 0;

  constructor(boundary: string, begin: BeginPart) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#begin = begin;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#held = Buffer.concat([this.#held, chunk]);
    while (await this.#step());
    // What follows the form is ignored.
    if (this.#state === 'end') this.#held = Buffer.alloc(0);
  }

  /** Throws a Problem if the form is not complete. */
  end(): void {
    if (this.#state !== 'end')
      throw malformed('The body is not a complete form of the type multipart/form-data');
  }

  /** Parses a piece. Returns false when more of the body is needed. */
  #step(): boolean | Promise<boolean> {
    switch (this.#state) {
      case 'preamble':
      case 'content':
        return this.#content();
      case 'delimiter':
        return this.#afterDelimiter();
      case 'header':
        return this.#header();
      case 'end':
        return false;
    }
  }

  /** Passes on what comes before the next delimiter. */
  async #content(): Promise<boolean> {
    const at = this.#held.indexOf(this.#delimiter);
    // The end may be the beginning of a delimiter.
    const length = at < 0 ? Math.max(0, this.#held.length - this.#delimiter.length + 1) : at;
    if (this.#part !== null && length > 0) await this.#part.write(this.#held.subarray(0, length));
    this.#held = this.#held.subarray(at < 0 ? length : at + this.#delimiter.length);
    if (at < 0) return false;
    this.#part?.end();
    this.#part = null;
    this.#state = 'delimiter';
    return true;
  }

  /** A delimiter is followed by a line break, or by two dashes after the last part. */
  #afterDelimiter(): boolean {
    if (this.#held.length < 2) return false;
    const isLast = this.#held[0] === dash && this.#held[1] === dash;
    if (!isLast && this.#held.indexOf(lineEnd) !== 0)
      throw malformed('The body is not a form of the type multipart/form-data');
    // The line break stays: a part without a header begins with two.
    if (!isLast) this.#parts += 1;
    if (this.#parts > maxParts) throw malformed(`A form may have ${maxParts} parts`);
    this.#state = isLast ? 'end' : 'header';
    return true;
  }

  #header(): boolean {
    const at = this.#held.indexOf(headerEnd);
    if (at < 0 && this.#held.length <= maxHeaderBytes) return false;
    if (at < 0 || at > maxHeaderBytes)
      throw malformed(`A part of a form may have ${maxHeaderBytes} bytes of headers`);
    const header = this.#held.toString('utf8', 0, at);
    this.#held = this.#held.subarray(at + headerEnd.length);
    this.#part = this.#begin(...namesIn(header));
    this.#state = 'content';
    return true;
  }
}

/** Returns the names of a part and of its file. */
function namesIn(header: string): [name: string, fileName: string | null] {
  const line = header.split('\r\n').find((each) => /^content-disposition:/i.test(each)) ?? '';
  const name = parameterOf(line, nameParameter);
  if (name === null)
    throw malformed(`A part of the form has no name, but the header ${quote(header.trim())}`);
  return [name, encodedParameterOf(line) ?? parameterOf(line, fileNameParameter)];
}

const nameParameter = /;[ \t]?name=(?:"([^"]*)"|([^\s";]+))/i;
const fileNameParameter = /;[ \t]?filename=(?:"([^"]*)"|([^\s";]+))/i;

function parameterOf(line: string, parameter: RegExp): string | null {
  const [, quoted, plain] = parameter.exec(line) ?? [];
  const value = quoted ?? plain ?? null;
  // As browsers write these characters.
  return value?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n') ?? null;
}

/** Source: RFC 8187. */
function encodedParameterOf(line: string): string | null {
  const [, value] = /;[ \t]?filename\*=utf-8''([^\s";]+)/i.exec(line) ?? [];
  try {
    return value === undefined ? null : decodeURIComponent(value);
  } catch {
    throw malformed(`The name of the file, ${quote(value!)}, is not percent-encoded UTF-8`);
  }
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', {
    headers: { connection: 'close' },
    details: [{ errMsg }],
  });
}
