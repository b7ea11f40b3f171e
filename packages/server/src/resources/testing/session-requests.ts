import { insertUnlogged } from '../../changes/unlogged.ts';
import type { Engine } from '../../db/engine.ts';
import { passkeyChallenges, passwords } from '../../db/tables.ts';
import { Authenticator } from '../passkeys/testing/authenticator.ts';
import type { Visit } from '../operation.ts';
import { createLink, createSession } from '../sessions/actions.ts';
import { hashPassword } from '../sessions/scrypt.ts';
import type { Book } from '../users/identity.ts';
import type { MadeBy, Requests } from './own-requests.ts';

/** How the requests reach the service. */
export const fixedVisit: Visit = {
  ...{ source: '192.0.2.1', userAgent: 'Test/1', origin: 'http://localhost:8080' },
  ...{ host: 'localhost', cookieHash: Buffer.alloc(32, 7) },
};

/** Challenges: for a new passkey, and to sign in. */
const fixedChallenges = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;

const authenticator = new Authenticator(fixedVisit.origin);
const fixedPassword = 'correct horse battery';

/** Adds what the requests use: a link, a session, a password and challenges. Returns the secret and the hash. */
export async function addSignIn(
  engine: Engine,
  { id, userId }: Pick<Book, 'id' | 'userId'>,
  nowIso: string,
): Promise<{ link: string; secretHash: Uint8Array }> {
  const phc = await hashPassword(fixedPassword);
  const expires_at = new Date(Date.parse(nowIso) + 1000).toISOString();
  const session = { userId, bookId: id, method: 'link', userAgent: null, replaces: null } as const;
  return engine.write(function* () {
    yield* insertUnlogged(passwords, { user_id: userId, phc, changed_at: nowIso });
    const [challenge, second] = fixedChallenges;
    yield* insertUnlogged(passkeyChallenges, { challenge, user_id: userId, expires_at });
    yield* insertUnlogged(passkeyChallenges, { challenge: second, user_id: null, expires_at });
    const { hash: secretHash } = yield* createSession(session);
    return { link: yield* createLink({ id, userId }), secretHash };
  });
}

/** Requests for signing in: with the secret of a link, and as the user with that address. */
export function sessionRequests(
  { link, email }: { readonly link: string; readonly email: string },
  made: MadeBy,
): Requests {
  const [forCreation, forSignIn] = fixedChallenges.map((each) => each.toString('base64url'));
  const created = authenticator.create({ challenge: forCreation });
  const used = authenticator.get({ challenge: forSignIn });
  return {
    requestPasskey: () => [{}],
    requestNewPasskey: () => [{}],
    createPasskey: () => [
      { body: { challenge_id: forCreation, credential: created, name: 'Laptop' } },
    ],
    getAllPasskeys: () => [{}],
    signIn: () => [
      { body: { method: 'link', secret: link } },
      { body: { method: 'password', email, password: fixedPassword } },
      { body: { method: 'passkey', challenge_id: forSignIn, credential: used } },
    ],
    getSession: () => [{}],
    getAllSessions: () => [{}],
    createToken: () => [{ body: { label: 'script' } }],
    getAllTokens: () => [{}],
    revokeToken: () => [{ params: { id: made('createToken') } }],
    deletePasskey: () => [{ params: { id: made('createPasskey') } }],
    endSession: () => [{ params: { id: made('signIn') } }],
    setPassword: () => [{ body: { current_password: fixedPassword, password: 'another one' } }],
    signOut: () => [{}],
  };
}
