import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, write } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '@coffer/core/text';
import { Problem } from '../operations/problem.ts';
import { maxFileBytes } from '../operations/upload.ts';
import type { ReceivedFile, Upload } from '../operations/upload.ts';
import { boundaryOf, FormStream } from './form-stream.ts';
import type { PartSink } from './form-stream.ts';
import { JoinedChunks } from './joined-chunks.ts';
import { uploadLimits } from './limits.ts';

const writeFile = promisify(write);
const { timeoutMs, mostAtOnce, mostOfBook, mostUnwrittenBytes } = uploadLimits;
const maxFieldBytes = 64 * 1024;
/** A form has some more than its file. */
const maxBodyBytes = maxFileBytes + maxFieldBytes * 2;
/** A client that is refused in the middle of its body is still sending, so the connection cannot be reused. */
const closing = { connection: 'close' };

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
export async function receiveUpload(
  message: IncomingMessage,
  bookId: number,
): Promise<Upload | undefined> {
  refuseAtOnce(message, bookId);
  countUnderWay(bookId, 1);
  try {
    return await received(message, new TemporaryFile());
  } catch (error) {
    throw isDiskError(error)
      ? new Problem('unavailable', { headers: closing, cause: error })
      : error;
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
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
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
  const begin = (name: string, fileName: string | null): PartSink => {
    if (name !== 'file' && fileName === null) return new Field(name, fields);
    if (named.file !== null || name !== 'file')
      throw malformed('A form must have one file, in the field file');
    named.file = file;
    file.name = fileName === '' ? null : fileName;
    return file;
  };
  const form = new FormStream(boundary, begin);
  let bytes = 0;
  for await (const chunk of chunksOf(message)) {
    // What comes before and after the parts counts too.
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw tooLarge();
    await form.write(chunk);
  }
  form.end();
  return { file: named.file, fields };
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
  const timeout = (): void => stop(new Problem('requestTimeout', { headers: closing }));
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

/** A field of a form with text. */
class Field implements PartSink {
  readonly #name: string;
  readonly #fields: (readonly [string, string])[];
  readonly #text = new JoinedChunks();

  constructor(name: string, fields: (readonly [string, string])[]) {
    this.#name = name;
    this.#fields = fields;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#text.add(Buffer.from(chunk));
    if (this.#text.bytes > maxFieldBytes)
      throw malformed(`The field ${quote(this.#name)} is longer than ${maxFieldBytes} bytes`);
    return Promise.resolve();
  }

  end(): void {
    this.#fields.push([this.#name, this.#text.take().toString()]);
  }
}

function tooLarge(): Problem {
  const errMsg = `The file is larger than ${maxFileBytes / 2 ** 20} MB`;
  return new Problem('bodyTooLarge', { headers: closing, details: [{ errMsg }] });
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { headers: closing, details: [{ errMsg }] });
}

function isDiskError(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return /^(ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS|EACCES|EIO|ENOENT)$/.test(String(code));
}
