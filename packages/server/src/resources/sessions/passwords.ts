import { deleteUnlogged, insertUnlogged } from '../../changes/unlogged.ts';
import { context, now } from '../../db/engine.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { passwords, signInLinks } from '../../db/tables.ts';
import { bodyProblem } from '../../wire/problem.ts';
import { findBooks } from '../users/actions.ts';
import type { Identity } from '../users/identity.ts';
import { endOtherSessions } from './actions.ts';
import { countAttempt, forgiveAttempt } from './attempts.ts';
import type { Attempt } from './attempts.ts';
import { isRecovery, sessionOf } from './session.ts';
import { hashPassword, isOutdated, isPassword } from './scrypt.ts';

/** Returns whether a user has a password. */
export function* hasPassword(userId: number): Steps<boolean> {
  return (yield* phcOf(userId)) !== null;
}

function* phcOf(userId: number): Steps<string | null> {
  return (yield* find(passwords, { user_id: userId }))?.phc ?? null;
}

/**
 * Returns the user with that e-mail address and password, or null. It takes as long for an unknown address. Throws a
 * Problem while the account or the source has to wait.
 */
export async function userOfPassword(
  engine: Engine,
  attempt: Attempt,
  password: string,
): Promise<number | null> {
  await engine.write(() => countAttempt(attempt));
  const { userId, phc } = await engine.read(() => accountOf(attempt.email));
  if (!(await isPassword(password, phc)) || userId === null || phc === null) return null;
  const renewed = isOutdated(phc) ? await hashPassword(password) : null;
  const isStill = await engine.write(function* () {
    // Somebody may have changed it meanwhile.
    if ((yield* phcOf(userId)) !== phc) return false;
    if (renewed !== null) yield* store(userId, renewed);
    yield* forgiveAttempt(attempt);
    return true;
  });
  return isStill ? userId : null;
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
  readonly source: string;
}

/**
 * Sets the password of the user, ends all other sessions, and makes links that were not used worthless. Throws a
 * Problem if the current password is required and wrong.
 */
export async function setPassword(
  engine: Engine,
  identity: Identity,
  { current, password, source }: NewPassword,
): Promise<void> {
  const { user } = identity;
  const session = sessionOf(identity);
  const { phc, nowMs } = await engine.read(function* () {
    return { phc: yield* phcOf(user.id), nowMs: (yield* context()).nowMs };
  });
  if (phc !== null && !isRecovery(session, nowMs)) {
    if (current === undefined) throw currentProblem('current_password is required');
    if ((await userOfPassword(engine, { email: user.email, source }, current)) !== user.id)
      throw currentProblem('current_password is not the password so far');
  }
  const made = await hashPassword(password);
  await engine.write(function* () {
    yield* store(user.id, made);
    yield* endOtherSessions(user.id, session.id);
    yield* deleteUnlogged(signInLinks, { user_id: user.id });
  });
}

function* store(userId: number, phc: string): Steps<void> {
  yield* deleteUnlogged(passwords, { user_id: userId });
  yield* insertUnlogged(passwords, { user_id: userId, phc, changed_at: yield* now() });
}

function currentProblem(errMsg: string) {
  return bodyProblem({ errMsg, invalid_property: 'current_password' });
}
