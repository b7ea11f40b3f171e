import sql from 'sql-template-tag';
import { clockSkewMs, instantOf } from '@coffer/core/dates';
import { deleteUnlogged, insertUnlogged } from '../../book/unlogged.ts';
import { context, dialectOf } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import { columnList, find, rowAs } from '../../db/rows.ts';
import { databaseIdentity, signInLinks } from '../../db/tables/tables.ts';
import type { Book } from '../../operations/caller.ts';
import { linkBits, linkMs } from './rules.ts';
import { hashOf, newSecret } from './secret.ts';

/**
 * Makes a link that signs the owner of a book in, once and within 15 minutes. Returns its secret, 22 characters of
 * base64url, which belong behind the # of the address: browsers do not send that part, so it is in no log.
 */
export function* createLink({ id, userId }: Pick<Book, 'id' | 'userId'>): Steps<string> {
  const { nowMs } = yield* context();
  const { text, hash } = newSecret(linkBits);
  yield* insertUnlogged(signInLinks, {
    secret_hash: hash,
    user_id: userId,
    book_id: id,
    database_id: (yield* find(databaseIdentity, { name: 'id' }))!.value,
    created_at: instantOf(nowMs),
    expires_at: instantOf(nowMs + linkMs),
  });
  return text;
}

/**
 * Uses a link up. Returns whose it is, or null if it is unknown, used or expired. One that lasts longer than a link can
 * was made before the clock went back, and has expired too.
 */
export function* takeLink(
  secret: string,
): Steps<{ readonly userId: number; readonly bookId: number } | null> {
  const { nowMs } = yield* context();
  const { lockingRows } = yield* dialectOf();
  // The lock makes a second request wait, which then finds nothing.
  const link = yield* rowAs(
    signInLinks.columns,
    sql`SELECT ${columnList(signInLinks)} FROM sign_in_links
      WHERE secret_hash = ${hashOf(secret)} AND expires_at > ${instantOf(nowMs)}
        AND expires_at <= ${instantOf(nowMs + linkMs + clockSkewMs)}
        AND database_id = (SELECT value FROM database_identity WHERE name = 'id') ${lockingRows}`,
  );
  if (link === undefined) return null;
  yield* deleteUnlogged(signInLinks, { id: link.id });
  return { userId: link.user_id, bookId: link.book_id };
}
