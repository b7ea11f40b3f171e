import { insertUnlogged } from '../../packages/server/src/changes/unlogged.ts';
import { passkeyChallenges, passkeys } from '../../packages/server/src/db/tables.ts';
import { sessions, signInLinks } from '../../packages/server/src/db/tables.ts';
import { Authenticator } from '../../packages/server/src/resources/passkeys/testing/authenticator.ts';
import { databaseId } from '../../packages/server/src/resources/sessions/actions.ts';
import { newSecret } from '../../packages/server/src/resources/sessions/secret.ts';
import { createToken, newToken, type Engine } from '../../packages/server/src/main.ts';
import type { GoodRequest } from './good-requests.ts';
import type { Recipe } from './recipes.ts';
import type { Service, User } from './started-service.ts';

/** Whether a path is about signing in, where an access token is not enough. */
export function isOfUsers(path: string): boolean {
  return /^\/coffer\/(session|sessions|password|passkeys|tokens)(\/|\?|$)/.test(path);
}

/** Returns a request of a browser in which the user has just signed in with a link, under the name localhost. */
export async function signedIn(
  { engine, port }: Service,
  method: string,
  body: unknown,
  { userId, bookId }: User,
): Promise<GoodRequest['asking']> {
  const { text, hash } = newSecret(256);
  await addSession(engine, { userId, bookId }, hash);
  const headers = [
    ...['Host', `localhost:${port}`, 'Cookie', `coffer_${port}=${text}`],
    ...['Sec-Fetch-Site', 'same-origin', 'Content-Type', 'application/json'],
  ];
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return { method, as: null, headers, ...sent };
}

/** Returns the same request by another user: with their token, or with a session of theirs. */
export async function sentBy(
  service: Service,
  { target, asking }: GoodRequest,
  user: User,
): Promise<GoodRequest> {
  if (!isOfUsers(target)) return { target, asking: { ...asking, as: user } };
  const { as = null, headers = [] } = await signedIn(service, asking.method, undefined, user);
  return { target, asking: { ...asking, as, headers } };
}

/** Returns the same request with this text as its JSON body; a session stays in the headers. */
export function withText({ target, asking }: GoodRequest, body: string): GoodRequest {
  const headers = isOfUsers(target) ? (asking.headers ?? []) : ['Content-Type', 'application/json'];
  return { target, asking: { ...asking, headers, body } };
}

/** Returns the same request without a token, or with one that is none in place of the cookie. */
export function unauthorized({ ada }: Service, { target, asking }: GoodRequest): GoodRequest {
  const wrong = { ...ada, token: 'x' };
  return { target, asking: { ...asking, as: isOfUsers(target) ? wrong : null } };
}

/** Returns the same request from another site; a GET or DELETE with a token in place of the cookie. */
export function forbidden({ ada }: Service, request: GoodRequest): GoodRequest {
  const { target, asking } = request;
  const isByPage = asking.method === 'POST' || asking.method === 'PUT';
  if (isByPage) return withHeaders(request, { 'Sec-Fetch-Site': 'cross-site' });
  return { target, asking: { ...asking, as: ada } };
}

/** Returns the same request under a name that the service does not have. */
export function misdirected({ port }: Service, request: GoodRequest): GoodRequest {
  return withHeaders(request, { Host: `books.example:${port}` });
}

/** Returns the same request with other values of headers. */
function withHeaders(
  { target, asking }: GoodRequest,
  changes: Readonly<Record<string, string>>,
): GoodRequest {
  const headers = [...(asking.headers ?? [])];
  for (const [name, value] of Object.entries(changes)) {
    const at = headers.indexOf(name);
    if (at === -1) headers.push(name, value);
    else headers[at + 1] = value;
  }
  return { target, asking: { ...asking, headers } };
}

/** Adds a session that has just begun, by the clock of the service, which is not that of the engine. */
export async function addSession(
  engine: Engine,
  { userId: user_id, bookId: book_id }: Pick<User, 'userId' | 'bookId'>,
  secret_hash: Uint8Array,
): Promise<number> {
  const at = new Date().toISOString();
  const { id } = await engine.write(function* () {
    return yield* insertUnlogged(sessions, {
      ...{ secret_hash, user_id, book_id, method: 'link' },
      ...{ database_id: yield* databaseId(), created_at: at, seen_at: at, ends_at: late },
    });
  });
  return id;
}

const late = '2900-01-01T00:00:00.000Z';

const session: Recipe = async ({ engine }, as) => ({
  values: { id: await addSession(engine, as, newSecret(256).hash) },
});

const passkey: Recipe = async ({ engine }, { userId: user_id }) => {
  const { hash } = newSecret(256);
  const key = { credential_id: hash, public_key: hash, counter: 0, transports: '[]' };
  const row = await engine.write(() =>
    insertUnlogged(passkeys, { user_id, ...key, name: 'x', host: 'localhost', created_at: 'x' }),
  );
  return { values: { id: row.id } };
};

/** A passkey that is new, for a challenge that the user has got. */
const newPasskey: Recipe = async ({ engine, port }, { userId: user_id }) => {
  const challenge = newSecret(256).hash;
  const row = { challenge, user_id, expires_at: late };
  await engine.write(() => insertUnlogged(passkeyChallenges, row));
  const challenge_id = Buffer.from(challenge).toString('base64url');
  const authenticator = new Authenticator(`http://localhost:${port}`);
  const credential = authenticator.create({ challenge: challenge_id });
  return { body: { challenge_id, credential, name: 'Laptop' } };
};

/** How to get what the operations of signing in need. */
export const signInRecipes: Readonly<Record<string, Recipe>> = {
  'POST /coffer/session': async ({ engine }, { userId: user_id, bookId: book_id }) => {
    const { text: secret, hash: secret_hash } = newSecret(128);
    await engine.write(function* () {
      const row = { secret_hash, user_id, book_id, created_at: late, expires_at: late };
      yield* insertUnlogged(signInLinks, { ...row, database_id: yield* databaseId() });
    });
    return { body: { method: 'link', secret } };
  },
  'PUT /coffer/password': () => Promise.resolve({ body: { password: 'correct horse battery' } }),
  'DELETE /coffer/sessions/{id}': session,
  'DELETE /coffer/passkeys/{id}': passkey,
  'POST /coffer/passkeys': newPasskey,
  'POST /coffer/tokens': () => Promise.resolve({ body: { label: 'script' } }),
  'DELETE /coffer/tokens/{id}': async ({ engine }, { userId, bookId }) => {
    const token = { userId, bookId, hash: newToken().hash, label: 'x', expiresAt: null };
    return { values: { id: await engine.write(() => createToken(token)) } };
  },
};
