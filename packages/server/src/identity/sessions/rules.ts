import { msOf } from '@coffer/core/dates';

const dayMs = 86_400_000;

/** Sessions end after this time. */
export const longestSessionMs = 180 * dayMs;

/** Links work for this time. */
export const linkMs = 15 * 60_000;

/** How long after a sign-in passkeys can be added, and after one by a link a new password needs no old one. */
const freshMs = 15 * 60_000;

/**
 * Whether a session began lately, by `how`: then it may do what a stolen one must not. A session that began in the
 * future, before the clock went back, did not begin lately.
 */
export function isFresh(
  { method, createdAt }: { readonly method: string; readonly createdAt: string },
  how: 'link' | 'any method',
  nowMs: number,
): boolean {
  return (how !== 'link' || method === how) && Math.abs(nowMs - msOf(createdAt)) < freshMs;
}

/** After wrong passwords nobody waits longer for the next one. */
export const longestSlowingMs = 15 * 60_000;

/** Wrong passwords no longer count after this time. */
export const forgottenAfterMs = 24 * 60 * 60_000;

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
 * Returns the address of the page that uses a link: the secret is behind the #, which browsers do not send.
 * `address` is that of the server. Loopback addresses become `localhost`, because browsers have no passkeys for IP addresses.
 */
export function signInAddress(address: string, secret: string): string {
  const url = new URL(address);
  if (/^(127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(url.hostname)) url.hostname = 'localhost';
  return `${url.href.replace(/\/$/, '')}/start#${secret}`;
}
