import { fastify } from 'fastify';
import type { FastifyInstance, FastifyServerOptions, onRequestHookHandler } from 'fastify';
import type { TrustedProxies } from '../limiter/address/client-address.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Network } from '../limiter/address/networks.ts';
import type { CryptoReader } from '../connectors/reader.ts';
import type { Engine } from '../db/engine.ts';
import { components, operations } from '../resources/index.ts';
import { apiVersion, openApiText } from '../wire/document/openapi.ts';
import { addApi } from './api.ts';
import { authenticate } from './auth.ts';
import { readBody } from './server/body.ts';
import { setBaseHeaders } from './base-headers.ts';
import { allowOrigins, respondToPreflight, type CorsOrigins } from './cors.ts';
import { addPages, answerUnknownPages } from './coffer/pages.ts';
import { addProbes } from './health/probes.ts';
import { handleError } from './errors.ts';
import { logOptions, type LogStream } from './health/log.ts';
import { answerMalformedPath } from './server/malformed-path.ts';
import { Metrics } from './health/metrics.ts';
import {
  refuseForeignHost,
  refuseOutsideBasePath,
  withoutBasePath,
  type PublicUrl,
} from './public-url.ts';
import { countRequests } from './rate-limit.ts';
import { answerUnrouted, refuseAmbiguousTarget } from './routing.ts';
import { answerUnparsable, createHttpServer } from './server/server.ts';
import { defaultServerLimits, type ServerLimits } from './server/limits.ts';
import { drainOnClose } from './server/shutdown.ts';

/** What the service is made of. */
export interface AppOptions {
  readonly engine: Engine;
  /** Reads synced crypto accounts from their providers. */
  readonly cryptoReader: CryptoReader;
  readonly limiter: Limiter;
  readonly trustedProxies: TrustedProxies;
  /** The address behind a proxy; null unless given. */
  readonly publicUrl?: PublicUrl | null;
  /** None unless given. */
  readonly corsOrigins?: CorsOrigins;
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
 * The service as a Fastify application that does not listen yet. Owns neither the engine nor the limiter.
 *
 * The way of a request under /v1/ and /v2/ is the list of hooks below: counted, told apart, authenticated, routed,
 * its body read; then its route validates the parameters and answers.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { engine, now = Date.now, metricsReaders = [], publicUrl = null } = options;
  const limits = { ...defaultServerLimits, ...options.limits };
  const v2 = operations(options.cryptoReader);
  const metrics = new Metrics();
  const refuseOutside = refuseOutsideBasePath(publicUrl);
  const begin: onRequestHookHandler = (request, reply, done) => {
    metrics.begin(request, reply);
    setBaseHeaders(reply);
    refuseOutside.call(app, request, reply, done);
  };
  const origins = options.corsOrigins ?? [];
  const [allow, refuseHost] = [allowOrigins(origins), refuseForeignHost(publicUrl)];
  const count = countRequests(options);
  const identify = authenticate(engine, now);
  const hooks = [
    ...[allow, count, respondToPreflight(origins), refuseAmbiguousTarget, refuseHost],
    ...[identify, answerUnrouted(v2), readBody(limits)],
  ];
  const app = fastify({
    ...frameworkOptions(limits, metrics),
    ...withoutBasePath(publicUrl),
    ...logOptions(options.logLevel ?? 'info', options.logStream ?? process.stderr),
    frameworkErrors: answerMalformedPath(begin, [allow, count, refuseHost, identify]),
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
  addPages(app, {
    openapi: () => openApiText({ operations: v2, components }, publicUrl?.href),
    version: apiVersion,
    publicUrl,
    hooks: [allow, refuseAmbiguousTarget, refuseHost],
  });
  const version = apiVersion;
  const probeMethods = addProbes(app, { ...options, metrics, metricsReaders, version, now });
  // Behind the probes, since hooks take turns: first the server says that it is not ready, then it waits.
  drainOnClose(app, limits);
  answerUnknownPages(app, probeMethods);
  for (const [prefix, ofPrefix] of [
    ['/v1/', []],
    ['/v2/', v2],
  ] as const) {
    const add = (scope: FastifyInstance): void =>
      addApi(scope, { hooks, engine, operations: ofPrefix, components });
    app.register(inScope(add), { prefix });
  }
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
