import { instantOf, toInstant } from '@coffer/core/dates';
import { context } from '../../db/engine.ts';
import type { Steps } from '../../db/engine.ts';
import type { Book } from '../../operations/caller.ts';
import { outside, read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import { bodyProblem, notFound } from '../../operations/problem.ts';
import { created, noContent, ok } from '../../operations/responses.ts';
import { createToken, listTokens, revokeToken, newToken } from '../users/actions.ts';
import type { TokenRecord } from '../users/actions.ts';
import * as schema from './schema.ts';

const shared = { tag: 'tokens', needsSession: true } as const;
const all = { ...shared, path: '/coffer/tokens' } as const;

/** The operations of access tokens, for a user who is signed in. */
export const tokenRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllTokens',
      summary: 'List access tokens',
      response: ok(schema.TokenList, 'The access tokens.'),
    },
    function* ({ bookId }) {
      const tokens = yield* listTokens(bookId);
      return { tokens: tokens.filter(({ revokedAt }) => revokedAt === null).map(toWire) };
    },
    { isVolatile: true },
  ),
  outside(
    'POST',
    {
      ...all,
      id: 'createToken',
      summary: 'Make an access token',
      description:
        'The token opens the book of the session. Its text is shown only in this response.',
      body: schema.TokenInsert,
      isSecret: true,
      response: created(schema.NewAccessToken, 'The new token.'),
    },
    ({ identity, body: { label, expires_at: expires } }, engine) =>
      engine.write(() => makeToken(identity.book, label, expires ?? null), { isUrgent: true }),
  ),
  outside(
    'DELETE',
    {
      ...shared,
      path: '/coffer/tokens/{id}',
      params: schema.TokenPath,
      id: 'revokeToken',
      summary: 'Revoke an access token',
      description: 'It is refused from now on, on all nodes.',
      response: noContent('The token is revoked.'),
    },
    ({ bookId, params: { id } }, engine) =>
      engine.write(() => revoke(bookId, id), { isUrgent: true }),
  ),
];

function* makeToken(
  { id: bookId, userId }: Book,
  label: string,
  expires: string | null,
): Steps<schema.NewAccessToken> {
  const { nowMs } = yield* context();
  const expiresAt = expires === null ? null : toInstant(expires);
  if (expiresAt !== null && expiresAt <= instantOf(nowMs)) {
    const errMsg = `expires_at must be in the future, not "${expires}"`;
    throw bodyProblem({ errMsg, invalid_property: 'expires_at' });
  }
  const { text, hash } = newToken();
  const id = yield* createToken({ userId, bookId, hash, label, expiresAt });
  const record = (yield* listTokens(bookId)).find((each) => each.id === id)!;
  return { ...toWire(record), token: text };
}

function* revoke(bookId: number, id: number): Steps<void> {
  if (!(yield* revokeToken(bookId, id))) throw notFound('access token', id);
}

function toWire(token: TokenRecord): schema.AccessToken {
  const { id, label, createdAt: created_at, lastUsedAt: last_used_at } = token;
  return { id, label, created_at, last_used_at, expires_at: token.expiresAt };
}
