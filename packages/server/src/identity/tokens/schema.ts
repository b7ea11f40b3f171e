import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  dateTime,
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

export const AccessToken = object('AccessToken', 'An access token of the book.', token);
export type AccessToken = Static<typeof AccessToken>;

export const NewAccessToken = object('NewAccessToken', 'An access token with its text.', {
  ...token,
  token: text('The text to send. It is not shown again.'),
});
export type NewAccessToken = Static<typeof NewAccessToken>;

export const TokenInsert = object('AccessTokenInsert', 'An access token to make.', {
  label,
  expires_at: optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: 'The first instant at which it is not valid; null or absent for never.',
      }),
    ),
  ),
});

export const TokenList = object('AccessTokenListResponse', 'The access tokens of the book.', {
  tokens: listOf(AccessToken, 'By id, without those that are revoked.'),
});
