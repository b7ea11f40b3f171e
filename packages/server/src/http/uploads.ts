import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, write } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '@coffer/core/text';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../operations/problem.ts';
import { maxFileBytes, maxFormBytes, uploadTooLarge } from '../operations/upload.ts';
import type { MultipartForm, ReceivedFile, Upload } from '../operations/upload.ts';
import { boundaryOf, parseForm, type PartSink, readForm } from './forms.ts';
import { type ServerLimits, uploadLimits } from './limits.ts';
import { routeOf } from './routes.ts';
import { closing, collect, JoinedChunks } from './read.ts';

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

/** Receives a field of a form with text. */
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

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}

function isEncoded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function isDiskError(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return /^(ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS|EACCES|EIO|ENOENT)$/.test(String(code));
}
