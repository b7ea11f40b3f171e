import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOfBytes, listsTag } from '../etag.ts';

/** Something public that is the same for everybody. */
export interface Page {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The Content-Security-Policy of a page that a browser shows. */
  readonly policy?: string;
}

/** Makes a page at the first request for it and keeps it. */
export function once(make: () => Promise<Page>): () => Promise<Page> {
  let made: Promise<Page> | undefined;
  return () => (made ??= make());
}

/** A file of this folder. */
export function ownFile(name: string): Promise<Buffer> {
  return readFile(new URL(name, import.meta.url));
}

const tags = new WeakMap<Uint8Array, string>();

/** Hashing the largest page takes longer than sending it, so a tag is kept as long as its bytes. */
function tagOf(bytes: Uint8Array): string {
  const tag = tags.get(bytes) ?? entityTagOfBytes(bytes);
  tags.set(bytes, tag);
  return tag;
}

/** Answers with a page, or with 304 when the browser has it. Browsers may keep pages, but must ask each time. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  const etag = tagOf(page.bytes);
  reply.headers({ 'cache-control': 'no-cache', etag });
  if (page.policy !== undefined) reply.header('content-security-policy', page.policy);
  if (listsTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.header('content-type', page.contentType).send(page.bytes);
}
