import { logExtent, readiness as readEngine } from '../db/readiness.ts';
import type { LogExtent, Readiness } from '../db/readiness.ts';
import { lastBackups, type LastBackups } from '../maintenance/scheduled/backup-job.ts';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../db/engine.ts';
import { clientAddress, isWithin, type Network, type TrustedProxies } from '../limiter/address.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { errorTable } from '../operations/errors.ts';
import { Problem } from '../operations/problem.ts';
import type { WebhookCounts } from '../webhooks/rules.ts';
import type { PageCache } from './page-cache.ts';
import { sendProblem } from './errors.ts';
import { refuseAmbiguousTarget } from './routes.ts';
import { sendPieces } from './send.ts';
import { refuseUnknownHost, type KnownHosts } from './client.ts';
import { metricsPrinter } from './metrics-text.ts';
import type { Metrics } from './metrics.ts';
import { CallerBooks, tokenOf } from './identify.ts';
import { sha256 } from '../identity/users/actions.ts';
import type { OperationThreads } from '../operations/threads.ts';

/** What the probes check, and who may read the metrics. */
export interface ProbeOptions {
  readonly engine: Engine;
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  readonly trustedProxies: TrustedProxies;
  /** The networks from which /metrics can be read; for all others it is an unknown path. */
  readonly metricsReaders: readonly Network[];
  /** The names under which /metrics can be read: a page of another name may resolve to this address. */
  readonly known: KnownHosts;
  readonly version: string;
  /** What threads do; nullish when there are none. */
  readonly threads?: Pick<OperationThreads, 'counts'> | null | undefined;
  /** What this node delivered to webhooks; undefined when it delivers nothing. */
  readonly webhookCounts?: WebhookCounts | undefined;
  readonly services: { readonly backupEveryMs: number | null };
  /** Null without a page cache. */
  readonly pageCache: Pick<PageCache, 'counts'> | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

const jsonType = 'application/json; charset=utf-8';
const retryAfterSeconds = '1';
const probeMethods = 'GET, HEAD';
const readyCachedMs = 1000;
/** It reads a row of each book. */
const extentCachedMs = 60_000;
const timeoutMs = 2000;
const unready: Readiness = { canRead: false, canWrite: false };

/**
 * Adds the probes /healthz, /readyz and /metrics for GET and HEAD. The rate limit does not count them.
 *
 * - /healthz: 200 while the process responds; the database is not checked.
 * - /readyz: 200 when records can be read and written. Otherwise, and while the server stops, 503 with Retry-After.
 *   Requests with a valid token of any user receive details.
 * - /metrics: the text format of Prometheus, for `metricsReaders`.
 *
 * Returns a function from a path to the methods of its probe; undefined without a probe that the caller may use.
 */
export function addProbes(app: FastifyInstance, options: ProbeOptions) {
  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  const { engine, now } = options;
  const ready = { otherwise: unready, cachedMs: readyCachedMs, now };
  const readiness = cached(() => readEngine(engine), ready);
  const extent: Caching<LogExtent | null> = { otherwise: null, cachedMs: extentCachedMs, now };
  const backups: Caching<LastBackups | null> = { otherwise: null, cachedMs: extentCachedMs, now };
  const print = metricsPrinter({
    ...options,
    readiness,
    backupEveryMs: options.services.backupEveryMs,
    logExtent: cached(() => engine.readStatement(logExtent), extent),
    lastBackups: cached(() => engine.readStatement(lastBackups), backups),
    isStopping: () => isStopping,
    limiterClients: () => options.limiter.clientCount?.() ?? null,
    sharing: () => options.limiter.sharing?.() ?? null,
    connections: promisify(app.server.getConnections.bind(app.server)),
  });
  const isToken = tokenHolders(engine, now);
  const handlers = {
    '/healthz': (_request: FastifyRequest, reply: FastifyReply) =>
      sendJson(reply, { status: 'ok' }),
    '/readyz': async (request: FastifyRequest, reply: FastifyReply) => {
      const { canRead, canWrite } = await readiness();
      const details = (await isToken(request)) ? { canRead, canWrite, isStopping } : {};
      if (canRead && canWrite && !isStopping)
        return sendJson(reply, { status: 'ready', ...details });
      return sendUnready(reply, details);
    },
    '/metrics': async (request: FastifyRequest, reply: FastifyReply) => {
      if (!mayReadMetrics(request, options)) throw new Problem('pathNotFound');
      refuseUnknownHost(request.headers.host, options.known);
      const { contentType, text } = await print();
      sendPieces(reply, 200, contentType, [Buffer.from(text)]);
      return reply;
    },
  };
  for (const [url, handler] of Object.entries(handlers))
    app.route({ method: ['GET', 'HEAD'], url, onRequest: refuseAmbiguousTarget, handler });
  return (path: string, request: FastifyRequest): string | undefined => {
    if (!Object.hasOwn(handlers, path)) return undefined;
    return path !== '/metrics' || mayReadMetrics(request, options) ? probeMethods : undefined;
  };
}

function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return reply.header('content-type', jsonType).send(JSON.stringify(value));
}

/** Does not throw, because the error handler would log a line for each request of a load balancer. */
function sendUnready(reply: FastifyReply, details: object): FastifyReply {
  const { errMsg } = errorTable.unavailable;
  const headers = { 'retry-after': retryAfterSeconds };
  sendProblem(reply, new Problem('unavailable', { headers, details: [{ errMsg, ...details }] }));
  return reply;
}

/** Headers that show that a proxy forwarded the request. */
const forwardingHeaders = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/**
 * Whether the caller's address is among the readers. The address is unknown when a proxy that is not trusted forwarded
 * the request: with the proxy's address, everyone could read the metrics.
 */
function mayReadMetrics(
  { raw: { socket, headers } }: FastifyRequest,
  { trustedProxies, metricsReaders }: ProbeOptions,
): boolean {
  const peer = socket.remoteAddress;
  const forwardedFor = headers['x-forwarded-for'] as string | undefined;
  const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined);
  const isTrusted = forwardedFor !== undefined && isWithin(peer, trustedProxies.networks);
  if (isForwarded && !isTrusted) return false;
  return isWithin(clientAddress(peer, forwardedFor, trustedProxies), metricsReaders);
}

interface Caching<T> {
  /** What a failed reading, or one that takes longer than two seconds, returns. */
  readonly otherwise: T;
  readonly cachedMs: number;
  /** In milliseconds. */
  readonly now: () => number;
}

/**
 * Returns a function that reads something of the database, and keeps the result for a while.
 *
 * Calls during a reading share its result. After a reading that takes too long, it is read again only when that one has
 * ended.
 */
function cached<T>(read: () => Promise<T>, { otherwise, cachedMs, now }: Caching<T>) {
  let readAtMs = -Infinity;
  let underWay: Promise<T> | undefined;
  let latest: Promise<T> = Promise.resolve(otherwise);
  return (): Promise<T> => {
    // When the clock was set back, the old result must not stay.
    if (underWay !== undefined || Math.abs(now() - readAtMs) < cachedMs) return latest;
    readAtMs = now();
    underWay = read()
      .catch(() => otherwise)
      .finally(() => (underWay = undefined));
    latest = withinTime(underWay, otherwise);
    return latest;
  };
}

function withinTime<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), timeoutMs);
    void reading.then((result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

const cachedMs = 1000;
const maxLookUpsPerSecond = 5;
const maxTokens = 100;

/**
 * Returns a function that checks whether a request has a valid access token, with at most five queries a second: it is
 * for paths without a rate limit.
 *
 * A valid token stays valid for a second, and for as long as the database does not respond. `now` in milliseconds.
 */
function tokenHolders(engine: Pick<Engine, 'readStatement'>, now: () => number) {
  /** When each token was last found valid, by its hash in hexadecimal, the latest last. */
  const goodAtMs = new Map<string, number>();
  const mayLookUp = allowance(now);
  const callers = new CallerBooks(engine);
  return async (request: FastifyRequest): Promise<boolean> => {
    const hash = hashIn(request);
    if (hash === undefined) return false;
    const key = Buffer.from(hash).toString('hex');
    const knownAtMs = goodAtMs.get(key);
    if (knownAtMs !== undefined && Math.abs(now() - knownAtMs) < cachedMs) return true;
    const isKnown = knownAtMs !== undefined;
    if (!mayLookUp()) return isKnown;
    const isGood = await callers.ofToken(hash).then(
      (found) => found !== null,
      () => isKnown,
    );
    goodAtMs.delete(key);
    if (isGood) goodAtMs.set(key, now());
    for (const oldest of goodAtMs.keys()) if (goodAtMs.size > maxTokens) goodAtMs.delete(oldest);
    return isGood;
  };
}

function hashIn(request: FastifyRequest): Uint8Array | undefined {
  try {
    return sha256(tokenOf(request));
  } catch {
    return undefined;
  }
}

/** True at most {@link maxLookUpsPerSecond} times in a second. */
function allowance(now: () => number): () => boolean {
  let second = NaN;
  let taken = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, taken] = [current, 0];
    taken += 1;
    return taken <= maxLookUpsPerSecond;
  };
}
