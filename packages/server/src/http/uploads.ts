import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, write } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '@coffer/core/text';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { malformed, Problem } from '../operations/problem.ts';
import { maxFileBytes, maxFormBytes, uploadTooLarge } from '../operations/upload.ts';
import type { MultipartForm, ReceivedFile, Upload, AttachedFile } from '../operations/upload.ts';
import { uploadLimits, type ServerLimits } from './server.ts';
import { routeOf } from './routes.ts';
import { closing, collect, JoinedChunks } from './read.ts';
import type { Readable } from 'node:stream';

const writeFile = promisify(write);
const { timeoutMs, mostAtOnce, mostOfBook, mostUnwrittenBytes, mostFormBytes } = uploadLimits;
const maxFieldBytes = 64 * 1024;
/** A form has some more than its file. */
const maxBodyBytes = maxFileBytes + maxFieldBytes * 2;

/**
 * Returns the reader of the bodies of routes for files. A route for forms accepts a form, which is read into
 * memory; one that is too large is refused with 400, and with 503 while forms of 21 MB have arrived. A route with
 * `upload` accepts a file, which goes to the disk as it arrives: see {@link receiveUpload}. The other fields of its
 * form become parameters of the query. The file is closed after the response.
 */
export function fileReader({ bodyTimeoutMs }: Pick<ServerLimits, 'bodyTimeoutMs'>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { raw, identity, query } = request;
    if (routeOf(request)?.isForm === true) return readAttachment(raw, reply, bodyTimeoutMs);
    const upload = await receiveUpload(raw, identity?.book.id ?? 0);
    reply.raw.once('close', () => upload?.file?.close());
    const fields = new URLSearchParams();
    for (const [name, value] of upload?.fields ?? []) fields.append(name, value);
    if (fields.size > 0)
      request.query = { text: `${(query as { text: string }).text}&${fields.toString()}` };
    return upload;
  };
}

async function readAttachment(
  message: IncomingMessage,
  reply: FastifyReply,
  timeoutMs: number,
): Promise<MultipartForm | undefined> {
  const { headers } = message;
  const tooLarge = formTooLarge;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > maxFormBytes) throw tooLarge();
  const count = countForm(announced, reply);
  const bytes = await collect(message, { limit: maxFormBytes, tooLarge, count, timeoutMs });
  if (bytes.length === 0) return undefined;
  const type = headers['content-type'] ?? '';
  const form = isEncoded(message) ? null : await parseForm(bytes, type);
  if (form !== null) return form;
  const errMsg = `The body must be multipart/form-data, not compressed, and not ${quote(type)}`;
  throw new Problem('unsupportedMediaType', { details: [{ errMsg }] });
}

function formTooLarge(): Problem {
  const details = [{ errMsg: uploadTooLarge, invalid_property: 'file' }];
  return new Problem('invalidBody', { headers: closing, details });
}

let formBytes = 0;

/**
 * Returns a function that counts bytes of a form as they arrive; they count until the response is complete. Both throw
 * a Problem, 503, for bytes that would be too many in memory. What is announced but does not arrive keeps nobody out.
 */
function countForm(announced: number, reply: FastifyReply): (bytes: number) => void {
  let counted = 0;
  const release = (): void => {
    formBytes -= counted;
    counted = 0;
  };
  const refuseBeyond = (more: number): void => {
    if (formBytes + more <= mostFormBytes) return;
    release();
    throw new Problem('unavailable', { headers: { ...closing, 'retry-after': '5' } });
  };
  refuseBeyond(announced);
  reply.raw.once('close', release);
  return (bytes) => {
    refuseBeyond(bytes);
    counted += bytes;
    formBytes += bytes;
  };
}

/** How many files are being received for each book. */
const underWay = new Map<number, number>();

/**
 * Receives a file of at most 50 MB into a temporary file: the body itself, of any type, or a file in a form. Memory
 * does not grow with the file. Returns undefined for an empty body.
 *
 * Rejects with a Problem: 413 for a larger file, 415 for a compressed body, 400 for a form that cannot be parsed, 408
 * for one that takes five minutes, 503 if too many files are being received, at all or for the book, or the disk is
 * full.
 */
async function receiveUpload(
  message: IncomingMessage,
  bookId: number,
): Promise<Upload | undefined> {
  refuseAtOnce(message, bookId);
  countUnderWay(bookId, 1);
  try {
    return await received(message, new TemporaryFile());
  } catch (error) {
    if (isDiskError(error)) throw new Problem('unavailable', { headers: closing, cause: error });
    if (!(error instanceof Problem)) throw error;
    const { kind, details, headers } = error;
    throw new Problem(kind, { details, headers: { ...headers, ...closing } });
  } finally {
    countUnderWay(bookId, -1);
  }
}

function countUnderWay(bookId: number, more: 1 | -1): void {
  const count = (underWay.get(bookId) ?? 0) + more;
  if (count > 0) underWay.set(bookId, count);
  else underWay.delete(bookId);
}

/** Closes the file unless it is part of the result. */
async function received(message: IncomingMessage, file: TemporaryFile) {
  try {
    const boundary = boundaryOf(message.headers['content-type'] ?? '');
    const upload =
      boundary === null ? await alone(message, file) : await inForm(message, boundary, file);
    if (upload?.file !== file) file.close();
    return upload;
  } catch (error) {
    file.close();
    throw error;
  }
}

function refuseAtOnce({ headers }: IncomingMessage, bookId: number): void {
  if (isEncoded({ headers })) {
    const encoding = headers['content-encoding']!;
    const errMsg = `The body must not have the encoding ${quote(encoding)}: send the file as it is, packed or not`;
    throw new Problem('unsupportedMediaType', { headers: closing, details: [{ errMsg }] });
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  const all = [...underWay.values()].reduce((sum, count) => sum + count, 0);
  if (all >= mostAtOnce || (underWay.get(bookId) ?? 0) >= mostOfBook)
    throw new Problem('unavailable', { headers: { ...closing, 'retry-after': '5' } });
}

async function alone(message: IncomingMessage, file: TemporaryFile): Promise<Upload | undefined> {
  for await (const chunk of chunksOf(message)) await file.write(chunk);
  file.end();
  return file.bytes === 0 ? undefined : { file, fields: [] };
}

async function inForm(
  message: IncomingMessage,
  boundary: string,
  file: TemporaryFile,
): Promise<Upload> {
  const fields: (readonly [string, string])[] = [];
  const named: { file: TemporaryFile | null } = { file: null };
  const begin = ({ name, fileName }: { name: string; fileName: string | null }): PartSink => {
    if (name !== 'file' && fileName === null) return fieldSink(name, fields);
    if (named.file !== null || name !== 'file')
      throw malformed('A form must have one file, in the field file');
    named.file = file;
    file.name = fileName === '' ? null : fileName;
    return file;
  };
  await readForm(bounded(chunksOf(message)), boundary, begin);
  return { file: named.file, fields };
}

/** What comes before and after the parts counts too. */
async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw tooLarge();
    yield chunk;
  }
}

/** The bytes of a body, as many at once as have arrived, until the time is up. The request stays open. */
async function* chunksOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  const arrived = new JoinedChunks();
  const state: { isComplete: boolean; problem: Problem | null; wake: () => void } = {
    isComplete: false,
    problem: null,
    wake: () => undefined,
  };
  const add = (chunk: Buffer): void => {
    arrived.add(chunk);
    if (arrived.bytes > mostUnwrittenBytes) message.pause();
    state.wake();
  };
  const stop = (problem: Problem | null): void => {
    if (state.isComplete) return;
    state.isComplete = true;
    state.problem = problem;
    state.wake();
  };
  const timeout = (): void => stop(new Problem('requestTimeout'));
  const timer = setTimeout(timeout, timeoutMs);
  // The client disconnected and will not read the response.
  const leave = (): void => stop(new Problem('malformedRequest'));
  if (message.destroyed) leave();
  message
    .once('error', leave)
    .once('end', () => stop(null))
    .on('data', add);
  try {
    for (;;) {
      if (state.problem !== null) throw state.problem;
      if (arrived.bytes > 0) {
        message.resume();
        yield arrived.take();
      } else if (state.isComplete) return;
      else await new Promise<void>((resolve) => (state.wake = resolve));
    }
  } finally {
    clearTimeout(timer);
    message.off('data', add).pause();
  }
}

/** A temporary file without a name, so that it is deleted with the process. */
class TemporaryFile implements ReceivedFile, PartSink {
  readonly #hash = createHash('sha256');
  readonly #file: number;
  #isOpen = true;
  name: string | null = null;
  bytes = 0;
  hash = '';

  constructor() {
    const path = join(tmpdir(), `coffer-${randomUUID()}`);
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.bytes + chunk.length > maxFileBytes) throw tooLarge();
    this.#hash.update(chunk);
    for (let from = 0; from < chunk.length;) {
      const at = this.bytes + from;
      from += (await writeFile(this.#file, chunk, from, chunk.length - from, at)).bytesWritten;
    }
    this.bytes += chunk.length;
  }

  end(): void {
    this.hash = this.#hash.digest('hex');
  }

  take(): number {
    if (!this.#isOpen) throw new Error('The file was taken or closed already');
    this.#isOpen = false;
    return this.#file;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }
}

function fieldSink(name: string, fields: (readonly [string, string])[]): PartSink {
  const text = new JoinedChunks();
  return {
    write: (chunk) => {
      text.add(Buffer.from(chunk));
      if (text.bytes > maxFieldBytes)
        throw malformed(`The field ${quote(name)} is longer than ${maxFieldBytes} bytes`);
    },
    end: () => void fields.push([name, text.take().toString()]),
  };
}

function tooLarge(): Problem {
  const errMsg = `The file is larger than ${maxFileBytes / 2 ** 20} MB`;
  return new Problem('bodyTooLarge', { details: [{ errMsg }] });
}

function isEncoded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function isDiskError(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return /^(ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS|EACCES|EIO|ENOENT)$/.test(String(code));
}

const maxParts = 20;
const maxHeaderBytes = 8192;
const notForm = 'The body is not a form of the type multipart/form-data';
const incomplete = 'The body is not a complete form of the type multipart/form-data';

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
function boundaryOf(type: string): string | null {
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
async function readForm(
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
