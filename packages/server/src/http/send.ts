import { contentDisposition } from '../files/content.ts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from './routes.ts';
import { setCookies, type ProxyOptions } from './client.ts';
import { compressIfRoom, compressStream, type Encode, type Encoding } from './compress.ts';
import { hash } from 'node:crypto';
import { sha256 } from '../identity/users/actions.ts';
import { pipeline } from 'node:stream/promises';
import { jsonPieces, type Following } from '../operations/operation.ts';
import { OwnResponse } from '../operations/responses.ts';
import type { Cookies, EventStream, FileStream, Reply } from '../operations/responses.ts';
import type { Socket } from 'node:net';

const jsonType = 'application/json; charset=utf-8';

/** What the response to a request of the API depends on, besides the result of the operation. */
interface ReplyOptions {
  /** The declared status. */
  readonly status: number;
  /** Null for a response without an ETag. */
  readonly etag: string | null;
  readonly proxy: ProxyOptions;
}

/** Sends the response to a request of the API. */
export class ApiReply implements Reply {
  readonly #reply: FastifyReply;
  readonly #options: ReplyOptions;

  constructor(reply: FastifyReply, options: ReplyOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  /** Whether the client has the body with the ETag. `*` is not an ETag: see {@link asksForAny}. */
  get isKnown(): boolean {
    const { etag } = this.#options;
    return etag !== null && listsTag(this.#ifNoneMatch, etag);
  }

  get #ifNoneMatch(): string | undefined {
    return this.#reply.request.headers['if-none-match'];
  }

  /** Sends what an operation returned: the declared body, or a response that sends itself. */
  send(result: unknown): FastifyReply {
    const { etag } = this.#options;
    if (etag !== null && asksForAny(this.#ifNoneMatch)) return this.sendNotModified();
    if (etag !== null) this.#reply.header('etag', etag);
    if (result instanceof OwnResponse) result.send(this);
    else this.json(result);
    return this.#reply;
  }

  /** Sends a body that has the encoding which the client gets, or 304. */
  sendPrepared(body: Body): FastifyReply {
    if (this.isKnown || asksForAny(this.#ifNoneMatch)) return this.sendNotModified();
    sendBody(this.#reply.header('etag', this.#options.etag), jsonType, body);
    return this.#reply;
  }

  sendNotModified(): FastifyReply {
    return this.#reply.code(304).header('etag', this.#options.etag).send();
  }

  json(body: unknown, status: number = this.#options.status): void {
    if (body === undefined) void this.#reply.code(status).send();
    else sendPieces(this.#reply, status, jsonType, jsonPieces(body));
  }

  events(events: EventStream): void {
    sendEvents(this.#reply, events);
  }

  file(file: FileStream): void {
    sendFile(this.#reply, file);
  }

  setReplayed(): void {
    this.#reply.header('idempotency-replayed', 'true');
  }

  setCookies(cookies: Cookies): void {
    setCookies(this.#reply, cookies, this.#options.proxy);
  }
}

/** The body of a response, as it is sent. */
export interface Body {
  readonly pieces: readonly Uint8Array[];
  /** How it is compressed; null if it is not. */
  readonly encoding: Encoding | null;
}

/** Sends a body that has the encoding which the client gets, as {@link sendPieces} sends pieces. */
function sendBody(reply: FastifyReply, contentType: string, { pieces, encoding }: Body): void {
  if (reply.request.method === 'HEAD') {
    sendPieces(reply, 200, contentType, pieces);
    return;
  }
  reply.hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = contentType;
  if (encoding !== null) headers['content-encoding'] = encoding;
  headers['content-length'] = lengthOf(pieces);
  write(reply, 200, headers, pieces);
}

/**
 * Sends a response whose body is in several pieces, compressed if it is large and the client accepts that. Otherwise
 * the pieces are not copied together.
 *
 * Bypasses the framework, with all headers set on `reply` so far, which makes a page of half a megabyte a third
 * cheaper. For HEAD it sends only the headers: Content-Length too, unless the body of GET is compressed. A disconnected
 * client causes no error. `encode` returns the compressed form; by default it is made for this response.
 */
export function sendPieces(
  reply: FastifyReply,
  status: number,
  contentType: string,
  pieces: readonly Uint8Array[],
  encode: Encode = compressIfRoom,
): void {
  const length = lengthOf(pieces);
  const encoding = encodingFor(reply, length);
  const { request } = reply;
  reply.hijack();
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = contentType;
  const plain = (): void => write(reply, status, { ...headers, 'content-length': length }, pieces);
  if (encoding === null) {
    plain();
    return;
  }
  const compressed = (body: Uint8Array): void => {
    const own = { 'content-encoding': encoding, 'content-length': body.length };
    write(reply, status, { ...headers, ...own }, [body]);
  };
  if (request.method === 'HEAD') {
    write(reply, status, { ...headers, 'content-encoding': encoding }, []);
    return;
  }
  const body = encode(pieces, encoding);
  if (body === null) plain();
  else if (body instanceof Uint8Array) compressed(body);
  else
    body.then(compressed, (error: unknown) => {
      request.log.warn({ err: error }, 'a response was not compressed');
      plain();
    });
}

/** Returns the length of a body in bytes. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

function write(
  { raw: response }: FastifyReply,
  status: number,
  headers: OutgoingHttpHeaders,
  pieces: readonly Uint8Array[],
): void {
  response.writeHead(status, headers);
  // When corked, header and pieces are sent in one system call.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}

/** Raised whenever the same records are written differently, so that old copies become invalid. */
const revision = '2';

/** The values that a response depends on. The access token is not one of them: tokens of a book share their copies. */
interface TagSource {
  /** The id of the database. Another database, or an older copy, may have the same versions with other records. */
  readonly databaseId: string;
  readonly bookId: number;
  readonly bookVersion: number;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** Everything else that the response depends on, as text. */
  readonly state: string;
}

/**
 * Returns the ETag of a response without reading the response.
 *
 * The tag is weak, because it identifies the records and not the bytes. The book's version is read before the records.
 * A change in between makes the tag too old: the client fetches once more than needed, and never keeps an old copy.
 *
 * Source: RFC 9110, 8.8.3.
 */
export function entityTag(source: TagSource): string {
  const { databaseId, bookId, bookVersion, url, state } = source;
  const text = JSON.stringify([revision, databaseId, bookId, bookVersion, url, state]);
  return `W/"${sha256(text).toString('base64url')}"`;
}

/** Returns the ETag of fixed bytes: weak, because it is the same for all their codings. */
export function entityTagOfBytes(bytes: Uint8Array): string {
  return `W/"${hash('sha256', bytes, 'base64url')}"`;
}

/**
 * Whether If-None-Match lists the tag, by weak comparison. `*` is not a tag: see {@link asksForAny}.
 *
 * Source: RFC 9110, 13.1.2.
 */
export function listsTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((listed) => opaque(listed.trim()) === opaque(tag));
}

/** Whether If-None-Match is `*`, which matches any tag: an existing record is then not sent. */
function asksForAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

const eventType = 'text/event-stream';

/** Returns how the client of a request wants to follow changes. */
export function followingOf({ headers }: FastifyRequest, reply: FastifyReply): Following {
  const closed = new AbortController();
  reply.raw.once('close', () => closed.abort());
  const lastEventId = headers['last-event-id'];
  const id = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null;
  return {
    signal: closed.signal,
    events: wantsEvents(headers.accept) ? { lastEventId: id } : null,
  };
}

/** Whether the media types of a request include events by name; `*` means JSON. */
function wantsEvents(accept = ''): boolean {
  return accept.split(',').some((type) => type.split(';')[0]!.trim().toLowerCase() === eventType);
}

/**
 * Sends events as they come, with all headers set on `reply` so far. Each piece is awaited until the client has read
 * enough of those before it. Proxies must neither store nor collect them. An error on the way ends the connection.
 */
function sendEvents(reply: FastifyReply, { pieces }: EventStream): void {
  const { method, log } = reply.request;
  const response = reply.hijack().raw;
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = `${eventType}; charset=utf-8`;
  headers['x-accel-buffering'] = 'no';
  response.writeHead(200, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  response.flushHeaders();
  pipeline(pieces, response).catch((error: unknown) => {
    const { code } = Object(error) as { readonly code?: unknown };
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE') log.warn({ err: error }, 'stream of events ended');
  });
}

/**
 * Sends a file of text for the client to save, with all headers set on `reply` so far, compressed if the client accepts
 * that. Each piece is awaited until the client has taken most of those before it. For HEAD nothing of the file is read.
 *
 * An error on the way resets the connection, and so does a client that takes nothing for as long as a connection may
 * be silent. While the next piece is made, or waits for a thread, it may be silent for longer. A client of HTTP/1.0,
 * such as some proxies, knows the end of a file only by the end of its connection, so it would take the part of a file
 * that ends with a closed connection for the whole.
 */
function sendFile(reply: FastifyReply, { name, type, pieces }: FileStream): void {
  const { method, log, socket } = reply.request;
  const encoding = encodingFor(reply, Infinity);
  const response = reply.hijack().raw;
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  headers['content-type'] = type;
  headers['content-disposition'] = contentDisposition(name);
  if (encoding !== null) headers['content-encoding'] = encoding;
  response.writeHead(200, headers);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  response.on('timeout', (connection: Socket) => {
    if (response.writableLength > 0) reset(connection);
  });
  const body = encoding === null ? pieces : compressStream(pieces, encoding);
  pipeline(resettingOnError(body, socket), response).catch((error: unknown) => {
    const { code } = Object(error) as { readonly code?: unknown };
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE')
      log.warn({ err: error }, 'a file was not sent whole');
  });
}

async function* resettingOnError(
  pieces: AsyncIterable<Uint8Array>,
  socket: Socket,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    reset(socket);
    throw error;
  }
}

function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether responses are compressed for clients that accept it. */
    readonly compression: boolean;
  }
}

/** Shorter bodies fit in one packet with their header, so compressing them saves no time. */
const leastBytes = 1024;

/**
 * Returns the coding for a body of that many bytes, Infinity for a stream; null to send it as it is. The response to
 * HEAD has the same headers, except the length, because nothing is compressed for it.
 */
export function encodingFor({ request }: FastifyReply, bytes: number): Encoding | null {
  if (bytes < leastBytes || !request.server.compression) return null;
  if (routeOf(request)?.isNeverCompressed === true) return null;
  // Several lines arrive joined.
  return encodingOf(request.headers['accept-encoding']);
}

/** The best first: at the levels of `compress`, zstd is the fastest and the smallest, and gzip neither. */
const preferred: readonly Encoding[] = ['zstd', 'br', 'gzip'];
/** Node has zstd since 22.15. */
const supported = preferred.filter((encoding) => encoding !== 'zstd' || 'zstd' in process.versions);

/**
 * A member of the list, which can be empty, and what ends it. Source: RFC 9110, 5.6.1.2 and 12.4.2.
 *
 * Sticky, so that it takes time in proportion to the length of the header, whatever that is.
 */
const member =
  /[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*)?(,|$)/y;

/**
 * Returns the coding for a response, by the value of Accept-Encoding; several lines of it are joined by commas. Null
 * to send the response as it is.
 *
 * - The coding with the highest weight wins, and zstd, br, gzip at equal weights. `*` means gzip, which every client
 *   can decode, unless gzip is listed too.
 * - Null without the header, when it is empty or not valid, and when it lists no coding that we have, or prefers
 *   `identity`. So a client that refuses `identity` and knows no coding of ours gets the response as it is: the RFC
 *   allows that, and 406 helps nobody.
 * - When a coding is listed twice, the lower weight counts. `x-gzip` is gzip.
 *
 * Source: RFC 9110, 8.4.1.3 and 12.5.3.
 */
export function encodingOf(acceptEncoding: string | undefined): Encoding | null {
  if (acceptEncoding === undefined || acceptEncoding === '') return null;
  const weights = weightsOf(acceptEncoding);
  if (weights === null) return null;
  const any = weights.get('*') ?? 0;
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'gzip' ? any : 0);
  const best = supported.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));
  const weight = weightOf(best);
  return weight === 0 || weight < (weights.get('identity') ?? any) ? null : best;
}

/** The weight of each listed coding, in lower case; null when the list is not valid. */
function weightsOf(list: string): ReadonlyMap<string, number> | null {
  const text = list.toLowerCase();
  const weights = new Map<string, number>();
  member.lastIndex = 0;
  for (;;) {
    const found = member.exec(text);
    if (found === null) return null;
    const [, name, weight = '1', end] = found;
    const coding = name === 'x-gzip' ? 'gzip' : name;
    if (coding !== undefined)
      weights.set(coding, Math.min(Number(weight), weights.get(coding) ?? 1));
    if (end === '') return weights;
  }
}

/** Names a header on which the response depends, in addition to those that are named already. */
export function addVary(reply: FastifyReply, name: string): void {
  const named = reply.getHeader('vary');
  reply.header('vary', named === undefined ? name : `${String(named)}, ${name}`);
}
