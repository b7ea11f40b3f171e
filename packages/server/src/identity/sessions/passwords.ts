import { deleteUnlogged, insertUnlogged } from '../../book/unlogged.ts';
import { context, now } from '../../db/engine.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { passkeys, passwords, signInLinks } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import type { DeviceCookie } from '../../operations/responses.ts';
import type { Client } from '../../operations/operation.ts';
import { findBooks } from '../users/actions.ts';
import type { Identity } from '../../operations/caller.ts';
import { endOtherSessions } from './actions.ts';
import { lockUser } from '../../operations/caller.ts';
import { countAttempt, forgiveAttempt, slowed } from './attempts.ts';
import type { Attempt } from './attempts.ts';
import { deviceOf, knownDevice } from './devices.ts';
import { isFresh } from './rules.ts';
import { sessionOf } from './session.ts';
import { hashPassword, isOutdated, isPassword } from './scrypt.ts';

/** Returns whether a user has a password. */
export function* hasPassword(userId: number): Steps<boolean> {
  return (yield* phcOf(userId)) !== null;
}

/** Returns the cookie for a browser in which a user has signed in; null for a user without a password. */
export function* newDevice(userId: number): Steps<DeviceCookie | null> {
  const phc = yield* phcOf(userId);
  return phc === null ? null : deviceOf(userId, phc);
}

function* phcOf(userId: number): Steps<string | null> {
  return (yield* find(passwords, { user_id: userId }))?.phc ?? null;
}

/** Who tries a password. */
interface TriedBy extends Pick<Client, 'source' | 'deviceCookies'> {
  readonly email: string;
}

/** A password that was right. {@link confirmPassword} says whether it still is. */
interface RightPassword {
  readonly userId: number;
  readonly attempt: Attempt;
  readonly phc: string;
  /** A new hash of it, if the old one is outdated. */
  readonly renewed: string | null;
}

/**
 * Tries a password. Returns null if it is not that of the e-mail address. It takes as long for an unknown address.
 * Throws a Problem while the account or the source has to wait.
 */
export async function tryPassword(
  engine: Engine,
  { email, source, deviceCookies }: TriedBy,
  password: string,
): Promise<RightPassword | null> {
  const { userId, phc } = await engine.read(() => accountOf(email));
  const device = userId === null || phc === null ? null : knownDevice(deviceCookies, userId, phc);
  const attempt = { email, source, device };
  const waitMs = await engine.write(() => countAttempt(attempt));
  if (waitMs > 0) throw slowed(waitMs);
  if (!(await isPassword(password, phc)) || userId === null || phc === null) return null;
  const renewed = isOutdated(phc) ? await hashPassword(password) : null;
  return { userId, attempt, phc, renewed };
}

/**
 * Returns whether a password is still right, in the transaction that does what it allows: somebody may have changed it
 * since it was tried. Its user is locked.
 */
export function* confirmPassword({ userId, attempt, phc, renewed }: RightPassword): Steps<boolean> {
  yield* lockUser(userId);
  if ((yield* phcOf(userId)) !== phc) return false;
  if (renewed !== null) yield* store(userId, renewed);
  yield* forgiveAttempt(attempt);
  return true;
}

function* accountOf(email: string) {
  const [book] = yield* findBooks(email);
  const userId = book?.userId ?? null;
  return { userId, phc: userId === null ? null : yield* phcOf(userId) };
}

/** A password to set, by the user who is signed in. */
export interface NewPassword {
  readonly current: string | undefined;
  readonly password: string;
  /** Whether all passkeys of the user are removed. */
  readonly removesPasskeys: boolean;
  readonly client: Pick<Client, 'source' | 'deviceCookies'>;
}

/**
 * Sets the password of the user, ends all other sessions, and makes links that were not used worthless. Throws a
 * Problem if the current password is required and wrong. `engine` is that of the session. Returns the new
 * cookie of the browser: the new password makes the old one worthless.
 */
export async function setPassword(
  engine: Engine,
  identity: Identity,
  { current, password, removesPasskeys, client }: NewPassword,
): Promise<DeviceCookie> {
  const { user } = identity;
  const session = sessionOf(identity);
  const { phc, nowMs } = await engine.read(function* () {
    return { phc: yield* phcOf(user.id), nowMs: (yield* context()).nowMs };
  });
  let right: RightPassword | null = null;
  if (phc !== null && !isFresh(session, 'link', nowMs)) {
    if (current === undefined) throw currentProblem('current_password is required');
    right = await tryPassword(engine, { email: user.email, ...client }, current);
    if (right?.userId !== user.id) throw currentProblem(wrongCurrent);
  }
  const made = await hashPassword(password);
  await engine.write(function* () {
    const isStill =
      right === null ? (yield* phcOf(user.id)) === phc : yield* confirmPassword(right);
    if (!isStill) throw currentProblem(wrongCurrent);
    yield* store(user.id, made);
    if (removesPasskeys) yield* deleteUnlogged(passkeys, { user_id: user.id });
    yield* endOtherSessions(user.id, session.id);
    yield* deleteUnlogged(signInLinks, { user_id: user.id });
  });
  return deviceOf(user.id, made);
}

const wrongCurrent = 'current_password is not the password so far';

function* store(userId: number, phc: string): Steps<void> {
  yield* deleteUnlogged(passwords, { user_id: userId });
  yield* insertUnlogged(passwords, { user_id: userId, phc, changed_at: yield* now() });
}

function currentProblem(errMsg: string) {
  return bodyProblem({ errMsg, invalid_property: 'current_password' });
}
