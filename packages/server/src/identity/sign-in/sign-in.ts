import type { Engine, Steps } from '../../db/engine.ts';
import type { Book, Identity } from '../../operations/caller.ts';
import { bodyProblem, signInRefused } from '../../operations/problem.ts';
import type { Cookies } from '../../operations/responses.ts';
import { confirmPasskey, tryPasskey } from '../passkeys/actions.ts';
import { createSession, firstBookOf, identityOfSession, takeLink } from '../sessions/actions.ts';
import type { MintedSecret } from '../sessions/actions.ts';
import { confirmPassword, newDevice, tryPassword } from '../sessions/passwords.ts';
import { bookOf } from '../users/actions.ts';
import type { SignIn } from './schema.ts';
import type { Client } from '../../operations/operation.ts';

/** A session that has begun. */
export interface SignedIn {
  readonly identity: Identity;
  readonly cookies: Cookies;
}

/** Signs a user in. Throws a Problem, with the same status and text whatever is wrong with what was sent. */
export async function signIn(engine: Engine, sent: SignIn, client: Client): Promise<SignedIn> {
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
  const secret: MintedSecret = yield* createSession({ ...owner, method, userAgent, replaces });
  const cookies = { session: secret.text, device: yield* newDevice(book.userId) };
  return { identity: (yield* identityOfSession(secret.hash, book.id))!, cookies };
}
