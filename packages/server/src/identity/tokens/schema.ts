import { Type } from 'typebox';
import type { Static } from 'typebox';
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

export const TokenPath = idPath('access token');

const label = notBlank(100, 'What the token is for.');

const token = {
  id: id('Id of the access token.'),
  label: nullable(text('What the token is for.')),
  created_at: dateTime('When it was made.'),
  last_used_at: nullable(dateTime('When it was last used, to the minute; null for never.')),
  expires_at: nullable(dateTime('When it expires; null for never.')),
};

export const AccessToken = object('AccessToken', 'An access token of the book.', token, {
  example: {
    id: 12,
    label: 'laptop',
    created_at: '2026-03-01T09:00:00.000Z',
    last_used_at: '2026-03-15T06:30:00.000Z',
    expires_at: null,
  },
});
export type AccessToken = Static<typeof AccessToken>;

export const NewAccessToken = object(
  'NewAccessToken',
  'An access token with its text.',
  {
    ...token,
    token: text('The text to send. It is not shown again.'),
  },
  { example: { ...exampleOf(AccessToken), last_used_at: null, token: 'coffer_…' } },
);
export type NewAccessToken = Static<typeof NewAccessToken>;

export const TokenInsert = object(
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

export const TokenList = object('AccessTokenListResponse', 'The access tokens of the book.', {
  tokens: listOf(AccessToken, 'By id, without those that are revoked.'),
});
