import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { compressIfRoom, type Encode } from '../compression/compress.ts';
import { type Encoding, encodingFor } from '../compression/encoding.ts';
import { hash } from 'node:crypto';

/** The body of a response, as it is sent. */
export interface Body {
  readonly pieces: readonly Uint8Array[];
  /** How it is compressed; null if it is not. */
  readonly encoding: Encoding | null;
}

/** Sends a body that has the encoding which the client gets, as {@link sendPieces} sends pieces. */
export function sendBody(
  reply: FastifyReply,
  contentType: string,
  { pieces, encoding }: Body,
): void {
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
interface AnswerSource {
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
export function entityTag(source: AnswerSource): string {
  const { databaseId, bookId, bookVersion, url, state } = source;
  const text = JSON.stringify([revision, databaseId, bookId, bookVersion, url, state]);
  return `W/"${hash('sha256', text, 'base64url')}"`;
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
export function asksForAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
