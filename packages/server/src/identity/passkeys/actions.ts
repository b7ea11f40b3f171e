import { hash, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { hasToWait, instantOf, msOf } from '@coffer/core/dates';
import sql from 'sql-template-tag';
import {
  deleteUnlogged,
  insertUnlessTaken,
  updateUnlogged,
  deleteUpTo,
  insertUnlogged,
} from '../../book/unlogged.ts';
import { context, now, row, type Engine, type Steps } from '../../db/engine.ts';
import { findLocked, find, select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { passkeys, passkeyChallenges } from '../../db/tables/tables.ts';
import { bodyProblem, forbidden, notFound, Problem } from '../../operations/problem.ts';
import { lockUser, type Identity, type SessionOfCaller } from '../../operations/caller.ts';
import { isFresh } from '../sessions/actions.ts';
import { optionsToCreate, optionsToSignIn, verifiedCount, verifiedNew } from './verification.ts';
import type { NewKey, Options, Place, StoredKey } from './verification.ts';

/** A challenge, and the options with it for the browser. */
export interface Asked {
  readonly challenge_id: string;
  readonly options: Options;
}

/** What a browser sends after a passkey was used. */
export interface SentPasskey {
  readonly challengeId: string;
  readonly credential: Readonly<Record<string, unknown>>;
}

/** Makes a challenge for a sign-in with any passkey of the host. Throws a Problem for a host without a name. */
export async function beginSignIn(engine: Engine, host: string): Promise<Asked> {
  refuseAddress(host);
  const challenge = await engine.write(() => createChallenge(null), { isUrgent: true });
  return { challenge_id: idOf(challenge), options: await optionsToSignIn(host, challenge) };
}

/** A passkey that signed a challenge. {@link confirmPasskey} says whether it still is one. */
interface UsedPasskey {
  readonly id: number;
  readonly userId: number;
  readonly counter: number;
}

/** Returns the passkey that signed the challenge, or null. The challenge is used up in both cases. */
export async function tryPasskey(
  engine: Engine,
  { challengeId, credential }: SentPasskey,
  place: Place,
): Promise<UsedPasskey | null> {
  const challenge = readChallengeId(challengeId);
  const { id } = credential;
  const credential_id = Buffer.from(typeof id === 'string' ? id : '', 'base64url');
  const found = await engine.write(
    function* () {
      const isValid = yield* takeChallenge(challenge, null);
      return isValid ? yield* find(passkeys, { credential_id }) : undefined;
    },
    { isUrgent: true },
  );
  if (found === undefined) return null;
  const counter = await verifiedCount({ ...place, credential, challenge }, storedKey(found));
  return counter === null ? null : { id: found.id, userId: found.user_id, counter };
}

/**
 * Stores a use, in the transaction that does what it allows. Returns false if the passkey was removed or used meanwhile
 * with a count that is as high. Its user is locked.
 */
export function* confirmPasskey({ id, userId, counter }: UsedPasskey): Steps<boolean> {
  yield* lockUser(userId);
  const known = yield* findLocked(passkeys, { id });
  if (known === undefined) return false;
  // Many authenticators do not count, and always send 0.
  if ((counter > 0 || known.counter > 0) && counter <= known.counter) return false;
  yield* updateUnlogged(passkeys, { id }, { counter, used_at: yield* now() });
  return true;
}

/**
 * Makes a challenge for a new passkey of the caller. Throws a Problem for a host without a name, and for a session that
 * did not begin lately: a passkey opens the account for ever.
 */
export async function beginCreation(
  engine: Engine,
  { user, session, databaseId }: Identity,
  host: string,
): Promise<Asked> {
  refuseAddress(host);
  const { challenge, known } = await engine.write(function* () {
    yield* refuseStale(session);
    const rows = yield* listPasskeys(user.id);
    if (rows.length >= mostPasskeys) throw tooMany();
    return { challenge: yield* createChallenge(user.id), known: rows };
  });
  const options = await optionsToCreate(host, challenge, {
    ...user,
    handle: hash('sha256', `${databaseId} ${user.id}`, 'buffer'),
    known: known.map((each) => each.credential_id),
  });
  return { challenge_id: idOf(challenge), options };
}

/** Stores a new passkey of the user. Throws a Problem if what the browser sent is not valid. */
export async function createPasskey(
  engine: Engine,
  userId: number,
  { challengeId, credential, name }: SentPasskey & { readonly name: string },
  place: Place,
): Promise<Row<typeof passkeys>> {
  const challenge = readChallengeId(challengeId);
  const isValid = await engine.write(() => takeChallenge(challenge, userId));
  const made = isValid ? await verifiedNew({ ...place, credential, challenge }) : null;
  if (made === null) {
    const errMsg =
      'The passkey is not valid: the challenge was used or is older than 5 minutes, or something else was signed';
    throw bodyProblem({ errMsg, invalid_property: 'credential' });
  }
  return engine.write(() => insertPasskey(userId, { ...made, name, host: place.host }));
}

function* insertPasskey(
  userId: number,
  { name, host, ...key }: NewKey & { readonly name: string; readonly host: string },
): Steps<Row<typeof passkeys>> {
  if ((yield* listPasskeys(userId)).length >= mostPasskeys) throw tooMany();
  const { credentialId: credential_id, publicKey: public_key, counter, transports } = key;
  const made = yield* insertUnlessTaken(passkeys, {
    user_id: userId,
    name,
    host,
    credential_id,
    public_key,
    counter,
    transports: JSON.stringify(transports),
    created_at: yield* now(),
  });
  if (made !== undefined) return made;
  throw bodyProblem({ errMsg: 'The passkey exists already', invalid_property: 'credential' });
}

/** Returns the passkeys of a user by id. */
export function* listPasskeys(userId: number): Steps<Row<typeof passkeys>[]> {
  return yield* select(passkeys, { user_id: userId });
}

/** Removes a passkey of a user. Throws a Problem if the user has no such passkey. */
export function* removePasskey(userId: number, id: number): Steps<void> {
  const found = yield* find(passkeys, { id, user_id: userId });
  if (found === undefined) throw notFound('passkey', id);
  yield* deleteUnlogged(passkeys, { id });
}

function* refuseStale(session: SessionOfCaller | null): Steps<void> {
  const { nowMs } = yield* context();
  if (session === null || !isFresh(session, 'any method', nowMs)) throw forbidden(staleSession);
}

const staleSession =
  'Sign in again to add a passkey: the session must have begun in the last 15 minutes';

function tooMany() {
  return bodyProblem({ errMsg: `A user can have ${mostPasskeys} passkeys: remove one first` });
}

function storedKey(row: Row<typeof passkeys>): StoredKey {
  return { credentialId: row.credential_id, publicKey: row.public_key, counter: row.counter };
}

function idOf(challenge: Uint8Array): string {
  return Buffer.from(challenge).toString('base64url');
}

/** Makes a challenge: for the user who creates a passkey, or null for one who signs in. */
export function* createChallenge(userId: number | null): Steps<Uint8Array> {
  const { nowMs } = yield* context();
  const challenge: Uint8Array = randomBytes(challengeBytes);
  const expires_at = instantOf(nowMs + challengeMs);
  if (userId === null) yield* dropOldest();
  yield* insertUnlogged(passkeyChallenges, { challenge, user_id: userId, expires_at });
  return challenge;
}

/** Anybody can ask for challenges to sign in: the newest are kept, so that they need a bounded place. */
function* dropOldest(): Steps<void> {
  const last = yield* row<{ id: number }>(
    sql`SELECT id FROM passkey_challenges WHERE user_id IS NULL
      ORDER BY id DESC LIMIT 1 OFFSET ${mostChallenges - 1}`,
  );
  if (last !== undefined) yield* deleteUpTo(passkeyChallenges, 'id', last.id, { user_id: null });
}

/** Uses a challenge up, whatever follows. Returns false if it is unknown, used, expired, or of another user. */
function* takeChallenge(challenge: Uint8Array, userId: number | null): Steps<boolean> {
  const { nowMs } = yield* context();
  const found = yield* findLocked(passkeyChallenges, { challenge });
  if (found === undefined) return false;
  yield* deleteUnlogged(passkeyChallenges, { id: found.id });
  // One that lasts longer was made before the clock went back.
  return found.user_id === userId && hasToWait(msOf(found.expires_at), nowMs, challengeMs);
}

/** How long a challenge can be signed. */
export const challengeMs = 5 * 60_000;
/** The bytes of a challenge. */
const challengeBytes = 32;
/** Most challenges of sign-ins at a time: a newer one ends the oldest. */
const mostChallenges = 10_000;
/** Most passkeys of a user. */
const mostPasskeys = 50;

/** Refuses hosts for which browsers have no passkeys: IP addresses. Source: Web Authentication, 5.1.3. */
function refuseAddress(host: string): void {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0) return;
  const errMsg = `Passkeys need a host name, not the address ${host}: open the service by its name, such as localhost`;
  throw new Problem('invalidRequest', { details: [{ errMsg }] });
}

/** Returns the bytes of a challenge by its id. Throws a Problem for a text that is none. */
function readChallengeId(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === challengeBytes && bytes.toString('base64url') === text) return bytes;
  throw bodyProblem({
    errMsg: 'The challenge is not valid: it was used, or is older than 5 minutes',
    invalid_property: 'challenge_id',
  });
}
