import { fastify } from 'fastify';
import type { FastifyInstance, FastifyServerOptions, onRequestHookHandler } from 'fastify';
import type { TrustedProxies } from '../limiter/client-address.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Network } from '../limiter/networks.ts';
import type { CryptoRefresher } from '../records/crypto.ts';
import type { Store } from '../records/store.ts';
import { addApi } from './api.ts';
import { authenticate } from './auth.ts';
import { readBody } from './body.ts';
import { setBaseHeaders } from './base-headers.ts';
import { addPages, answerUnknownPages } from './coffer/pages.ts';
import { addProbes } from './coffer/probes.ts';
import { handleError } from './errors.ts';
import { logOptions, type LogStream } from './log.ts';
import { answerMalformedPath } from './malformed-path.ts';
import { Metrics } from './metrics.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { countRequests } from './rate-limit.ts';
import { answerUnrouted, refuseAmbiguousTarget } from './routing.ts';
import { answerUnparsable, createHttpServer } from './server.ts';
import { defaultServerLimits, type ServerLimits } from './server-limits.ts';
import { drainOnClose } from './shutdown.ts';
import { categoryRoutes } from './v2/categories.ts';
import { cryptoRoutes } from './v2/crypto.ts';
import { meRoutes } from './v2/me.ts';
import { transactionRoutes } from './v2/transactions.ts';

/** What the service is made of. */
export interface AppOptions {
  readonly store: Store;
  readonly cryptoRefresher: CryptoRefresher;
  readonly limiter: Limiter;
  /** The API document, as JSON in UTF-8: it is published, and requests are validated against it. */
  readonly openapi: Uint8Array;
  readonly trustedProxies: TrustedProxies;
  /** The networks from which /metrics can be read; none unless given. */
  readonly metricsReaders?: readonly Network[];
  /** How much of an IPv6 address is one source, 48 to 64; 64 unless given. */
  readonly ipv6PrefixBits?: number;
  /** Milliseconds since the Unix epoch; the machine's clock unless given. */
  readonly now?: () => number;
  /** `info` unless given; `silent` for no log. */
  readonly logLevel?: string;
  /** Standard error unless given. */
  readonly logStream?: LogStream;
  readonly limits?: Partial<ServerLimits>;
}

/**
 * The service as a Fastify application that does not listen yet. Owns neither the store nor the limiter.
 *
 * The way of a request under /v1/ and /v2/ is the list of hooks below: counted, told apart, authenticated, routed,
 * its body read; then its route validates the parameters and answers.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { store, openapi, now = Date.now, metricsReaders = [] } = options;
  const limits = { ...defaultServerLimits, ...options.limits };
  const document = lazily(() => JSON.parse(Buffer.from(openapi).toString()) as OpenApiDocument);
  const metrics = new Metrics();
  const begin: onRequestHookHandler = (request, reply, done) => {
    metrics.begin(request, reply);
    setBaseHeaders(reply);
    done();
  };
  const count = countRequests(options);
  const identify = authenticate(store, now);
  const hooks = [
    count,
    refuseAmbiguousTarget,
    identify,
    answerUnrouted(document),
    readBody(limits),
  ];
  const routes = [
    ...transactionRoutes(store),
    ...categoryRoutes(store),
    ...cryptoRoutes(store, options.cryptoRefresher),
    ...meRoutes(),
  ];

  const app = fastify({
    ...frameworkOptions(limits, metrics),
    ...logOptions(options.logLevel ?? 'info', options.logStream ?? process.stderr),
    frameworkErrors: answerMalformedPath(begin, [count, identify]),
  });
  app.decorateRequest('identity', null);
  app.setErrorHandler((error, request, reply) => {
    metrics.noteError(error);
    handleError(error, request, reply);
  });
  // Every body is read by a hook; to the framework it has then arrived.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => done(null, request.body));
  app.addHook('onRequest', begin);
  addPages(app, openapi, document);
  const version = (): string => document().info.version;
  const probeMethods = addProbes(app, { ...options, metrics, metricsReaders, version, now });
  // Behind the probes, since hooks take turns: first the server says that it is not ready, then it waits.
  drainOnClose(app, limits);
  answerUnknownPages(app, probeMethods);
  app.register(
    inScope((scope) => addApi(scope, { hooks, document, routes: [] })),
    { prefix: '/v1/' },
  );
  app.register(
    inScope((scope) => addApi(scope, { hooks, document, routes })),
    { prefix: '/v2/' },
  );
  return app;
}

function frameworkOptions(limits: ServerLimits, metrics: Metrics) {
  return {
    serverFactory: (handler) => createHttpServer(handler, limits),
    clientErrorHandler: answerUnparsable((status) => metrics.noteUnparsable(status)),
    // Requests on old connections are answered while the server stops, and told to close.
    return503OnClosing: false,
    // The framework gives a hook ten seconds, those that wait for the end included.
    pluginTimeout: limits.stopDelayMs + 10_000,
    routerOptions: {
      // A part of a path is as long as it likes; validation says what is wrong with it.
      maxParamLength: limits.maxHeaderBytes,
      // The text itself: taking it apart is validation's, and costs nothing before a request is let in.
      querystringParser: (text: string) => ({ text }),
    },
    // No route gives the framework a schema, so the compilers, half of its loading time, stay unloaded.
    schemaController: {
      compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
    },
  } satisfies FastifyServerOptions;
}

function noCompiler(): never {
  throw new Error('Cannot compile a schema: routes validate for themselves');
}

function inScope(add: (scope: FastifyInstance) => void) {
  return (scope: FastifyInstance, _options: unknown, done: () => void): void => {
    add(scope);
    done();
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
