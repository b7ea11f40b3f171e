import { hash } from 'node:crypto';

/** Raised whenever the same records are written differently, so that old copies become invalid. */
const revision = '2';

/** The values that a response depends on. The access token is not one of them: tokens of a book share their copies. */
export interface AnswerSource {
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
