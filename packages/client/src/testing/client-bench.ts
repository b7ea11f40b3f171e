import assert from 'node:assert/strict';
import { createClient, type Client, type ClientOptions, type RetryNotice } from '../index.ts';
import { SimulatedService, type Fault, type Simulation } from './simulated-service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The token of every bench; no output may contain it. */
export const token = 'coffer_secret';

/** A request that a service received. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly key: string | undefined;
  readonly type: string | undefined;
  readonly body: string | ArrayBuffer | undefined;
}

/** A client of a service that responds as `respond` says, on virtual time. */
export function clientOf(
  respond: (request: Received, place: number) => Response,
  options: Partial<ClientOptions> = {},
): { client: Client; requests: Received[]; clock: VirtualClock } {
  const requests: Received[] = [];
  const clock = new VirtualClock();
  const fetch: ClientOptions['fetch'] = async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const { 'Idempotency-Key': key, 'Content-Type': type } = headers;
    const received = { method, body, path: pathname + search, key, type };
    requests.push(received);
    return respond(received, requests.length - 1);
  };
  const base = { baseUrl: 'http://127.0.0.1/v2', token, fetch, clock };
  return { client: createClient({ ...base, ...options }), requests, clock };
}

/** A client and its service, on virtual time. */
export interface Bench {
  readonly clock: VirtualClock;
  readonly service: SimulatedService;
  readonly client: Client;
  readonly notices: RetryNotice[];
  /** Resolves to the error with which work rejects. */
  readonly failure: (work: Promise<unknown>) => Promise<unknown>;
}

/** Five rows and 100 requests a minute by default. */
export function bench(
  simulation: Partial<Simulation>,
  options: Partial<ClientOptions> = {},
  seed = 1,
): Bench {
  const clock = new VirtualClock(seed);
  const notices: RetryNotice[] = [];
  const service = new SimulatedService({
    rows: 5,
    limit: 100,
    windowMs: 60_000,
    ...simulation,
    clock,
  });
  const { fetch } = service;
  const onRetry = (notice: RetryNotice): void => void notices.push(notice);
  const base = { baseUrl: 'http://127.0.0.1/v2', token, fetch, clock, onRetry };
  const client = createClient({ ...base, ...options });
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    await clock.run(work).then(
      () => assert.fail('it succeeded'),
      (error: unknown) => error,
    );
  return { clock, service, client, notices, failure };
}

/** Faults of the first requests; later requests have none. */
export const inTurn =
  (...faults: readonly Fault[]) =>
  (request: number): Fault =>
    faults[request] ?? 'none';
/** The same fault for every request. */
export const always = (fault: Fault) => (): Fault => fault;
