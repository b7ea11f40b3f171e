import crypto, { createHmac, randomBytes, timingSafeEqual, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { instantOf } from '@coffer/core/dates';
import {
  deleteUnlogged,
  insertUnlogged,
  insertUnlessTaken,
  updateUnlogged,
} from '../../book/unlogged.ts';
import { context, now, type Engine, type Steps } from '../../db/engine.ts';
import { findLocked, find } from '../../db/rows.ts';
import { passkeys, passwords, signInLinks, signInFailures } from '../../db/tables/tables.ts';
import { bodyProblem, Problem } from '../../operations/problem.ts';
import type { DeviceCookie } from '../../operations/responses.ts';
import { lockUser, type Identity } from '../../operations/caller.ts';
import { findBooks, inLowerCase } from '../users/actions.ts';
import {
  isFresh,
  forgottenAfterMs,
  longestSlowingMs,
  endOtherSessions,
  sessionOf,
} from './actions.ts';
import type { Client } from '../../operations/operation.ts';

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
  const waitMs = await engine.write(() => countAttempt(attempt), { isUrgent: true });
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

const idBytes = 16;

/**
 * Returns the cookie by which a browser that signed in is known when somebody tries a password: a random id, signed
 * with the hash of the password of the user. So nothing is stored, and a new password makes it worthless.
 */
function deviceOf(userId: number, phc: string): DeviceCookie {
  const id = randomBytes(idBytes).toString('base64url');
  return { userId, text: `${id}.${signatureOf(id, userId, phc)}` };
}

/** Returns the id in the first of the cookies that is one of this user; null without any. */
function knownDevice(cookies: readonly string[], userId: number, phc: string): string | null {
  for (const text of cookies) {
    const [id = '', signature = ''] = text.split('.');
    const expected = Buffer.from(signatureOf(id, userId, phc));
    const sent = Buffer.from(signature);
    if (sent.length === expected.length && timingSafeEqual(sent, expected)) return id;
  }
  return null;
}

function signatureOf(id: string, userId: number, phc: string): string {
  return createHmac('sha256', phc).update(`device ${userId} ${id}`).digest('base64url');
}

/** The work of a hash: N = 2^ln blocks of 128·r bytes, p times. */
interface Work {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** 32 MiB, and about half a second of one core. Source: OWASP Password Storage, scrypt. */
const work: Work = { ln: 15, r: 8, p: 3 };
const saltBytes = 16;
const keyBytes = 32;
const mostAtOnce = 2;
/** More would wait for longer than a browser does. */
const mostWaiting = 20;

const pattern =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/**
 * Returns the hash of a password in the PHC string format, with its salt and its work, so that the work can be raised.
 *
 * At most two are computed at a time, in threads of their own. Throws a Problem when too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const key = await computed(password, salt, work);
  return `$scrypt$ln=${work.ln},r=${work.r},p=${work.p}$${text(salt)}$${text(key)}`;
}

/**
 * Returns whether a password has this hash. Without a hash it returns false after as much work, so that the time does
 * not show whether there is one.
 */
async function isPassword(password: string, phc: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = pattern.exec(phc ?? '') ?? [];
  if (phc === null || ln === undefined) {
    await computed(password, Buffer.alloc(saltBytes), work);
    return false;
  }
  const used = { ln: Number(ln), r: Number(r), p: Number(p) };
  const found = await computed(password, Buffer.from(salt, 'base64'), used);
  return timingSafeEqual(found, Buffer.from(key, 'base64'));
}

/** Whether a hash was made with other work than new ones. */
function isOutdated(phc: string): boolean {
  return !phc.startsWith(`$scrypt$ln=${work.ln},r=${work.r},p=${work.p}$`);
}

const waiting: (() => void)[] = [];
let running = 0;

async function computed(password: string, salt: Uint8Array, { ln, r, p }: Work): Promise<Buffer> {
  await turn();
  try {
    const N = 2 ** ln;
    // The same text has several forms in Unicode, by keyboard and system.
    const plain = password.normalize('NFKC');
    const derive = promisify<string, Uint8Array, number, object, Buffer>(crypto.scrypt);
    return await derive(plain, salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function turn(): Promise<void> {
  if (running >= mostAtOnce) {
    if (waiting.length >= mostWaiting)
      throw new Problem('unavailable', { headers: { 'retry-after': '5' } });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
}

function text(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/**
 * What is slowed, by its name: how many wrong passwords are free, and how long the wait becomes. It is a second, then
 * twice as long each time.
 */
const slowing = {
  /** Somebody who guesses in a browser in which the user has signed in. Strangers cannot keep its owner out. */
  device: { free: 10, longestMs: longestSlowingMs },
  /** Somebody who guesses the password of one account. */
  pair: { free: 10, longestMs: longestSlowingMs },
  /** Many who guess the password of one account. The wait is short, for owners in a new browser. */
  account: { free: 100, longestMs: 60_000 },
  /** Somebody who tries one password with many accounts. */
  source: { free: 50, longestMs: longestSlowingMs },
} as const;

/** Who tries a password for which account. The account need not exist. */
interface Attempt {
  readonly email: string;
  /** The address of the client, or its network. */
  readonly source: string;
  /** The id of a browser in which the user of the account has signed in; null for any other. */
  readonly device: string | null;
}

/**
 * Counts a password as wrong before it is tried, so that attempts at the same time count too. Returns how long the
 * account or the source has to wait before the next one; then nothing is counted. {@link forgiveAttempt} takes it back.
 */
export function* countAttempt(attempt: Attempt): Steps<number> {
  const { nowMs } = yield* context();
  const forgotten_at = instantOf(nowMs + forgottenAfterMs);
  const all = [];
  for (const each of slowedBy(attempt)) {
    yield* insertUnlessTaken(signInFailures, { subject: each.subject, forgotten_at });
    all.push({ ...each, ...(yield* failuresOf(each.subject, each.longestMs, nowMs)) });
  }
  const waitMs = Math.max(...all.map((each) => each.waitMs));
  if (waitMs > 0) return waitMs;
  for (const { subject, free, longestMs, failures: before } of all) {
    const failures = before + 1;
    const nextMs =
      failures < free ? 0 : Math.min(longestMs, 1000 * 2 ** Math.min(failures - free, 30));
    const blocked_until_ms = nextMs === 0 ? 0 : nowMs + nextMs;
    yield* updateUnlogged(
      signInFailures,
      { subject },
      { failures, blocked_until_ms, forgotten_at },
    );
  }
  return 0;
}

/** Locks the failures of a subject, and returns how many count and how long it has to wait. */
function* failuresOf(subject: Uint8Array, longestMs: number, nowMs: number) {
  const found = yield* findLocked(signInFailures, { subject });
  if (found === undefined || found.forgotten_at <= instantOf(nowMs))
    return { failures: 0, waitMs: 0 };
  const { failures, blocked_until_ms: untilMs } = found;
  // A longer wait was stored before the clock went back.
  const blocked_until_ms = Math.min(untilMs, nowMs + longestMs);
  if (blocked_until_ms < untilMs)
    yield* updateUnlogged(signInFailures, { subject }, { blocked_until_ms });
  return { failures, waitMs: blocked_until_ms - nowMs };
}

/** Takes the count of an attempt back, because the password was right. Its device or account and source begin again. */
function* forgiveAttempt(attempt: Attempt): Steps<void> {
  for (const { name, subject } of slowedBy(attempt)) {
    const found = yield* findLocked(signInFailures, { subject });
    if (found === undefined) continue;
    if (name === 'pair' || name === 'device') yield* deleteUnlogged(signInFailures, { subject });
    else {
      const failures = Math.max(0, found.failures - 1);
      yield* updateUnlogged(signInFailures, { subject }, { failures, blocked_until_ms: 0 });
    }
  }
}

/** In the same order for all attempts, so that two never wait for each other. */
function slowedBy({ email, source, device }: Attempt) {
  const account = inLowerCase(email);
  const pair = JSON.stringify([account, source]);
  const texts = { account, pair, source, device: JSON.stringify([account, device]) };
  const names = device === null ? (['account', 'pair', 'source'] as const) : (['device'] as const);
  return names
    .map((name) => ({
      name,
      ...slowing[name],
      subject: hash('sha256', `${name} ${texts[name]}`, 'buffer'),
    }))
    .toSorted((one, other) => Buffer.compare(one.subject, other.subject));
}

/** Returns the response while somebody has to wait. */
function slowed(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  const errMsg = `Too many wrong passwords: wait ${seconds} s before the next one`;
  return new Problem('tooManyRequests', {
    headers: { 'retry-after': String(seconds) },
    details: [{ errMsg }],
  });
}
