import type { Identity, SessionOfCaller } from '../users/identity.ts';

const dayMs = 86_400_000;

/** Sessions end after this time. */
export const longestSessionMs = 180 * dayMs;

/** Sessions that are not used end after this time. */
export const longestPauseMs = 30 * dayMs;

/** Links work for this time. */
export const linkMs = 15 * 60_000;

/** How long after a sign-in by a link a new password needs no old one. */
export const recoveryMs = 15 * 60_000;

/** The bits of the secret in a cookie. */
export const sessionBits = 256;

/** The bits of the secret in a link. */
export const linkBits = 128;

/** Fewest characters of a password. Source: NIST SP 800-63B-4, 3.1.1.2. */
export const minPasswordLength = 8;

/** Most characters of a password: hashing must not be work that the sender chooses. */
export const maxPasswordLength = 256;

/** Most characters of a browser's name that are stored. */
export const maxUserAgentLength = 300;

/**
 * Returns the address of the page that uses a link: the secret is behind the #, which browsers do not send. `address` is
 * that of the server. Loopback addresses become `localhost`, because browsers have no passkeys for IP addresses.
 */
export function signInAddress(address: string, secret: string): string {
  const url = new URL(address);
  if (/^(127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(url.hostname)) url.hostname = 'localhost';
  return `${url.href.replace(/\/$/, '')}/start#${secret}`;
}

/** Returns the time before which the last use must be for a session to have ended by then: ISO 8601. */
export function pausedSince(nowMs: number): string {
  return new Date(nowMs - longestPauseMs).toISOString();
}

/** Returns when a session ends if it is not used any more: ISO 8601. */
export function endOf({ seenAt, endsAt }: Pick<SessionOfCaller, 'seenAt' | 'endsAt'>): string {
  const paused = new Date(Date.parse(seenAt) + longestPauseMs).toISOString();
  return paused < endsAt ? paused : endsAt;
}

/** Whether a session was made by a link so recently that it may set a password without the old one. */
export function isRecovery({ method, createdAt }: SessionOfCaller, nowMs: number): boolean {
  return method === 'link' && nowMs - Date.parse(createdAt) < recoveryMs;
}

/** Returns the session of a caller. Throws without one, which is a bug: the operation needs a session. */
export function sessionOf({ session }: Identity): SessionOfCaller {
  if (session === null) throw new Error('The operation needs a session');
  return session;
}
