import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  anyObject,
  count,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  listOf,
  nullable,
  object,
  optional,
  orNull,
  text,
  textUpTo,
  word,
} from '../../operations/schema.ts';
import { maxPasswordLength, minPasswordLength } from '../sessions/rules.ts';

export const SessionPath = idPath('session');

const methods = ['link', 'password', 'passkey'] as const;

export const Session = object(
  'Session',
  'A browser that is signed in.',
  {
    id: id('Id of the session.'),
    method: word(methods, { description: 'How the user signed in.' }),
    created_at: dateTime('When the user signed in.'),
    last_seen_at: dateTime('When it was last used, to the minute.'),
    ends_at: dateTime(
      'When it ends if it is not used any more: after 30 days without use, and after 180 days.',
    ),
    user_agent: nullable(text('Name of the browser, as it was sent.')),
    is_current: flag('Whether it is the session of the request.'),
  },
  {
    example: {
      id: 4,
      method: 'link',
      created_at: '2026-03-01T09:00:00.000Z',
      last_seen_at: '2026-03-15T06:30:00.000Z',
      ends_at: '2026-04-14T06:30:00.000Z',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
      is_current: true,
    },
  },
);
export type Session = Static<typeof Session>;

const SessionUser = object(
  'SessionUser',
  'The user who is signed in.',
  {
    id: id('Id of the user.'),
    name: text('Name of the user.'),
    email: text('E-mail address of the user.'),
  },
  { example: { id: 1, name: 'Ada Quill', email: 'ada@example.org' } },
);

const SessionBook = object(
  'SessionBook',
  'The book that the session opens.',
  {
    id: id('Id of the book.'),
    name: text('Name of the book.'),
    primary_currency: text('Lower-case code of its primary currency.'),
  },
  { example: { id: 1, name: 'Household', primary_currency: 'eur' } },
);

export const SessionState = object(
  'SessionState',
  'Who is signed in.',
  {
    session: orNull(Session, 'Null if nobody is signed in, and for an access token.'),
    user: orNull(SessionUser, 'Null if nobody is signed in.'),
    book: orNull(SessionBook, 'Null if nobody is signed in.'),
    has_password: nullable(flag('Whether the user has a password; null if nobody is signed in.')),
    passkey_count: nullable(count('Number of passkeys of the user; null if nobody is signed in.')),
  },
  {
    example: {
      session: exampleOf(Session),
      user: exampleOf(SessionUser),
      book: exampleOf(SessionBook),
      has_password: false,
      passkey_count: 1,
    },
  },
);
export type SessionState = Static<typeof SessionState>;

export const SessionList = object('SessionListResponse', 'The sessions of the user.', {
  sessions: listOf(Session, 'The last used first.'),
});

const password = { minLength: 1, maxLength: maxPasswordLength };

export const SignIn = object(
  'SignIn',
  'How to sign in: `link` with `secret`; `password` with `email` and `password`; `passkey` with `challenge_id` and ' +
    '`credential`.',
  {
    method: word(methods, { description: 'Which of the three.' }),
    secret: optional(textUpTo(100, 'The text behind the `#` of a link. It works once.')),
    email: optional(textUpTo(320, 'E-mail address of the user, in any letter case.')),
    password: optional(Type.String({ ...password, description: 'Password of the user.' })),
    challenge_id: optional(
      textUpTo(100, 'The `challenge_id` that came with the options. It works once.'),
    ),
    credential: optional(
      anyObject('What the browser returned, in the form of `PublicKeyCredential.toJSON()`.'),
    ),
  },
);
export type SignIn = Static<typeof SignIn>;

export const PasswordUpdate = object('PasswordUpdate', 'A new password.', {
  current_password: optional(
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
  remove_passkeys: optional(
    flag(
      'Whether all passkeys of the user are removed, such as one that somebody else added.',
      false,
    ),
  ),
});

/** Examples of the three ways to sign in, and of passwords. */
export const sessionExamples = {
  signIn: {
    link: {
      summary: 'With a link',
      value: { method: 'link', secret: 'kGm0xq9Yh0c1n5n6l8v2bQ' } satisfies SignIn,
    },
    password: {
      summary: 'With a password',
      value: {
        method: 'password',
        email: 'ada@example.org',
        password: 'correct horse battery',
      } satisfies SignIn,
    },
    passkey: {
      summary: 'With a passkey',
      value: {
        method: 'passkey',
        challenge_id: '9k0JtZ3m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDkqWv0',
        credential: {
          id: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
          rawId: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
          type: 'public-key',
          response: { clientDataJSON: 'eyJ0', authenticatorData: 'SZYN', signature: 'MEUC' },
          clientExtensionResults: {},
        },
      } satisfies SignIn,
    },
  },
  password: {
    first: { summary: 'A first password', value: { password: 'correct horse battery' } },
    next: {
      summary: 'Another password',
      value: { current_password: 'correct horse battery', password: 'staple of horses' },
    },
  },
};
