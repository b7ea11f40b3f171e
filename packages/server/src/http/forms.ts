import type { Readable } from 'node:stream';
import { quote } from '@coffer/core/text';
import { Problem } from '../operations/problem.ts';
import type { AttachedFile, MultipartForm } from '../operations/upload.ts';

const maxParts = 20;
const maxHeaderBytes = 8192;
const notForm = 'The body is not a form of the type multipart/form-data';
const incomplete = 'The body is not a complete form of the type multipart/form-data';

/** What the header of a part says. */
interface PartHeader {
  readonly name: string;
  /** Null for a part that is no file. */
  readonly fileName: string | null;
  /** In lower case. */
  readonly type: string;
}

/** Receives the content of one part of a form. */
export interface PartSink {
  write(chunk: Uint8Array): void | Promise<void>;
  end(): void;
}

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
 * Reads a body of the type multipart/form-data as it arrives, and passes the content of each part on, in order. Holds
 * about 100 kB of it. Rejects with a Problem for a form that cannot be parsed, with a part without a name, with more
 * than 20 parts, or with more than 8 KiB of headers of a part; and as `begin` and a sink do. Then no sink is at work.
 *
 * The parser is Dicer of `@fastify/busboy`. Busboy itself leaves out parts without a name and what is too much of a
 * header, and says nothing. See decision 074.
 *
 * Source: RFC 7578; RFC 2046, 5.1.
 */
export async function readForm(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  boundary: string,
  begin: (header: PartHeader) => PartSink,
): Promise<void> {
  // Forms are few: the parser is loaded when it is first needed.
  const { default: busboy } = await import('@fastify/busboy');
  const dicer = new busboy.Dicer({ boundary });
  const parts: Readable[] = [];
  const [failed, complete] = [Promise.withResolvers<never>(), Promise.withResolvers<unknown>()];
  failed.promise.catch(() => undefined);
  let sinks = Promise.resolve();
  let headers = 0;
  let headerBytes = 0;
  dicer.on('part', (part) => {
    if (parts.length === maxParts) throw tooMuch();
    parts.push(part.on('error', () => undefined));
    headerBytes = 0;
    part.on('header', (lines) => {
      headers += 1;
      const sink = begin(headerOf(lines as HeaderLines));
      sinks = sinks.then(() => passOn(part, sink));
      sinks.catch(failed.reject);
    });
  });
  dicer.once('finish', () => complete.resolve(undefined));
  dicer.once('error', () =>
    failed.reject(malformed(headers < parts.length ? notForm : incomplete)),
  );
  try {
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length && dicer.writable; at += maxHeaderBytes) {
        const piece = chunk.subarray(at, at + maxHeaderBytes);
        const written = new Promise<unknown>((resolve) => dicer.write(piece, resolve));
        await Promise.race([written, failed.promise]);
        headerBytes += piece.length;
        if (headers < parts.length && headerBytes > maxHeaderBytes) throw tooMuch();
      }
    if (dicer.writable) dicer.end();
    await Promise.race([complete.promise, failed.promise]);
    if (headers < parts.length) throw malformed(notForm);
    await sinks;
  } finally {
    for (const part of parts) part.destroy();
    await sinks.catch(() => undefined);
  }
}

async function passOn(part: AsyncIterable<Uint8Array>, sink: PartSink): Promise<void> {
  for await (const piece of part) await sink.write(piece);
  sink.end();
}

/** The values of the lines of a header by their names in lower case, in Latin 1. */
type HeaderLines = Readonly<Record<string, readonly string[] | undefined>>;

function headerOf(lines: HeaderLines): PartHeader {
  const texts = Object.entries(lines).flatMap(([name, values = []]) =>
    values.map((value) => `${name}: ${value}`),
  );
  if (texts.join('\r\n').length > maxHeaderBytes) throw tooMuch();
  const valueOf = (name: string) => {
    const value = lines[name]?.[0];
    return value === undefined ? undefined : Buffer.from(value, 'latin1').toString();
  };
  const disposition = valueOf('content-disposition') ?? '';
  const name = parameterOf(disposition, /;[ \t]?name=(?:"([^"]*)"|([^\s";]+))/i);
  if (name === null)
    throw malformed(`A part of the form has no name, but the header ${quote(texts.join('\r\n'))}`);
  const fileName =
    encodedName(disposition) ??
    parameterOf(disposition, /;[ \t]?filename=(?:"([^"]*)"|([^\s";]+))/i);
  return { name, fileName, type: (valueOf('content-type') ?? 'text/plain').toLowerCase() };
}

function parameterOf(disposition: string, parameter: RegExp): string | null {
  const [, quoted, plain] = parameter.exec(disposition) ?? [];
  const value = quoted ?? plain ?? null;
  // As browsers write these characters.
  return value?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n') ?? null;
}

/** Source: RFC 8187. */
function encodedName(disposition: string): string | null {
  const [, value] = /;[ \t]?filename\*=utf-8''([^\s";]+)/i.exec(disposition) ?? [];
  try {
    return value === undefined ? null : decodeURIComponent(value);
  } catch {
    throw malformed(`The name of the file, ${quote(value!)}, is not percent-encoded UTF-8`);
  }
}

/** Some clients send a form under the media type of JSON, without the boundary that separates its parts. */
const firstLine = /^--([\w'()+,./:=?-]{1,70})\r\n/;

/**
 * Parses a whole form. Its boundary is that of the media type, or else the first line of the body, because some clients
 * send forms under another type. Returns null if the body is not a form. Rejects as {@link readForm} does.
 *
 * Source: the client of the API that Coffer is compatible with.
 */
export async function parseForm(bytes: Buffer, type: string): Promise<MultipartForm | null> {
  const named = type.includes(';') ? boundaryOf(type) : null;
  const boundary = named ?? firstLine.exec(bytes.toString('latin1', 0, 80))?.[1];
  if (boundary === undefined) return null;
  const form: [string, string | AttachedFile][] = [];
  await readForm([bytes], boundary, ({ name, fileName, type: ofPart }) => {
    const pieces: Uint8Array[] = [];
    const end = (): void => {
      const all = Buffer.concat(pieces);
      const content = new Uint8Array(all.buffer, all.byteOffset, all.length);
      const file = fileName === null ? null : { name: fileName, type: ofPart, bytes: content };
      form.push([name, file ?? all.toString()]);
    };
    return { write: (piece) => void pieces.push(piece), end };
  });
  return form;
}

function tooMuch(): Problem {
  return malformed(
    `A form may have ${maxParts} parts, each with ${maxHeaderBytes} bytes of headers`,
  );
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}
