import type { Steps } from '../../db/engine.ts';
import type { Identity, SessionOfCaller } from '../../operations/caller.ts';
import { open, outside, read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import {
  changed,
  created,
  noContent,
  ok,
  WithCookies,
  withCookie,
} from '../../operations/responses.ts';
import { listPasskeys } from '../passkeys/actions.ts';
import { endSession, listSessions, endOf, sessionOf } from '../sessions/actions.ts';
import { hasPassword, setPassword } from '../sessions/passwords.ts';
import { sessionExamples as examples } from './schema.ts';
import * as schema from './schema.ts';
import { signIn } from './sign-in.ts';

const tag = 'sessions';
const current = { tag, path: '/coffer/session' } as const;
const all = { tag, path: '/coffer/sessions', needsSession: true } as const;

const nobody: schema.SessionState = {
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
      body: schema.SignIn,
      bodyExamples: examples.signIn,
      isSecret: true,
      response: withCookie(created(schema.SessionState, 'The session.')),
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
      response: changed(schema.SessionState, 'Who is signed in.'),
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
      response: ok(schema.SessionList, 'The sessions of the user.'),
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
      params: schema.SessionPath,
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
      body: schema.PasswordUpdate,
      bodyExamples: examples.password,
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

function* stateOf(identity: Identity): Steps<schema.SessionState> {
  const { session, user, book } = identity;
  return {
    session: session === null ? null : toWire(session, identity),
    user: { id: user.id, name: user.name, email: user.email },
    book: { id: book.id, name: book.name, primary_currency: book.primaryCurrency },
    has_password: yield* hasPassword(user.id),
    passkey_count: (yield* listPasskeys(user.id)).length,
  };
}

function toWire(session: SessionOfCaller, { session: own }: Identity): schema.Session {
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
