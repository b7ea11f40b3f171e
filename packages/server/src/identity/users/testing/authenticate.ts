import type { Steps } from '../../../db/engine.ts';
import type { Identity } from '../../../operations/caller.ts';
import { bookOfToken, identityOfToken } from '../actions.ts';

/** Returns the identity of a token hash, or null when it is unknown, revoked or expired. */
export function* authenticate(hash: Uint8Array): Steps<Identity | null> {
  const bookId = yield* bookOfToken(hash);
  return bookId === null ? null : yield* identityOfToken(hash, bookId);
}
