import { ask, newAddress, type Answer } from '../../test/service/ask.ts';
import type { IdRequest, Sender } from './id-requests.ts';
import type { MarkedOwner } from './two-books.ts';

/** The id of no record. */
export const unusedId = 87_654_321;

/** The owners of two books. */
export type Owners = readonly [MarkedOwner, MarkedOwner];

/** Returns the owners, in the other order for an odd number. */
export function inTurn([first, second]: Owners, n: number): Owners {
  return n % 2 === 0 ? [first, second] : [second, first];
}

/** Paths for which an access token is not enough. */
const ofUsers = /^\/coffer\/(session|sessions|password|passkeys|tokens)\b/;

/** Sends a request from a new address with the token of an owner, or with the cookie where it is needed or wanted. */
export function send(
  url: string,
  { token, cookie }: MarkedOwner,
  { target, isByCookie = false, ...rest }: IdRequest & { readonly isByCookie?: boolean },
): Promise<Answer> {
  const from = newAddress();
  if (!isByCookie && !ofUsers.test(target)) return ask(url + target, { ...rest, token, from });
  const { port } = new URL(url);
  const headers = {
    ...{ cookie: `coffer_${port}=${cookie}`, 'sec-fetch-site': 'same-origin' },
    ...{ 'content-type': 'application/json', 'x-coffer-upload': '1', ...rest.headers },
  };
  return ask(url + target, { ...rest, headers, from });
}

/** Returns the rest of a request of a stranger, which always contains the same records of theirs. */
export function senderOf({ ids, mark }: MarkedOwner, name: string): Sender {
  return { own: (kind) => ids[kind].at(-1)!, rules: ids.rule, name: `${mark} ${name}` };
}
