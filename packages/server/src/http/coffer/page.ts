import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compressIfRoom, compressOnce, type Encode } from '../compression/compress.ts';
import { sendPieces, entityTagOfBytes, listsTag } from '../server/send.ts';

/** A public page or file, the same for every client. */
export interface Page {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The Content-Security-Policy of a page that a browser shows. */
  readonly policy?: string;
  /** It is made for each request, so compressing it must be cheap. */
  readonly isMadeEachTime?: boolean;
}

/** Creates a page at its first request and keeps it. */
export function once(make: () => Promise<Page>): () => Promise<Page> {
  let made: Promise<Page> | undefined;
  return () => (made ??= make());
}

/** A file of this folder. */
export function ownFile(name: string): Promise<Buffer> {
  return readFile(new URL(name, import.meta.url));
}

const tags = new WeakMap<Uint8Array, string>();

/** Hashing the largest page takes longer than sending it, so each page is hashed once. */
function tagOf(bytes: Uint8Array): string {
  const tag = tags.get(bytes) ?? entityTagOfBytes(bytes);
  tags.set(bytes, tag);
  return tag;
}

/** Sends a page, or 304 when the browser has it. Browsers may keep pages, but must revalidate them each time. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const etag = tagOf(page.bytes);
  reply.headers({ 'cache-control': 'no-cache', etag });
  if (page.policy !== undefined) reply.header('content-security-policy', page.policy);
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const kept: Encode = ([bytes], encoding) => compressOnce(bytes!, encoding);
  const encode = page.isMadeEachTime === true ? compressIfRoom : kept;
  sendPieces(reply, 200, page.contentType, [page.bytes], encode);
  return reply;
}
