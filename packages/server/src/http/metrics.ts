import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseError, type DatabaseErrorKind } from '../db/errors.ts';
import { Problem } from '../operations/problem.ts';
import { routeOf } from './routes.ts';
import { CryptoRefreshError, type CryptoRefreshReason } from '../outside/provider-error.ts';

/** The upper bounds of the buckets, inclusive, in seconds; the last bucket has no bound. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** Paths without a route share this label, because a caller can invent any number of them. */
const unknownRoute = 'unknown';
/** The status of a request whose caller disconnected before a response started. */
const noStatus = 'none';

/** The methods with their own label; any other is `OTHER`. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER'] as const;
const methodIndexes = new Map<string, number>(methods.map((method, index) => [method, index]));
const otherIndex = methods.length - 1;

/** Why the database failed: locked by another writer, disk full, disk error, or not reachable. */
type StoreFailureKind = 'busy' | 'full' | 'io' | 'unavailable';

/** The requests of one route and method. */
export interface RequestSeries {
  /** As in the API document: `/v2/transactions/{id}`. */
  readonly route: string;
  readonly method: string;
  /** How many ended with each status. */
  readonly statuses: ReadonlyMap<number | typeof noStatus, number>;
  readonly durationSeconds: number;
  /** How many requests are in each bucket, not cumulative; one more than there are bounds. */
  readonly buckets: Readonly<Float64Array>;
}

/**
 * Counts requests and failures for monitoring.
 *
 * Counting a request costs less than a microsecond: plain arrays, found by route and method. The library that prints
 * them is loaded when they are read. No text of a caller becomes a label.
 */
export class Metrics {
  readonly #routes = new Map<string | undefined, (Series | undefined)[]>();
  readonly storeFailures: Record<StoreFailureKind, number> = {
    busy: 0,
    full: 0,
    io: 0,
    unavailable: 0,
  };
  /** Refreshes of synced crypto that failed, by reason. */
  readonly refreshFailures: Record<CryptoRefreshReason, number> = {
    unreachable: 0,
    timeout: 0,
    rateLimited: 0,
    refused: 0,
    unsupported: 0,
    nonsense: 0,
    unconfigured: 0,
  };
  /** Bytes that were not a valid request, by the status of the response. */
  readonly unparsable = new Map<number, number>();
  inFlight = 0;

  /** Counts a request from now until its response is sent or its caller disconnects. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedMs = performance.now();
    const { raw } = reply;
    this.inFlight += 1;
    // Emitted once.
    raw.on('close', () => {
      this.inFlight -= 1;
      const status = raw.headersSent ? raw.statusCode : noStatus;
      this.#seriesOf(request).add(status, (performance.now() - startedMs) / 1000);
    });
  }

  /** Counts bytes that were not a valid request. */
  noteUnparsable(status: number): void {
    this.unparsable.set(status, (this.unparsable.get(status) ?? 0) + 1);
  }

  /** Counts an error that was thrown while a request was handled, if it is of the database or a provider. */
  noteError(error: unknown): void {
    const failure = error instanceof Problem ? error.cause : error;
    if (failure instanceof CryptoRefreshError) this.refreshFailures[failure.reason] += 1;
    const kind = storeFailureKind(error);
    if (kind !== undefined) this.storeFailures[kind] += 1;
  }

  /** Every route and method that was requested so far. */
  *requests(): Iterable<RequestSeries> {
    for (const byMethod of this.#routes.values())
      for (const series of byMethod) if (series !== undefined) yield series;
  }

  #seriesOf(request: FastifyRequest): Series {
    const url = pathOf(request);
    let byMethod = this.#routes.get(url);
    if (byMethod === undefined) this.#routes.set(url, (byMethod = []));
    const index = methodIndexes.get(request.method) ?? otherIndex;
    return (byMethod[index] ??= new Series(labelOf(url), methods[index] ?? 'OTHER'));
  }
}

class Series implements RequestSeries {
  readonly route: string;
  readonly method: string;
  readonly statuses = new Map<number | typeof noStatus, number>();
  readonly buckets = new Float64Array(durationBounds.length + 1);
  durationSeconds = 0;

  constructor(route: string, method: string) {
    this.route = route;
    this.method = method;
  }

  add(status: number | typeof noStatus, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durationSeconds += seconds;
    let bucket = 0;
    while (bucket < durationBounds.length && seconds > durationBounds[bucket]!) bucket += 1;
    this.buckets[bucket]! += 1;
  }
}

/** The path of the route of a request; undefined when there is no route. */
function pathOf(request: FastifyRequest): string | undefined {
  const { url } = request.routeOptions;
  // The framework has one route for all operations below a prefix.
  return url?.endsWith('/*') === true ? routeOf(request)?.path : url;
}

function labelOf(url: string | undefined): string {
  return url === undefined ? unknownRoute : url.replaceAll(/:(\w+)/g, '{$1}');
}

const failureKinds: Readonly<Record<DatabaseErrorKind, StoreFailureKind | undefined>> = {
  busy: 'busy',
  full: 'full',
  failing: 'io',
  readOnly: 'io',
  damaged: 'io',
  unavailable: 'unavailable',
  // An internal error, status 500.
  refused: undefined,
};

/** Why the database failed, or undefined when the error is not of the database. */
function storeFailureKind(error: unknown): StoreFailureKind | undefined {
  return isDatabaseError(error) ? failureKinds[error.kind] : undefined;
}
