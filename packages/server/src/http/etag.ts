import { hash } from 'node:crypto';

/** Raised whenever the same records come to be written differently, so that old copies do not live on. */
const revision = '2';

/** What an answer depends on. The access token is not part of it: two tokens of a book share their copies. */
export interface AnswerSource {
  /** Of the database: its versions begin anew with another one, or with an older copy of it. */
  readonly databaseId: string;
  readonly bookId: number;
  readonly bookVersion: number;
  /** Path and query, as they were sent. */
  readonly url: string;
  /** Whatever else the answer depends on, as text. */
  readonly state: string;
}

/**
 * The ETag of an answer, made without looking at the answer.
 *
 * Weak, because it speaks for the records and not for the bytes. The book's version is read before the records:
 * a change in between makes the tag too old, so a copy is fetched once more than needed, never kept too long.
 *
 * Source: RFC 9110, 8.8.3.
 */
export function entityTag(source: AnswerSource): string {
  const { databaseId, bookId, bookVersion, url, state } = source;
  const text = JSON.stringify([revision, databaseId, bookId, bookVersion, url, state]);
  return `W/"${hash('sha256', text, 'base64url')}"`;
}

/** The ETag of fixed bytes. */
export function entityTagOfBytes(bytes: Uint8Array): string {
  return `"${hash('sha256', bytes, 'base64url')}"`;
}

/**
 * Whether If-None-Match lists the tag, by weak comparison. `*` is no tag: see {@link asksForAny}.
 *
 * Source: RFC 9110, 13.1.2.
 */
export function listsTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((listed) => opaque(listed.trim()) === opaque(tag));
}

/** Whether If-None-Match is `*`: any answer that exists, whatever its tag, is then not sent. */
export function asksForAny(ifNoneMatch: string | undefined): boolean {
  return ifNoneMatch?.trim() === '*';
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
