import type { components } from '../sending/openapi-types.ts';
import type { CallOptions } from '../sending/options.ts';
import { recordShape } from './resource.ts';
import type { Call } from './resource.ts';

/** The user and the book of a token. */
export type Me = components['schemas']['Me'];

const me = recordShape<Me>('a user');

/** The method `me` of a client. */
export function makeMe(call: Call): (options?: CallOptions) => Promise<Me> {
  return (options) => call(me, ['me'], options);
}
