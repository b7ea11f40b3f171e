import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
  onRequestHookHandler,
} from 'fastify';
import { Problem } from '../operations/problem.ts';
import { allOf } from '../operations/areas.ts';
import type { Area } from '../operations/areas.ts';
import type { Described } from '../operations/declaration.ts';
import { quote } from '@coffer/core/text';
import { headerLines, type PublicUrl } from './client.ts';
import { handleError } from './errors.ts';
import { routedOf } from './routes.ts';

const authorityPattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Responds with 400 to a request whose path cannot be decoded, such as `/v2/%zz`.
 *
 * The router refuses it before any hook runs, so the hooks of every request are run here: `begin`, and under one of the
 * prefixes, such as `/v2/`, also those of `hooksOf` for it.
 */
export function answerMalformedPath(
  begin: onRequestHookHandler,
  prefixes: readonly string[],
  hooksOf: (prefix: string) => readonly onRequestHookHandler[],
) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const prefix = prefixOf(request.raw.url ?? '');
    const hooks = prefixes.includes(prefix) ? hooksOf(prefix) : [];
    const applied = [begin, ...hooks];
    runInOrder(applied, request, reply, (problem = new Problem('malformedRequest')) => {
      handleError(problem, request, reply, { prefix });
    });
  };
}

function runInOrder(
  [hook, ...rest]: readonly onRequestHookHandler[],
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  if (hook === undefined) {
    done();
    return;
  }
  hook.call(request.server, request, reply, (error) => {
    if (error) done(error);
    else runInOrder(rest, request, reply, done);
  });
}

/** The first segment of the path, which may still be decodable, between slashes; an empty text if it is not. */
function prefixOf(target: string): string {
  const [, first = ''] = target.replace(authorityPattern, '').split('/', 2);
  try {
    return `/${decodeURIComponent(first)}/`;
  } catch {
    return '';
  }
}

/** Health checks and scrapes call a node directly, so these paths exist with and without the base path. */
const directPaths = ['/healthz', '/readyz', '/metrics'];
/** A request target may begin with it. Source: RFC 9112, 3.2.2. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A path of the API with one slash at its end. */
const lastSlash = /^(\/(?:v1|v2|coffer)\/[^?#]*[^/?#])\/(?=\?|$)/;

/**
 * Returns the framework's option that changes targets before they are routed: every route is written without the base
 * path, and a path of the API may end in a slash, as those of some clients do.
 */
export function routedTargets(
  publicUrl: PublicUrl | null,
): Pick<FastifyServerOptions, 'rewriteUrl'> {
  const belowBase = (url: string): string =>
    publicUrl === null ? url : (targetBelow(url, publicUrl) ?? url);
  return { rewriteUrl: ({ url = '' }) => belowBase(url).replace(lastSlash, '$1') };
}

/** Returns the hook that ends a request outside the base path with 404. */
export function refuseOutsideBasePath(publicUrl: PublicUrl | null): onRequestHookHandler {
  return ({ originalUrl }, _reply, done) => {
    const isInside =
      publicUrl === null ||
      targetBelow(originalUrl, publicUrl) !== undefined ||
      directPaths.includes(originalUrl.split('?')[0]!);
    done(isInside ? undefined : new Problem('pathNotFound'));
  };
}

/** Returns a target without the base path; undefined outside of it. The path of `/coffer?x=1` is the root. */
function targetBelow(target: string, { basePath }: PublicUrl): string | undefined {
  const [start = ''] = authority.exec(target) ?? [];
  if (!target.startsWith(basePath, start.length)) return undefined;
  const rest = target.slice(start.length + basePath.length);
  if (rest.startsWith('/')) return start + rest;
  return rest === '' || rest.startsWith('?') ? `${start}/${rest}` : undefined;
}

interface KnownPath {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** Refuses a target or a Host that two parsers could understand differently. Source: RFC 9112, 3.2. */
export const refuseAmbiguousTarget: onRequestHookHandler = (request, _reply, done) => {
  const { httpVersion, rawHeaders, url = '' } = request.raw;
  const hosts = headerLines(rawHeaders, 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    done(malformed(`A request must have one Host header, not ${hosts}`));
    return;
  }
  if (url.includes('#')) {
    done(malformed(`The target ${quote(url)} must not have a fragment`));
    return;
  }
  done();
};

/**
 * Returns the hook that ends a request without a route: 404, or 405 with Allow when an operation has the path but not
 * the method. OPTIONS on a known path returns 204 with Allow.
 */
export function answerUnrouted(areas: readonly Area[]): onRequestHookHandler {
  let known: readonly KnownPath[] | undefined;
  return (request, reply, done) => {
    if (routedOf(request) !== null) {
      done();
      return;
    }
    known ??= knownPaths(allOf(areas));
    answer(request, reply, known, done);
  };
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  known: readonly KnownPath[],
  done: (problem: Problem) => void,
): void {
  const path = routedPath(request);
  // Two templates can match one path: the last part of one can be a parameter of the other.
  const fitting = known.filter(({ pattern }) => pattern.test(path));
  const methods = [...new Set(fitting.flatMap((each) => each.methods))].toSorted();
  const allow = methods.join(', ');
  if (methods.length === 0) done(new Problem('pathNotFound'));
  else if (request.method === 'OPTIONS') void reply.code(204).header('allow', allow).send();
  // The router found no route although path and method match: the path has an unusual encoding.
  else if (methods.includes(request.method)) done(new Problem('pathNotFound'));
  else done(new Problem('methodNotAllowed', { headers: { allow } }));
}

/** The path of an unrouted request as the router decoded it. */
function routedPath(request: FastifyRequest): string {
  const { prefix } = request.server;
  return prefix + ((request.params as { '*'?: string })['*'] ?? '');
}

function knownPaths(operations: readonly Described[]): KnownPath[] {
  const byPath = Map.groupBy(operations, ({ declaration }) => declaration.path);
  return [...byPath].map(([template, ofPath]) => {
    const methods: string[] = ofPath.map(({ method }) => method);
    if (methods.includes('GET')) methods.push('HEAD');
    return { pattern: patternOf(template), methods: [...methods, 'OPTIONS'] };
  });
}

function patternOf(template: string): RegExp {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll(/\{[^{}]*\}/g, '[^/]+')}$`);
}

function malformed(errMsg: string): Problem {
  return new Problem('malformedRequest', { details: [{ errMsg }] });
}

/**
 * Responds to requests outside /v1/ and /v2/ without a route: 405 with Allow when `methodsOf` knows the decoded path,
 * otherwise 404.
 */
export function answerUnknownPages(
  app: FastifyInstance,
  methodsOf: (path: string, request: FastifyRequest) => string | undefined,
): void {
  // A hook, because the framework parses bodies before it calls a handler. Each prefix has its own 404.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || request.server !== app) {
      done();
      return;
    }
    refuseAmbiguousTarget.call(app, request, reply, (refusal) => {
      const { '*': rest = '' } = request.params as { '*'?: string };
      done(refusal ?? refusalOf(methodsOf(`/${rest}`, request)));
    });
  });
}

function refusalOf(allow: string | undefined): Problem {
  if (allow === undefined) return new Problem('pathNotFound');
  return new Problem('methodNotAllowed', { headers: { allow } });
}
