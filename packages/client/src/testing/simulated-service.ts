import type { Fetch, FetchInit } from '../sending/transport.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How a request fails; all but `refused` and `hang` count in the window. */
export type Fault =
  | 'none'
  | 'refused'
  | 'hang'
  | 'late'
  | 'bare-429'
  | 'plain-503'
  | '503-retry-after'
  | 'cut'
  | 'not-json'
  | 'bad-gateway-page'
  | 'wrong-shape'
  | 'forbidden';

export interface Simulation {
  readonly clock: VirtualClock;
  readonly rows: number;
  readonly limit: number;
  readonly windowMs: number;
  /** Time of the service's clock when the client's shows 0. */
  readonly epochMs?: number;
  /** How long a request, and also its response, takes to arrive. */
  readonly latencyMs?: () => number;
  /** The fault of the nth request, from 0. */
  readonly fault?: (request: number) => Fault;
  /** Headers that are left out. */
  readonly without?: readonly string[];
}

/** A request that arrived. */
export interface ReceivedRequest {
  /** The token. */
  readonly who: string;
  readonly method: string;
  readonly target: string;
  readonly atMs: number;
  readonly status: number;
  /** The number of the window in which it was counted, from 0. */
  readonly window: number;
}

const lateMs = 20_000;

/** A service in memory, on virtual time: pages of numbered rows, and a fixed window that begins with a request. */
export class SimulatedService {
  readonly requests: ReceivedRequest[] = [];
  readonly #simulation: Required<Simulation>;
  #windowEndsMs = -Infinity;
  #windows = -1;
  #hits = 0;
  #requests = 0;

  constructor(simulation: Simulation) {
    this.#simulation = {
      epochMs: 1_790_000_000_123,
      latencyMs: () => 3,
      fault: () => 'none',
      without: [],
      ...simulation,
    };
  }

  count(status: number): number {
    return this.requests.filter((one) => one.status === status).length;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { clock, latencyMs, fault } = this.#simulation;
    const kind = fault(this.#requests++);
    await clock.sleep(latencyMs());
    if (kind === 'refused') throw new TypeError('fetch failed');
    if (kind === 'hang') return await untilAbort(init);
    const response = this.#respond(new URL(url), init, kind);
    await clock.sleep(kind === 'late' ? lateMs : latencyMs());
    init.signal.throwIfAborted();
    return response;
  };

  #respond(url: URL, { method, headers }: FetchInit, fault: Fault): Response {
    const head = this.#hit();
    const { status, body } = this.#content(url, fault, head);
    const target = url.pathname + url.search;
    const who = headers['Authorization'] ?? '';
    this.requests.push({
      who,
      method,
      target,
      atMs: this.#simulation.clock.nowMs(),
      status,
      window: this.#windows,
    });
    for (const name of this.#simulation.without) head.delete(name);
    return new Response(body, { status, headers: head });
  }

  #content(
    url: URL,
    fault: Fault,
    head: Headers,
  ): { status: number; body: string | ReadableStream<Uint8Array> } {
    if (head.has('retry-after') || fault === 'bare-429') {
      if (fault === 'bare-429') head.delete('retry-after');
      return { status: 429, body: errorBody('Too Many Requests') };
    }
    if (fault === '503-retry-after') head.set('retry-after', '7');
    if (fault.includes('503')) return { status: 503, body: errorBody('Unavailable') };
    if (fault === 'bad-gateway-page') return { status: 502, body: '<h1>Bad Gateway</h1>' };
    if (fault === 'forbidden') return { status: 401, body: errorBody('Unauthorized') };
    if (fault === 'wrong-shape') return { status: 200, body: '{"rows":[]}' };
    const text = JSON.stringify(this.#page(url.searchParams));
    if (fault === 'not-json') return { status: 200, body: text.slice(0, -3) };
    return { status: 200, body: fault === 'cut' ? cutBody(text) : text };
  }

  #page(query: URLSearchParams): object {
    const offset = Number(query.get('offset'));
    const end = Math.min(this.#simulation.rows, offset + Number(query.get('limit')));
    const transactions = [];
    for (let place = offset; place < end; place += 1) transactions.push({ id: place + 1 });
    return { transactions, has_more: end < this.#simulation.rows };
  }

  /** Counts a request and returns its rate limit headers. */
  #hit(): Headers {
    const { clock, limit, windowMs, epochMs } = this.#simulation;
    const nowMs = clock.nowMs();
    if (nowMs >= this.#windowEndsMs) {
      this.#windowEndsMs = nowMs + windowMs;
      this.#windows += 1;
      this.#hits = 0;
    }
    this.#hits += 1;
    const leftMs = this.#windowEndsMs - nowMs;
    return new Headers({
      date: new Date(epochMs + nowMs).toUTCString(),
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(Math.max(0, limit - this.#hits)),
      'ratelimit-reset': String(Math.ceil((epochMs + this.#windowEndsMs) / 1000)),
      ...(this.#hits > limit ? { 'retry-after': String(Math.ceil(leftMs / 1000)) } : {}),
    });
  }
}

function errorBody(message: string): string {
  return JSON.stringify({ message, errors: [{ errMsg: `${message}, it seems.` }] });
}

/** A body that breaks in the middle. */
function cutBody(text: string): ReadableStream<Uint8Array> {
  let isBegun = false;
  return new ReadableStream({
    pull(controller) {
      if (isBegun) controller.error(new TypeError('terminated'));
      else controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2)));
      isBegun = true;
    },
  });
}

function untilAbort({ signal }: FetchInit): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  return promise;
}
