import { instantOf, toInstant } from '@coffer/core/dates';
import { context, type Steps } from '../../db/engine.ts';
import type { Book } from '../../operations/caller.ts';
import { outside, read, type Operation } from '../../operations/operation.ts';
import { bodyProblem, notFound } from '../../operations/problem.ts';
import { created, noContent, ok } from '../../operations/responses.ts';
import {
  createToken,
  listTokens,
  revokeToken,
  newToken,
  type TokenRecord,
} from '../users/actions.ts';
import { Type, type Static } from 'typebox';
import {
  dateTime,
  exampleOf,
  id,
  idPath,
  listOf,
  notBlank,
  nullable,
  object,
  optional,
  text,
} from '../../operations/schema.ts';

const TokenPath = idPath('access token');

const label = notBlank(100, 'What the token is for.');

const token = {
  id: id('Id of the access token.'),
  label: nullable(text('What the token is for.')),
  created_at: dateTime('When it was made.'),
  last_used_at: nullable(dateTime('When it was last used, to the minute; null for never.')),
  expires_at: nullable(dateTime('When it expires; null for never.')),
};

const AccessToken = object('AccessToken', 'An access token of the book.', token, {
  example: {
    id: 12,
    label: 'laptop',
    created_at: '2026-03-01T09:00:00.000Z',
    last_used_at: '2026-03-15T06:30:00.000Z',
    expires_at: null,
  },
});
type AccessToken = Static<typeof AccessToken>;

const NewAccessToken = object(
  'NewAccessToken',
  'An access token with its text.',
  { ...token, token: text('The text to send. It is not shown again.') },
  { example: { ...exampleOf(AccessToken), last_used_at: null, token: 'coffer_…' } },
);
type NewAccessToken = Static<typeof NewAccessToken>;

const TokenInsert = object(
  'AccessTokenInsert',
  'An access token to make.',
  {
    label,
    expires_at: optional(
      nullable(
        Type.String({
          format: 'date-time',
          description: 'The first instant at which it is not valid; null or absent for never.',
        }),
      ),
    ),
  },
  { example: { label: 'backup', expires_at: '2027-01-01T00:00:00.000Z' } },
);

const TokenList = object('AccessTokenListResponse', 'The access tokens of the book.', {
  tokens: listOf(AccessToken, 'By id, without those that are revoked.'),
});

const shared = { tag: 'tokens', needsSession: true } as const;
const all = { ...shared, path: '/coffer/tokens' } as const;

/** The operations of access tokens, for a user who is signed in. */
export const tokenRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllTokens',
      summary: 'List access tokens',
      response: ok(TokenList, 'The access tokens.'),
    },
    function* ({ bookId }) {
      const tokens = yield* listTokens(bookId);
      return { tokens: tokens.filter(({ revoked_at }) => revoked_at === null).map(toWire) };
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
      body: TokenInsert,
      isSecret: true,
      response: created(NewAccessToken, 'The new token.'),
    },
    ({ identity, body: { label, expires_at: expires } }, engine) =>
      engine.write(() => makeToken(identity.book, label, expires ?? null), { isUrgent: true }),
  ),
  outside(
    'DELETE',
    {
      ...shared,
      path: '/coffer/tokens/{id}',
      params: TokenPath,
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
): Steps<NewAccessToken> {
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

function toWire({ id, label, created_at, last_used_at, expires_at }: TokenRecord): AccessToken {
  return { id, label, created_at, last_used_at, expires_at };
}
