import { ApiError, RateLimitError, RequestError } from '../sending/errors.ts';
import type { CallOptions, Setup } from '../sending/options.ts';
import { Pacer } from '../sending/pacing.ts';
import { makeRequests } from '../sending/requests.ts';
import { linkSignals, sleep } from '../sending/timing.ts';
import { isObject } from '../sending/transport.ts';
import { callerOf, type Call, type QueryOf, type Schema, type Shape } from './resource.ts';

/** A record that was made, changed or removed; `value` is the record as it is now, null if it no longer exists. */
export type RecordChange = Schema<'RecordChange'>;
/** Changes in the order of the commits; `position` is where to continue. */
export type ChangePage = Schema<'ChangeList'>;
/** Where to begin, and how many changes of which records. */
export type ChangeQuery = QueryOf<'getChanges'>;

/** Where and how to follow a book. */
export interface FollowOptions extends Omit<ChangeQuery, 'wait'>, CallOptions {}

/**
 * Follows the changes of a book without end, page by page, in the order of the commits.
 *
 * Begins with `after`: the `position` of an earlier page, a version of the book, or `latest`, whose first page has no
 * changes but the position to continue from. Without it, begins with the first change. Store the position together
 * with what you made of the page, and continue from it after a restart. Temporary failures are retried for ever, also
 * after the client's own attempts are used up: abort the `signal` to end it, and it throws the signal's reason. Throws
 * GoneError when the changes after the position no longer exist: copy the records again.
 */
export type Changes = (options?: FollowOptions) => AsyncGenerator<ChangePage, void, undefined>;

/** The longest wait of a request: most proxies end requests after a minute. */
const longestWaitSeconds = 25;
/** A service that returns nothing sooner is stopping, or does not wait. */
const shortestWaitMs = 500;
const longestBackoffMs = 30_000;
const anHourMs = 3_600_000;

const page: Shape<ChangePage> = {
  name: '{ changes, position, has_more }',
  read: (body) => {
    if (!isObject(body)) return null;
    const { changes, position, has_more } = body;
    const isPage =
      Array.isArray(changes) && changes.every(isObject) && typeof position === 'string';
    return isPage && typeof has_more === 'boolean' ? (body as ChangePage) : null;
  },
};

/** One page of changes; `call` is that of Coffer's own API. */
export function readChanges(
  call: Call,
  query: ChangeQuery = {},
  options: CallOptions = {},
): Promise<ChangePage> {
  return call(page, ['changes'], { ...options, query });
}

/** The {@link Changes} of a client. They have a rate limit of their own, because other calls must not wait for them. */
export function makeChanges(setup: Setup): Changes {
  const { clock, timeoutMs } = setup;
  const requests = makeRequests({ ...setup, pacer: new Pacer(clock) });
  const call = callerOf(requests, 'coffer', false);
  const wait = Math.max(1, Math.min(longestWaitSeconds, Math.floor(timeoutMs / 2000)));
  return async function* ({ signal, ...query } = {}) {
    let failures = 0;
    for (let { after = '0' } = query; ;) {
      const sentAtMs = clock.nowMs();
      const asked = { ...query, after, wait };
      const found = await readChanges(call, asked, { signal }).catch(nullIfTemporary);
      if (found !== null && found.position !== after) {
        failures = 0;
        after = found.position;
        yield found;
      } else if (found === null || clock.nowMs() - sentAtMs < shortestWaitMs) {
        failures += 1;
        const longestMs = Math.min(longestBackoffMs, 1000 * 2 ** failures);
        await rest(setup, clock.random() * longestMs, signal);
      }
    }
  };
}

function nullIfTemporary(error: unknown): null {
  const isRefusal = error instanceof ApiError && error.status < 500 && error.status !== 408;
  const isTemporary = error instanceof RequestError && !isRefusal;
  if (isTemporary || error instanceof RateLimitError) return null;
  throw error;
}

async function rest(setup: Setup, ms: number, own: AbortSignal | undefined): Promise<void> {
  const { signal, release } = linkSignals([setup.signal, own], setup.clock, anHourMs, null);
  try {
    await sleep(setup.clock, ms, signal);
  } finally {
    release();
  }
}
