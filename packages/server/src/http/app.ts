import { fastify } from 'fastify';
import type {
  FastifyInstance,
  FastifyServerOptions,
  onRequestHookHandler,
  FastifyReply,
} from 'fastify';
import type { Network, TrustedProxies } from '../limiter/address.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { createMemoryLimiter } from '../limiter/memory.ts';
import type { Engine } from '../db/engine.ts';
import type { WebhookCounts } from '../webhooks/rules.ts';
import { defaultCofferRateLimit, defaultRateLimitWindowSeconds } from '../operations/limits.ts';
import { apiVersion, interfaceOf, openApiText } from '../operations/document/openapi.ts';
import { aboutCoffer, aboutV1, aboutV2, type About } from '../operations/document/overview.ts';
import type { ChangeWatch } from '../book/watch.ts';
import type { FileStore } from '../files/store.ts';
import { allOf, type Area } from '../operations/operation.ts';
import { addApi } from './run.ts';
import { authenticate } from './identify.ts';
import { onlyKnownHosts, refuseForeignHost, type CorsOrigins, type PublicUrl } from './client.ts';
import { KnownSessions, countRequests, countSessions } from './limit.ts';
import { readBody } from './read.ts';
import { addFiles } from './files.ts';
import { addPages } from './pages.ts';
import { addProbes } from './probes.ts';
import { answerMalformedPath, handleError } from './errors.ts';
import { logOptions, type LogStream } from './log.ts';
import { addWeb, type WebBundleOrProblem } from './web-pages.ts';
import { Metrics } from './metrics.ts';
import { PageCache } from './page-cache.ts';
import {
  answerUnknownPaths,
  answerUnrouted,
  refuseAmbiguousTarget,
  refuseOutsideBasePath,
  routedTargets,
  Routes,
} from './routes.ts';
import { answerUnparsable, createHttpServer, drainOnClose, defaultServerLimits } from './server.ts';
import type { ServerLimits } from './server.ts';
import { rateLimitHeaders } from '../operations/responses.ts';
import { addVary } from './send.ts';
import { fileReader } from './uploads.ts';
import type { OperationThreads } from '../operations/threads.ts';

/** How long a browser may keep the response to a preflight. Chromium keeps it for two hours at most. */
const preflightMaxAgeSeconds = 86_400;
const exposedHeaders = [
  ...rateLimitHeaders,
  'Retry-After',
  'ETag',
  'Idempotency-Replayed',
  'Content-Disposition',
].join(', ');
/** Every method of the API: a preflight has no token, so it must not reveal which paths exist. */
const allowedMethods = 'GET, HEAD, POST, PUT, DELETE';
const fieldName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/**
 * Returns the hook that lets pages of the given origins read the response. It ends no request.
 *
 * Cookies are never allowed: only a page that has an access token can read records. Source: the Fetch standard, 3.3.
 */
function allowOrigins(origins: CorsOrigins): onRequestHookHandler {
  return ({ headers: { origin } }, reply, done) => {
    if (origins.length > 0 && origins !== '*') addVary(reply, 'Origin');
    if (isAllowed(origins, origin)) {
      reply.header('access-control-allow-origin', origins === '*' ? '*' : origin);
      reply.header('access-control-expose-headers', exposedHeaders);
    }
    done();
  };
}

/**
 * Returns the hook that ends the preflight of an allowed origin with 204. It must run after the limiter, because every
 * request counts, and before authentication, because browsers send no token with a preflight.
 *
 * Every header that the page asks for is allowed: pages send fields of their own, which the service ignores. `*` would
 * not cover `Authorization`. Source: the Fetch standard, 3.3.
 */
function respondToPreflight(origins: CorsOrigins): onRequestHookHandler {
  return ({ method, headers }, reply, done) => {
    const isPreflight =
      method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !isAllowed(origins, headers.origin)) {
      done();
      return;
    }
    void reply
      .code(204)
      .header('access-control-allow-methods', allowedMethods)
      .header('access-control-allow-headers', namesIn(headers['access-control-request-headers']))
      .header('access-control-max-age', String(preflightMaxAgeSeconds))
      .send();
  };
}

/** The names of header fields in a list; other texts are left out. */
function namesIn(list = ''): string {
  const names = list.split(',').map((name) => name.trim());
  return names.filter((name) => fieldName.test(name)).join(', ');
}

function isAllowed(origins: CorsOrigins, origin: string | undefined): origin is string {
  return origin !== undefined && (origins === '*' || origins.includes(origin));
}

/** Sent with every response: do not cache records, do not guess types, do not pass on addresses. */
const baseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Sets the headers of every response. When responses are compressed, each says that it depends on Accept-Encoding, also
 * one that is not, because another body of the same path may be.
 */
function setBaseHeaders(reply: FastifyReply): void {
  reply.headers(baseHeaders);
  if (reply.server.compression) reply.header('vary', 'Accept-Encoding');
}

/** The operations that are served, by areas, and what else of their services http uses. */
export interface ServedApi {
  readonly areas: readonly Area[];
  readonly services: {
    readonly files: FileStore;
    readonly watch: Pick<ChangeWatch, 'stop'>;
    readonly backupEveryMs: number | null;
  };
}

/** The parts and settings of the service. */
export interface AppOptions extends ServedApi {
  readonly engine: Engine;
  /** Counts requests under /v1/ and /v2/. */
  readonly limiter: Limiter;
  /** Counts requests under /coffer/; in memory by default. */
  readonly cofferLimiter?: Limiter;
  readonly trustedProxies: TrustedProxies;
  /** The address for clients behind a proxy; null by default. */
  readonly publicUrl?: PublicUrl | null;
  /** The browser UI, or why there is none; null, the default, to serve the API alone. */
  readonly web?: WebBundleOrProblem | null;
  /** Names under which browsers may sign in, besides localhost and the public URL; none by default. */
  readonly hostNames?: readonly string[];
  /** None by default. */
  readonly corsOrigins?: CorsOrigins;
  /** How many bytes the page cache may hold; 0, the default, for no cache. */
  readonly pageCacheBytes?: number;
  /** Whether responses are compressed for clients that accept it; true by default. */
  readonly compression?: boolean;
  /** The networks that may read /metrics; none by default. */
  readonly metricsReaders?: readonly Network[];
  /** What threads do; nothing by default. */
  readonly threads?: Pick<OperationThreads, 'counts'> | null;
  /** What was delivered to webhooks; nothing by default. */
  readonly webhookCounts?: WebhookCounts;
  /** Milliseconds since the Unix epoch; the system's clock by default. */
  readonly now?: () => number;
  /** `info` by default; `silent` for no log. */
  readonly logLevel?: string;
  /** Standard error by default. */
  readonly logStream?: LogStream;
  readonly limits?: Partial<ServerLimits>;
}

/** Requests under these prefixes are counted and authenticated. */
const prefixes = ['/v1/', '/v2/', '/coffer/'];
const cofferRateLimit = {
  limit: defaultCofferRateLimit,
  windowMs: defaultRateLimitWindowSeconds * 1000,
};

/**
 * Creates the service as a Fastify application that does not listen yet. It closes neither the engine nor a limiter
 * that it was given.
 *
 * A request under /v1/, /v2/ and /coffer/ passes the hooks below in order: it is counted, its target is checked, it is
 * authenticated and routed, and its body is read. Then its route validates the parameters and responds.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { engine, now = Date.now, metricsReaders = [], publicUrl = null } = options;
  const { trustedProxies, hostNames = [], web = null } = options;
  const proxy = { trustedProxies, publicUrl };
  const limits = { ...defaultServerLimits, ...options.limits };
  const { areas } = options;
  const metrics = new Metrics();
  const pageCache = pageCacheOf(options);
  const refuseOutside = refuseOutsideBasePath(publicUrl);
  const begin: onRequestHookHandler = (request, reply, done) => {
    metrics.begin(request, reply);
    setBaseHeaders(reply);
    refuseOutside.call(app, request, reply, done);
  };
  const origins = options.corsOrigins ?? [];
  const known = { publicUrl, hostNames };
  const [allow, refuseHost] = [allowOrigins(origins), refuseForeignHost(known)];
  const { limiter, cofferLimiter = createMemoryLimiter({ rateLimit: cofferRateLimit }) } = options;
  const knownSessions = new KnownSessions(now);
  const identify = authenticate({ engine, now, ...proxy, hostNames, knownSessions });
  const count = countRequests({ limiter, trustedProxies });
  const sessions = countSessions(knownSessions, proxy);
  const countCoffer = countRequests({ limiter: cofferLimiter, trustedProxies, sessions });
  const countOf = (prefix: string) => (prefix === '/coffer/' ? countCoffer : count);
  const hooksOf = (prefix: string) => [
    allow,
    countOf(prefix),
    respondToPreflight(origins),
    refuseAmbiguousTarget,
    refuseHost,
    identify,
    answerUnrouted(areas),
    readBody(limits, fileReader(limits)),
  ];
  const app = fastify({
    ...frameworkOptions(limits, metrics),
    ...routedTargets(publicUrl),
    ...logOptions(options.logLevel ?? 'info', options.logStream ?? process.stderr),
    frameworkErrors: answerMalformedPath(begin, prefixes, (prefix) => [
      allow,
      countOf(prefix),
      refuseHost,
      identify,
    ]),
  });
  app.decorate('compression', options.compression ?? true);
  app.decorate('routes', new Routes(areas));
  app.decorateRequest('identity', null);
  app.decorateRequest('routed', undefined);
  app.setErrorHandler((error, request, reply) => {
    metrics.noteError(error);
    handleError(error, request, reply);
  });
  // A hook reads every body, so the framework must not parse it again.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => done(null, request.body));
  app.addHook('onRequest', begin);
  const pageHooks = [allow, refuseAmbiguousTarget, refuseHost];
  addPages(app, {
    documents: documentsOf(options, publicUrl),
    version: apiVersion,
    publicUrl,
    ...((web === null || 'problem' in web) && { webProblem: web?.problem ?? null }),
    hooks: pageHooks,
    count,
  });
  const webHooks = [...pageHooks, onlyKnownHosts(known)];
  addWeb(app, { web, basePath: publicUrl?.basePath ?? '', hooks: webHooks });
  const fileHooks = [allow, countCoffer, refuseAmbiguousTarget, refuseHost];
  addFiles(app, { engine, files: options.services.files, now, hooks: fileHooks });
  const probes = { metrics, metricsReaders, known, version: apiVersion, now, pageCache };
  const probeMethods = addProbes(app, { ...options, ...probes });
  // Added after the probes, because hooks run in order: first /readyz returns 503, then the server waits.
  drainOnClose(app, limits, () => options.services.watch.stop());
  const hooks = new Map(prefixes.map((prefix) => [prefix, hooksOf(prefix)]));
  answerUnknownPaths(app, hooks, probeMethods);
  addApi(app, hooks, { engine, now, proxy, pageCache });
  return app;
}

function pageCacheOf({ pageCacheBytes = 0 }: AppOptions): PageCache | null {
  return pageCacheBytes === 0 ? null : new PageCache(pageCacheBytes);
}

function documentsOf({ areas }: ServedApi, publicUrl: PublicUrl | null) {
  const documentOf = (prefix: string, about: About) => () =>
    openApiText(interfaceOf(prefix, about, allOf(areas)), publicUrl?.href);
  return {
    '/openapi.json': documentOf('/v2/', aboutV2),
    '/v1/openapi.json': documentOf('/v1/', aboutV1),
    '/coffer/openapi.json': documentOf('/coffer/', aboutCoffer),
  };
}

function frameworkOptions(limits: ServerLimits, metrics: Metrics) {
  return {
    serverFactory: (handler) => createHttpServer(handler, limits),
    clientErrorHandler: answerUnparsable((status) => metrics.noteUnparsable(status)),
    // While the server stops, requests on open connections still get a response, with Connection: close.
    return503OnClosing: false,
    // No limit: a start takes longer on a busy machine, and a stop has limits of its own.
    pluginTimeout: 0,
    routerOptions: {
      // Validation reports a part of a path that is too long.
      maxParamLength: limits.maxHeaderBytes,
      // Only the text: validation parses it, after authentication.
      querystringParser: (text: string) => ({ text }),
    },
    // No route has a schema for the framework, so its compilers, half of its loading time, are not loaded.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
  } satisfies FastifyServerOptions;
}

function noCompiler(): never {
  throw new Error('Cannot compile a schema: routes validate for themselves');
}
