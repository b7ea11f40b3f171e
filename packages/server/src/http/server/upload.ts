import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, write } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '@coffer/core/text';
import { Problem } from '../../operations/problem.ts';
import { maxFileBytes } from '../../operations/upload.ts';
import type { ReceivedFile, Upload } from '../../operations/upload.ts';
import { boundaryOf, FormStream } from './form-stream.ts';
import type { PartSink } from './form-stream.ts';
import { uploadLimits } from './limits.ts';

const writeFile = promisify(write);
const { timeoutMs, mostAtOnce } = uploadLimits;
const maxFieldBytes = 64 * 1024;
/** A client that is refused in the middle of its body is still sending, so the connection cannot be reused. */
const closing = { connection: 'close' };

let underWay = 0;

/**
 * Receives a file of at most 50 MB into a temporary file: the body itself, of any type, or a file in a form. Memory
 * does not grow with the file. Returns undefined for an empty body.
 *
 * Rejects with a Problem: 413 for a larger file, 415 for a compressed body, 400 for a form that cannot be parsed, 408
 * for one that takes five minutes, 503 if too many files are being received or the disk is full.
 */
export async function receiveUpload(message: IncomingMessage): Promise<Upload | undefined> {
  refuseAtOnce(message);
  underWay += 1;
  const file = new TemporaryFile();
  try {
    const boundary = boundaryOf(message.headers['content-type'] ?? '');
    const upload =
      boundary === null ? await alone(message, file) : await inForm(message, boundary, file);
    if (upload?.file !== file) file.close();
    return upload;
  } catch (error) {
    file.close();
    throw isDiskError(error)
      ? new Problem('unavailable', { headers: closing, cause: error })
      : error;
  } finally {
    underWay -= 1;
  }
}

function refuseAtOnce({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const errMsg = `The body must not have the encoding ${quote(encoding)}: send the file as it is, packed or not`;
    throw new Problem('unsupportedMediaType', { headers: closing, details: [{ errMsg }] });
  }
  // A form has some more.
  if (Number(headers['content-length'] ?? 0) > maxFileBytes + maxFieldBytes * 2) throw tooLarge();
  if (underWay >= mostAtOnce)
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
  for await (const chunk of chunksOf(message)) await form.write(chunk);
  form.end();
  return { file: named.file, fields };
}

/** The chunks of a body until the time is up. The request stays open, so that it can be responded to. */
async function* chunksOf(message: IncomingMessage): AsyncGenerator<Buffer> {
  const time = { isUp: false, end: (): void => undefined };
  const timer = setTimeout(() => {
    time.isUp = true;
    time.end();
  }, timeoutMs);
  const chunks = message.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      // A promise for each chunk: one for the time that all are raced with would keep every chunk in memory.
      const { promise: ended, resolve } = Promise.withResolvers<undefined>();
      time.end = () => resolve(undefined);
      if (time.isUp) time.end();
      const next = await Promise.race([chunks.next(), ended]).catch(() => {
        // The client disconnected and will not read the response.
        throw new Problem('malformedRequest');
      });
      if (next === undefined) throw new Problem('requestTimeout', { headers: closing });
      if (next.done === true) return;
      yield next.value as Buffer;
    }
  } finally {
    clearTimeout(timer);
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
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(name: string, fields: (readonly [string, string])[]) {
    this.#name = name;
    this.#fields = fields;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.length;
    if (this.#bytes > maxFieldBytes)
      throw malformed(`The field ${quote(this.#name)} is longer than ${maxFieldBytes} bytes`);
    this.#chunks.push(Buffer.from(chunk));
    return Promise.resolve();
  }

  end(): void {
    this.#fields.push([this.#name, Buffer.concat(this.#chunks).toString()]);
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
