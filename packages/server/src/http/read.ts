import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { malformed, Problem } from '../operations/problem.ts';
import { quote } from '@coffer/core/text';
import { routeOf } from './routes.ts';

/** The maximum size of a body, and the time it may take to arrive. */
export interface BodyLimits {
  readonly bodyLimitBytes: number;
  readonly bodyTimeoutMs: number;
}

const maxDepth = 32;
/** A client that is refused in the middle of its body is still sending, so the connection cannot be reused. */
export const closing = { connection: 'close' };

/**
 * Returns the hook that reads a request's body into `request.body`, for every method.
 *
 * An empty body of any type is undefined, because clients send a type with every request. Any other body must be JSON
 * (`application/json`, UTF-8, not compressed), at most `bodyLimitBytes` bytes, nested at most 32 levels deep, without
 * keys that change prototypes. Others are refused with 413, 415, 408 or 400.
 *
 * Routes for forms and files accept other bodies, which `readFiles` reads.
 *
 * Source: upstream-compatible clients; RFC 8259.
 */
export function readBody(
  { bodyLimitBytes: limit, bodyTimeoutMs: timeoutMs }: BodyLimits,
  readFiles: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): onRequestHookHandler {
  const readJson = async (message: IncomingMessage): Promise<unknown> => {
    const bytes = await collect(message, { limit, tooLarge, timeoutMs });
    if (bytes.length === 0) return undefined;
    checkType(message.headers);
    return parseJson(bytes);
  };
  return (request, reply, done) => {
    const { raw } = request;
    const route = routeOf(request);
    // After this hook, the framework would refuse types that it does not know, even of empty bodies.
    const forgetType = (): void => {
      delete raw.headers['content-type'];
    };
    if (!announcesBody(raw)) {
      forgetType();
      done();
      return;
    }
    (route?.isForm || route?.isUpload ? readFiles(request, reply) : readJson(raw)).then((body) => {
      request.body = body;
      forgetType();
      done();
    }, done);
  };
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
  readonly count?: (bytes: number) => void;
  readonly timeoutMs: number;
}

/** Reads a whole body. Rejects with a Problem for one that is too large (also if it only says so) or takes too long. */
export async function collect(
  message: IncomingMessage,
  { limit, tooLarge, count, timeoutMs }: Collecting,
): Promise<Buffer> {
  if (Number(message.headers['content-length'] ?? 0) > limit) throw tooLarge();
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
        count?.(chunk.length);
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

function tooLarge(): Problem {
  return new Problem('bodyTooLarge', { headers: closing });
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

/** Chunks of a body, which a client can make as short as a byte. */
const mostLoose = 1000;

/**
 * Collects chunks of a body. A chunk costs about 300 bytes of memory besides its content, so each thousand is joined: a
 * body of 10 MB in chunks of one byte would otherwise need 1.5 GB.
 */
export class JoinedChunks {
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#loose.push(chunk);
    if (this.#loose.length < mostLoose) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** Returns all bytes in their order, and begins again with none. */
  take(): Buffer {
    const all = [...this.#joined, ...this.#loose];
    const { bytes } = this;
    [this.#joined, this.#loose, this.bytes] = [[], [], 0];
    return all.length === 1 ? all[0]! : Buffer.concat(all, bytes);
  }
}
