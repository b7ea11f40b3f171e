import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DeviceCookie } from '../../operations/responses.ts';

const idBytes = 16;

/**
 * Returns the cookie by which a browser that signed in is known when somebody tries a password: a random id, signed
 * with the hash of the password of the user. So nothing is stored, and a new password makes it worthless.
 */
export function deviceOf(userId: number, phc: string): DeviceCookie {
  const id = randomBytes(idBytes).toString('base64url');
  return { userId, text: `${id}.${signatureOf(id, userId, phc)}` };
}

/** Returns the id in the first of the cookies that is one of this user; null without any. */
export function knownDevice(
  cookies: readonly string[],
  userId: number,
  phc: string,
): string | null {
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
