import { isIP } from 'node:net';
import { Problem, bodyProblem } from '../../operations/problem.ts';

/** How long a challenge can be signed. */
export const challengeMs = 5 * 60_000;

/** The bytes of a challenge. */
export const challengeBytes = 32;

/** Most challenges of sign-ins at a time: a newer one ends the oldest. */
export const mostChallenges = 10_000;

/** Most passkeys of a user. */
export const mostPasskeys = 50;

/** Refuses hosts for which browsers have no passkeys: IP addresses. Source: Web Authentication, 5.1.3. */
export function refuseAddress(host: string): void {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0) return;
  const errMsg = `Passkeys need a host name, not the address ${host}: open the service by its name, such as localhost`;
  throw new Problem('invalidRequest', { details: [{ errMsg }] });
}

/** Returns the bytes of a challenge by its id. Throws a Problem for a text that is none. */
export function readChallengeId(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length === challengeBytes && bytes.toString('base64url') === text) return bytes;
  throw bodyProblem({
    errMsg: 'The challenge is not valid: it was used, or is older than 5 minutes',
    invalid_property: 'challenge_id',
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether a credential has the texts that the verification reads; `response` are those of its response. */
export function hasTexts(credential: Fields, response: readonly string[]): boolean {
  const inner = credential['response'];
  if (typeof inner !== 'object' || inner === null) return false;
  const texts = [
    ...['id', 'rawId', 'type'].map((name) => credential[name]),
    ...response.map((name) => (inner as Fields)[name]),
  ];
  return texts.every((text) => typeof text === 'string');
}
