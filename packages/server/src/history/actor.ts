import sql, { join } from 'sql-template-tag';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, nullable as nullableColumn, text as textColumn } from '../db/table.ts';
import { nullable, object, text } from '../operations/schema.ts';

export const Actor = object(
  'Actor',
  'Who made a change.',
  {
    kind: text(
      '`user`: signed in with a browser; `token`: a client with an access token; `command`: the command `coffer`; `connection` and `connector`: a bank ' +
        'or a provider that was read; `job`: the server itself. There may be more.',
    ),
    id: nullable(
      Type.Integer({
        description: 'Id of the user, the token or the connection; null if it has none.',
      }),
    ),
    name: nullable(
      text(
        'Name of the user; label of the token, also of a revoked one; name of the connection or provider.',
      ),
    ),
  },
  { example: { kind: 'token', id: 12, name: 'phone' } },
);
export type Actor = Static<typeof Actor>;

/** What names an actor, by the kind of actor. */
const named = {
  token: sql`SELECT id, label AS name FROM access_tokens WHERE book_id =`,
  connection: sql`SELECT id, name FROM connections WHERE book_id =`,
  user: sql`SELECT u.id, u.name FROM users u JOIN books b ON b.user_id = u.id WHERE b.id =`,
} as const;

/**
 * Returns the actors of a book's log by their texts, such as `token 12`, with the names of users, tokens and
 * connections.
 */
export function* actorsOf(
  bookId: number,
  texts: Iterable<string>,
): Steps<ReadonlyMap<string, Actor>> {
  const actors = new Map([...new Set(texts)].map((text) => [text, parsed(text)]));
  for (const [kind, names] of Object.entries(named)) {
    const own = [...actors].filter(([, actor]) => actor.kind === kind && actor.id !== null);
    for (const block of blocksOf(own)) {
      const ids = block.map(([, { id }]) => id);
      const found = yield* rowsAs(
        { id: integer, name: nullableColumn(textColumn) },
        sql`SELECT id, name FROM (${names} ${bookId}) named WHERE id IN (${join(ids)})`,
      );
      const nameOf = new Map(found.map(({ id, name }) => [id, name]));
      for (const [text, actor] of block)
        actors.set(text, { ...actor, name: nameOf.get(actor.id!) ?? null });
    }
  }
  return actors;
}

/** Returns an actor by its text in the log. The word after the kind is an id or a name. */
function parsed(text: string): Actor {
  const at = text.indexOf(' ');
  if (at === -1) return { kind: text, id: null, name: null };
  const [kind, rest] = [text.slice(0, at), text.slice(at + 1)];
  if (/^[1-9]\d{0,14}$/.test(rest)) return { kind, id: Number(rest), name: null };
  return { kind, id: null, name: rest };
}
