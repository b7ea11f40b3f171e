import { createLink, newSecret } from '../../packages/server/src/identity/sessions/actions.ts';
import fc, { type Arbitrary } from 'fast-check';
import { insertUnlogged } from '../../packages/server/src/book/unlogged.ts';
import { passkeyChallenges } from '../../packages/server/src/db/tables/tables.ts';
import { Authenticator } from '../../packages/server/src/identity/passkeys/testing/authenticator.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { addSession } from '../../packages/server/src/operations/testing/outside-records.ts';
import { addOwner, type Owner } from '../../test/service/owners.ts';
import { isOfUsers } from '../../test/service/signed-in.ts';

/** The Host of all requests, and the cookie for it. */
export const fuzzedHost = 'localhost';
const cookieName = 'coffer_80';

/** A user whose sessions, tokens and password may be lost. */
export interface Expendable {
  /** The name and the secret of the cookie. */
  readonly cookie: string;
  readonly link: string;
  readonly challenge: string;
}

export interface Signed {
  /** The cookie of the owner whose token is used too, for all operations that end no session. */
  readonly cookie: string;
  readonly users: readonly Expendable[];
}

/** Cookies of nobody, for requests that are about something else. */
export const nobodySigned: Signed = {
  cookie: `${cookieName}=${'A'.repeat(43)}`,
  users: [{ cookie: `${cookieName}=${'A'.repeat(43)}`, link: 'none', challenge: 'none' }],
};

/** More than there are valid requests that need one. */
const count = 80;

export async function addSigned(store: Engine, owner: Owner): Promise<Signed> {
  const cookieOf = async (user: Owner): Promise<string> =>
    `${cookieName}=${await addSession(store, user)}`;
  const users = await Array.fromAsync({ length: count }, async (_, n): Promise<Expendable> => {
    const user = await addOwner(store, `user-${n}`);
    const challenge = newSecret(256).hash;
    const link = await store.write(function* () {
      const row = { challenge, user_id: user.userId, expires_at: '2900-01-01T00:00:00.000Z' };
      yield* insertUnlogged(passkeyChallenges, row);
      return yield* createLink({ id: user.bookId, userId: user.userId });
    });
    const cookie = await cookieOf(user);
    return { cookie, link, challenge: Buffer.from(challenge).toString('base64url') };
  });
  return { cookie: await cookieOf(owner), users };
}

export function browserFields(
  { cookie, users }: Signed,
  target: string,
): Arbitrary<readonly (readonly [string, string])[]> {
  const cookies = isOfUsers(target) ? users.map((user) => user.cookie) : [cookie];
  return fc.constantFrom(...cookies).map((value) => fieldsOf(value));
}

export function fieldsOf(cookie: string): (readonly [string, string])[] {
  return [
    ['Cookie', cookie],
    ['Sec-Fetch-Site', 'same-origin'],
    ['X-Coffer-Upload', '1'],
  ];
}

/** Returns a valid body where the schema does not describe one; undefined for other operations. */
export function signedBody(operation: string, user: Expendable): object | undefined {
  if (operation === 'POST /coffer/session') return { method: 'link', secret: user.link };
  if (operation === 'DELETE /coffer/book') return { name: 'Book' };
  if (operation === 'PUT /coffer/password') return { password: 'correct horse battery' };
  if (operation === 'POST /coffer/tokens') return { label: 'plain' };
  if (operation !== 'POST /coffer/passkeys') return undefined;
  const authenticator = new Authenticator(`http://${fuzzedHost}`);
  const credential = authenticator.create({ challenge: user.challenge });
  return { challenge_id: user.challenge, credential, name: 'plain' };
}
