import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseError } from '../../db/errors.ts';
import type { DatabaseErrorKind } from '../../db/errors.ts';
import { Problem } from '../../wire/problem.ts';
import { CryptoRefreshError, type CryptoRefreshReason } from '../../resources/crypto/rules.ts';

/** How long a request may take and still be in each bucket, in seconds; the last bucket has no bound. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** Paths that no route has share this label: a caller can invent any number of them. */
const unknownRoute = 'unknown';
/** The status of a request whose caller went away before an answer began. */
const noStatus = 'none';

/** Methods by which requests are told apart; any other is `OTHER`. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER'] as const;
const methodIndexes = new Map<string, number>(methods.map((method, index) => [method, index]));
const otherIndex = methods.length - 1;

/** Why the store could not do something: locked by another writer, disk full, disk failing, or out of reach. */
type StoreFailureKind = 'busy' | 'full' | 'io' | 'unavailable';

/** The requests of one route by one method. */
export interface RequestSeries {
  /** As in the API document: `/v2/transactions/{id}`. */
  readonly route: string;
  readonly method: string;
  /** How many ended with each status. */
  readonly statuses: ReadonlyMap<number | typeof noStatus, number>;
  readonly durationSeconds: number;
  /** How many took as long as each bucket says; not added up, one more than there are bounds. */
  readonly buckets: Readonly<Float64Array>;
}

/**
 * Counts what the service does, for whoever watches it.
 *
 * Counting a request costs less than a microsecond: plain arrays, found by route and method. The library that prints
 * them is loaded when somebody reads them. Nothing that a caller can choose becomes a label.
 */
export class Metrics {
  readonly #routes = new Map<string | undefined, (Series | undefined)[]>();
  readonly storeFailures: Record<StoreFailureKind, number> = {
    busy: 0,
    full: 0,
    io: 0,
    unavailable: 0,
  };
  /** Refreshes of synced crypto that failed, by why the provider could not be read. */
  readonly refreshFailures: Record<CryptoRefreshReason, number> = {
    unreachable: 0,
    timeout: 0,
    rateLimited: 0,
    refused: 0,
    unsupported: 0,
    nonsense: 0,
    unconfigured: 0,
  };
  /** Bytes that were no request, by the status that they were answered with. */
  readonly unparsable = new Map<number, number>();
  inFlight = 0;

  /** Counts a request from now until its answer has left or its caller has gone. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedMs = performance.now();
    const { raw } = reply;
    this.inFlight += 1;
    // It comes once.
    raw.on('close', () => {
      this.inFlight -= 1;
      const status = raw.headersSent ? raw.statusCode : noStatus;
      this.#seriesOf(request).add(status, (performance.now() - startedMs) / 1000);
    });
  }

  /** Counts what cannot be a request. */
  noteUnparsable(status: number): void {
    this.unparsable.set(status, (this.unparsable.get(status) ?? 0) + 1);
  }

  /** Counts an error that was thrown on the way of a request, if it is the store's or a provider's. */
  noteError(error: unknown): void {
    const failure = error instanceof Problem ? error.cause : error;
    if (failure instanceof CryptoRefreshError) this.refreshFailures[failure.reason] += 1;
    const kind = storeFailureKind(error);
    if (kind !== undefined) this.storeFailures[kind] += 1;
  }

  /** Every route and method that was asked so far. */
  *requests(): Iterable<RequestSeries> {
    for (const byMethod of this.#routes.values())
      for (const series of byMethod) if (series !== undefined) yield series;
  }

  #seriesOf(request: FastifyRequest): Series {
    // Undefined where there is no route.
    const { url } = request.routeOptions;
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
  // A fault of this service, as its answer says.
  refused: undefined,
};

/** Why the store failed, or undefined when it was not the store. */
function storeFailureKind(error: unknown): StoreFailureKind | undefined {
  return isDatabaseError(error) ? failureKinds[error.kind] : undefined;
}
