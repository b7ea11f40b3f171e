import type { Steps, Engine } from '../../db/engine.ts';
import type { Identity, SessionOfCaller, Book } from '../../operations/caller.ts';
import { open, outside, read, type Operation, type Client } from '../../operations/operation.ts';
import {
  changed,
  created,
  noContent,
  ok,
  WithCookies,
  withCookie,
  type Cookies,
} from '../../operations/responses.ts';
import { listPasskeys, confirmPasskey, tryPasskey } from '../passkeys/actions.ts';
import {
  maxPasswordLength,
  minPasswordLength,
  endSession,
  listSessions,
  endOf,
  sessionOf,
  createSession,
  firstBookOf,
  identityOfSession,
  takeLink,
} from '../sessions/actions.ts';
import {
  hasPassword,
  setPassword,
  confirmPassword,
  newDevice,
  tryPassword,
} from '../sessions/passwords.ts';
import { bodyProblem, signInRefused } from '../../operations/problem.ts';
import { bookOf } from '../users/actions.ts';
import { Type, type Static } from 'typebox';
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

const SessionPath = idPath('session');

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

const SessionList = object('SessionListResponse', 'The sessions of the user.', {
  sessions: listOf(Session, 'The last used first.'),
});

const password = { minLength: 1, maxLength: maxPasswordLength };

const SignIn = object(
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
type SignIn = Static<typeof SignIn>;

const PasswordUpdate = object('PasswordUpdate', 'A new password.', {
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
const sessionExamples = {
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

const tag = 'sessions';
const current = { tag, path: '/coffer/session' } as const;
const all = { tag, path: '/coffer/sessions', needsSession: true } as const;

const nobody: SessionState = {
  session: null,
  user: null,
  book: null,
  has_password: null,
  passkey_count: null,
};

const signInRoutes: readonly Operation[] = [
  open(
    'POST',
    {
      ...current,
      id: 'signIn',
      summary: 'Sign in',
      description:
        'Begins a session with a link, a password or a passkey, and sets its cookie. 401 does not say which of the values ' +
        'is wrong. After 10 wrong passwords for an account, the next ones have to wait: 429 with `Retry-After`. A browser ' +
        'in which the user has signed in before has a cookie by which its passwords count apart.',
      body: SignIn,
      bodyExamples: sessionExamples.signIn,
      isSecret: true,
      response: withCookie(created(SessionState, 'The session.')),
    },
    async ({ body, client }, engine) => {
      const { identity, cookies } = await signIn(engine, body, client);
      return new WithCookies(await engine.read(() => stateOf(identity)), cookies);
    },
  ),
  open(
    'GET',
    {
      ...current,
      id: 'getSession',
      summary: 'Get the current session',
      description: 'Without a valid cookie, or a token, all values are null; the status is 200.',
      response: changed(SessionState, 'Who is signed in.'),
    },
    async ({ identity }, engine) =>
      identity === null ? nobody : engine.read(() => stateOf(identity)),
  ),
];

/** The operations of sessions, and of the password. */
export const sessionRoutes: readonly Operation[] = [
  ...signInRoutes,
  outside(
    'DELETE',
    {
      ...current,
      id: 'signOut',
      summary: 'Sign out',
      needsSession: true,
      description: 'Ends the session of the request, and removes its cookie.',
      response: withCookie(noContent('The session has ended.')),
    },
    async ({ identity }, engine) => {
      const ending = () => endSession(identity.user.id, sessionOf(identity).id);
      await engine.write(ending, { isUrgent: true });
      return new WithCookies(undefined, { session: null });
    },
  ),
  read(
    {
      ...all,
      id: 'getAllSessions',
      summary: 'List sessions',
      response: ok(SessionList, 'The sessions of the user.'),
    },
    function* ({ identity }) {
      const found = yield* listSessions(identity.user.id);
      return { sessions: found.map((each) => toWire(each, identity)) };
    },
    { isVolatile: true },
  ),
  outside(
    'DELETE',
    {
      ...all,
      path: '/coffer/sessions/{id}',
      params: SessionPath,
      id: 'endSession',
      summary: 'End a session',
      description: 'Its cookie is refused from now on, on all nodes.',
      response: noContent('The session has ended.'),
    },
    ({ identity, params }, engine) =>
      engine.write(() => endSession(identity.user.id, params.id), { isUrgent: true }),
  ),
  outside(
    'PUT',
    {
      ...all,
      path: '/coffer/password',
      id: 'setPassword',
      summary: 'Set the password',
      description:
        'Ends all other sessions of the user and, with `remove_passkeys`, removes all passkeys. Nothing happens if the ' +
        'session of the request ends meanwhile.',
      body: PasswordUpdate,
      bodyExamples: sessionExamples.password,
      response: withCookie(noContent('The password is set.')),
    },
    async ({ identity, client, body }, engine) => {
      const {
        current_password: current,
        password,
        remove_passkeys: removesPasskeys = false,
      } = body;
      const sent = { current, password, removesPasskeys, client };
      const device = await setPassword(engine, identity, sent);
      return new WithCookies(undefined, { device });
    },
  ),
];

function* stateOf(identity: Identity): Steps<SessionState> {
  const { session, user, book } = identity;
  return {
    session: session === null ? null : toWire(session, identity),
    user: { id: user.id, name: user.name, email: user.email },
    book: { id: book.id, name: book.name, primary_currency: book.primaryCurrency },
    has_password: yield* hasPassword(user.id),
    passkey_count: (yield* listPasskeys(user.id)).length,
  };
}

function toWire(session: SessionOfCaller, { session: own }: Identity): Session {
  return {
    id: session.id,
    method: session.method,
    created_at: session.createdAt,
    last_seen_at: session.seenAt,
    ends_at: endOf(session),
    user_agent: session.userAgent,
    is_current: session.id === own?.id,
  };
}

/** A session that has begun. */
export interface SignedIn {
  readonly identity: Identity;
  readonly cookies: Cookies;
}

/** Signs a user in. Throws a Problem, with the same status and text whatever is wrong with what was sent. */
async function signIn(engine: Engine, sent: SignIn, client: Client): Promise<SignedIn> {
  const needed = fieldsOf(sent);
  const missing = Object.entries(needed).filter(([, value]) => value === undefined);
  if (missing.length > 0) {
    const details = missing.map(([name]) => ({
      errMsg: `${name} is required for the method "${sent.method}"`,
      invalid_property: name,
    }));
    throw bodyProblem(...details);
  }
  if (sent.method === 'link') return byLink(engine, sent.secret!, client);
  const { method } = sent;
  const right = await (method === 'password' ? byPassword : byPasskey)(engine, sent, client);
  if (right === null) throw signInRefused(refusals[method]);
  // What was right when it was tried must still be when the session begins.
  const confirmed = function* (): Steps<SignedIn> {
    if (!(yield* right.confirm())) throw signInRefused(refusals[method]);
    return yield* begin(yield* firstBookOf(right.userId), method, client);
  };
  return engine.write(confirmed, { isUrgent: true });
}

/** Somebody who has shown a password or a passkey. */
interface Shown {
  readonly userId: number;
  readonly confirm: () => Steps<boolean>;
}

async function byPassword(engine: Engine, sent: SignIn, client: Client): Promise<Shown | null> {
  const by = { ...client, email: sent.email!.trim() };
  const right = await tryPassword(engine, by, sent.password!);
  return right && { userId: right.userId, confirm: () => confirmPassword(right) };
}

async function byPasskey(engine: Engine, sent: SignIn, client: Client): Promise<Shown | null> {
  const key = { challengeId: sent.challenge_id!, credential: sent.credential! };
  const used = await tryPasskey(engine, key, client);
  return used && { userId: used.userId, confirm: () => confirmPasskey(used) };
}

const refusals = {
  link: 'The link is not valid: it was used, or is older than 15 minutes',
  password: 'The e-mail address or the password is wrong',
  passkey: 'The passkey is not valid here',
};

function fieldsOf({ method, secret, email, password, challenge_id, credential }: SignIn) {
  if (method === 'link') return { secret };
  return method === 'password' ? { email, password } : { challenge_id, credential };
}

/** The link is used up only together with the session that it begins. */
function byLink(engine: Engine, secret: string, client: Client): Promise<SignedIn> {
  const taking = function* (): Steps<SignedIn> {
    const taken = yield* takeLink(secret);
    if (taken === null) throw signInRefused(refusals.link);
    return yield* begin(yield* bookOf(taken.bookId), 'link', client);
  };
  return engine.write(taking, { isUrgent: true });
}

function* begin(book: Book, method: SignIn['method'], client: Client): Steps<SignedIn> {
  const { userAgent, cookieHash: replaces } = client;
  const owner = { userId: book.userId, bookId: book.id };
  const secret = yield* createSession({ ...owner, method, userAgent, replaces });
  const cookies = { session: secret.text, device: yield* newDevice(book.userId) };
  return { identity: (yield* identityOfSession(secret.hash, book.id))!, cookies };
}
