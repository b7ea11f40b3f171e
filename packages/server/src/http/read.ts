import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../operations/problem.ts';
import { quote } from '@coffer/core/text';
import type { Upload } from '../operations/upload.ts';
import { JoinedChunks } from './joined-chunks.ts';
import { uploadLimits } from './limits.ts';
import { maxFormBytes, uploadTooLarge, type MultipartForm } from '../operations/multipart.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route accepts a form of the type multipart/form-data, and no JSON. */
    multipart?: boolean;
    /** Whether the route accepts a file, alone or in a form. */
    upload?: boolean;
  }
}

/** The maximum size of a body, and the time it may take to arrive. */
export interface BodyLimits {
  readonly bodyLimitBytes: number;
  readonly bodyTimeoutMs: number;
}

const maxDepth = 32;
/** A client that is refused in the middle of its body is still sending, so the connection cannot be reused. */
const closing = { connection: 'close' };

/**
 * Returns the hook that reads a request's body into `request.body`, for every method.
 *
 * An empty body of any type is undefined, because clients send a type with every request. Any other body must be JSON
 * (`application/json`, UTF-8, not compressed), at most `bodyLimitBytes` bytes, nested at most 32 levels deep, without
 * keys that change prototypes. Others are refused with 413, 415, 408 or 400.
 *
 * A route with `multipart` accepts only a form, which is larger; one that is too large is refused with 400, and with
 * 503 while forms of 21 MB have arrived. A route with `upload` accepts a file, which goes to the disk as it arrives:
 * see {@link receiveUpload}.
 *
 * Source: upstream-compatible clients; RFC 8259.
 */
export function readBody({ bodyLimitBytes, bodyTimeoutMs }: BodyLimits): onRequestHookHandler {
  const read = async (message: IncomingMessage, reply: FastifyReply, isForm: boolean) => {
    const { headers } = message;
    const [limit, tooLarge] = isForm
      ? [maxFormBytes, formTooLarge]
      : [bodyLimitBytes, jsonTooLarge];
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > limit) throw tooLarge();
    const hold = isForm ? holdForm(announced, reply) : () => undefined;
    const bytes = await collect(message, { limit, tooLarge, hold, timeoutMs: bodyTimeoutMs });
    if (bytes.length === 0) return undefined;
    if (isForm) return parseFormOnly(bytes, headers);
    checkType(headers);
    return parseJson(bytes);
  };
  return (request, reply, done) => {
    const { raw } = request;
    const isForm = request.routeOptions.config.multipart === true;
    // After this hook, the framework would refuse types that it does not know, even of empty bodies.
    const forgetType = (): void => {
      delete raw.headers['content-type'];
    };
    if (!announcesBody(raw)) {
      forgetType();
      done();
      return;
    }
    const { upload = false } = request.routeOptions.config;
    (upload ? receive(raw, reply) : read(raw, reply, isForm)).then((body) => {
      request.body = body;
      if (upload) request.query = withFields(request, body as Upload | undefined);
      forgetType();
      done();
    }, done);
  };
}

let formBytes = 0;

/**
 * Returns a function that counts bytes of a form as they arrive; they count until the response is complete. Both throw
 * a Problem, 503, for bytes that would be too many in memory. What is announced but does not arrive keeps nobody out.
 */
function holdForm(announced: number, reply: FastifyReply): (bytes: number) => void {
  let held = 0;
  const release = (): void => {
    formBytes -= held;
    held = 0;
  };
  const refuseBeyond = (more: number): void => {
    if (formBytes + more <= uploadLimits.mostFormBytes) return;
    release();
    throw new Problem('unavailable', { headers: { ...closing, 'retry-after': '5' } });
  };
  refuseBeyond(announced);
  reply.raw.once('close', release);
  return (bytes) => {
    refuseBeyond(bytes);
    held += bytes;
    formBytes += bytes;
  };
}

/** Uploads are few: the code is loaded when it is first needed. Closes the file after the response. */
async function receive(message: IncomingMessage, reply: FastifyReply): Promise<Upload | undefined> {
  const { receiveUpload } = await import('./upload.ts');
  const bookId = reply.request.identity?.book.id ?? 0;
  const upload = await receiveUpload(message, bookId);
  reply.raw.once('close', () => upload?.file?.close());
  return upload;
}

/** The fields of a form with a file are read as parameters of the query. */
function withFields({ query }: FastifyRequest, upload: Upload | undefined): unknown {
  const fields = upload?.fields ?? [];
  const more = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));
  const { text } = query as { text: string };
  return fields.length === 0 ? query : { text: `${text}&${more.toString()}` };
}

function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return true;
  return length !== undefined && length !== '0';
}

/** How much of a body is read, and the problem of one that has more. */
interface Collecting {
  readonly limit: number;
  readonly tooLarge: () => Problem;
  /** Called with the length of each chunk. May throw a Problem. */
  readonly hold: (bytes: number) => void;
  readonly timeoutMs: number;
}

function collect(
  message: IncomingMessage,
  { limit, tooLarge, hold, timeoutMs }: Collecting,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks = new JoinedChunks();
    const stop = (problem: Error): void => {
      clearTimeout(timer);
      message.off('data', take).pause();
      reject(problem);
    };
    const take = (chunk: Buffer): void => {
      try {
        if (chunks.bytes + chunk.length > limit) throw tooLarge();
        hold(chunk.length);
        chunks.add(chunk);
      } catch (error) {
        stop(error as Error);
      }
    };
    const timer = setTimeout(() => {
      stop(new Problem('requestTimeout', { headers: closing }));
    }, timeoutMs);
    message.on('data', take);
    message.once('end', () => {
      clearTimeout(timer);
      resolve(chunks.take());
    });
    // The client disconnected and will not read the response.
    message.once('error', () => stop(new Problem('malformedRequest')));
  });
}

function jsonTooLarge(): Problem {
  return new Problem('bodyTooLarge', { headers: closing });
}

function formTooLarge(): Problem {
  const details = [{ errMsg: uploadTooLarge, invalid_property: 'file' }];
  return new Problem('invalidBody', { headers: closing, details });
}

/** Operations with forms are few: the parser is loaded when it is first needed. */
async function parseFormOnly(
  bytes: Buffer,
  headers: IncomingMessage['headers'],
): Promise<MultipartForm> {
  const { parseForm } = await import('./forms.ts');
  const type = headers['content-type'] ?? '';
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  const form = isPlain ? await parseForm(bytes, type) : null;
  if (form !== null) return form;
  const errMsg = `The body must be multipart/form-data, not compressed, and not ${quote(type)}`;
  throw new Problem('unsupportedMediaType', { details: [{ errMsg }] });
}

function checkType(headers: IncomingMessage['headers']): void {
  const type = headers['content-type'] ?? '';
  const [mediaType = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const isJson = mediaType === 'application/json' && parameters.every(isHarmless);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (isJson && encoding.toLowerCase() === 'identity') return;
  const errMsg = `The body must be application/json in UTF-8, not ${quote(type)} with the encoding ${quote(encoding)}`;
  throw new Problem('unsupportedMediaType', { details: [{ errMsg }] });
}

/** JSON is always UTF-8, but a client that names another charset may also send it. */
function isHarmless(parameter: string): boolean {
  return !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter);
}

function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8');
  }
  if (isDeeperThan(text, maxDepth))
    throw malformed(`The body is nested more than ${maxDepth} levels deep`);
  return parseSafely(text);
}

function parseSafely(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON');
  }
  if (isPoisoned(value))
    throw malformed(
      'The body has a key that is not allowed: "__proto__", or "prototype" in "constructor"',
    );
  return value;
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}

/** Counts brackets outside of strings, before any recursive code reads the text. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === backslash) at += 1;
      else if (character === doubleQuote) inString = false;
    } else if (character === doubleQuote) inString = true;
    else if (character === openBrace || character === openBracket) depth += 1;
    else if (character === closeBrace || character === closeBracket) depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}

const doubleQuote = 0x22;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether copying the value key by key could change the prototype of other objects. */
function isPoisoned(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(isPoisoned);
  if (Object.hasOwn(value, '__proto__')) return true;
  const inner = Object.entries(value);
  return inner.some(
    ([key, part]) => (key === 'constructor' && hasPrototype(part)) || isPoisoned(part),
  );
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
