import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  anyObject,
  dateTime,
  id,
  idPath,
  nullable,
  object,
  word,
} from '../../operations/schema.ts';
import { orNull, reference } from '../../operations/schema.ts';
import { maxPasswordLength, minPasswordLength } from '../sessions/rules.ts';

export const SessionPath = idPath('session');

const methods = ['link', 'password', 'passkey'] as const;

export const Session = object('Session', 'A browser that is signed in.', {
  id: id('Id of the session.'),
  method: word(methods, { description: 'How the user signed in.' }),
  created_at: dateTime('When the user signed in.'),
  last_seen_at: dateTime('When it was last used, to the minute.'),
  ends_at: dateTime(
    'When it ends if it is not used any more: after 30 days without use, and after 180 days.',
  ),
  user_agent: nullable(Type.String({ description: 'Name of the browser, as it was sent.' })),
  is_current: Type.Boolean({ description: 'Whether it is the session of the request.' }),
});
export type Session = Static<typeof Session>;

export const SessionUser = object('SessionUser', 'The user who is signed in.', {
  id: id('Id of the user.'),
  name: Type.String({ description: 'Name of the user.' }),
  email: Type.String({ description: 'E-mail address of the user.' }),
});
export type SessionUser = Static<typeof SessionUser>;

export const SessionBook = object('SessionBook', 'The book that the session opens.', {
  id: id('Id of the book.'),
  name: Type.String({ description: 'Name of the book.' }),
  primary_currency: Type.String({ description: 'Lower-case code of its primary currency.' }),
});
export type SessionBook = Static<typeof SessionBook>;

export const SessionState = object('SessionState', 'Who is signed in.', {
  session: orNull(Session, 'Null if nobody is signed in, and for an access token.'),
  user: orNull(SessionUser, 'Null if nobody is signed in.'),
  book: orNull(SessionBook, 'Null if nobody is signed in.'),
  has_password: nullable(
    Type.Boolean({
      description: 'Whether the user has a password; null if nobody is signed in.',
    }),
  ),
  passkey_count: nullable(
    Type.Integer({
      minimum: 0,
      description: 'Number of passkeys of the user; null if nobody is signed in.',
    }),
  ),
});
export type SessionState = Static<typeof SessionState>;

export const SessionList = object('SessionListResponse', 'The sessions of the user.', {
  sessions: Type.Array(reference(Session), { description: 'The last used first.' }),
});

const password = { minLength: 1, maxLength: maxPasswordLength };

export const SignIn = object(
  'SignIn',
  'How to sign in: `link` with `secret`; `password` with `email` and `password`; `passkey` with `challenge_id` and ' +
    '`credential`.',
  {
    method: word(methods, { description: 'Which of the three.' }),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The text behind the `#` of a link. It works once.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description: 'E-mail address of the user, in any letter case.',
      }),
    ),
    password: Type.Optional(Type.String({ ...password, description: 'Password of the user.' })),
    challenge_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The `challenge_id` that came with the options. It works once.',
      }),
    ),
    credential: Type.Optional(
      anyObject('What the browser returned, in the form of `PublicKeyCredential.toJSON()`.'),
    ),
  },
);
export type SignIn = Static<typeof SignIn>;

export const PasswordUpdate = object('PasswordUpdate', 'A new password.', {
  current_password: Type.Optional(
    Type.String({
      ...password,
      description:
        'The password so far. Required if there is one, except for 15 minutes after a sign-in by a link.',
    }),
  ),
  password: Type.String({
    minLength: minPasswordLength,
    maxLength: maxPasswordLength,
    description: 'The new password.',
  }),
  remove_passkeys: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether all passkeys of the user are removed, such as one that somebody else added.',
    }),
  ),
});
