import type {
  FastifyReply,
  FastifyRequest,
  FastifyInstance,
  FastifyServerOptions,
  onRequestHookHandler,
} from 'fastify';
import { allOf, type Area, type Operation } from '../operations/operation.ts';
import type { FormV1 } from '../operations/forms-v1.ts';
import type { Described } from '../operations/declaration.ts';
import { malformed, Problem } from '../operations/problem.ts';
import { quote } from '@coffer/core/text';
import { headerLines, type PublicUrl } from './client.ts';

/** What http does with the requests of an operation. */
export interface Route {
  readonly operation: Operation;
  /** As in the API document: `/v2/transactions/{id}`. */
  readonly path: string;
  /** The parameters of the path, with their places among its segments. */
  readonly parameters: readonly (readonly [at: number, name: string])[];
  /** Whether it accepts a form of the type multipart/form-data, and no JSON. */
  readonly isForm: boolean;
  /** Whether it accepts a file, alone or in a form. */
  readonly isUpload: boolean;
  /** Whether it needs no authentication. */
  readonly isOpen: boolean;
  readonly isNeverCompressed: boolean;
  /** For v1: how a request that is not valid is refused. */
  readonly v1: FormV1 | undefined;
}

/** Handles the requests of a route. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The route of a request, and the decoded parameters of its path. */
interface Routed {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly routes: Routes;
  }
  interface FastifyRequest {
    /** Undefined until {@link routedOf} has looked for it. */
    routed: Routed | null | undefined;
  }
}

/** Returns the route of a request under /v1/, /v2/ or /coffer/; null for others, and for unknown paths. */
export function routedOf(request: FastifyRequest): Routed | null {
  if (request.routed === undefined)
    request.routed = request.server.routes.find(request.method, request.raw.url ?? '');
  return request.routed;
}

/** The same without the parameters. */
export function routeOf(request: FastifyRequest): Route | undefined {
  return routedOf(request)?.route;
}

/** What follows a segment of a path. */
class Branch {
  readonly texts = new Map<string, Branch>();
  parameter: Branch | undefined;
  readonly ends = new Map<string, Route>();
  /** Adds the operations that are declared when a path leads here for the first time. */
  declare: (() => void)[] | undefined;

  /** Returns the branch at the end of a path. */
  at(segments: readonly string[]): Branch {
    return segments.reduce((branch: Branch, segment) => branch.next(segment), this);
  }

  next(segment: string): Branch {
    if (segment.startsWith('{')) return (this.parameter ??= new Branch());
    const known = this.texts.get(segment) ?? new Branch();
    this.texts.set(segment, known);
    return known;
  }

  /** A text takes precedence over a parameter, unless no path continues as the segments do. */
  find(segments: readonly string[], method: string, at = 0): Route | undefined {
    if (this.declare !== undefined) this.#declare(this.declare);
    const segment = segments[at];
    if (segment === undefined) return this.ends.get(method);
    const ofText = this.texts.get(segment)?.find(segments, method, at + 1);
    return ofText ?? this.parameter?.find(segments, method, at + 1);
  }

  #declare(all: readonly (() => void)[]): void {
    this.declare = undefined;
    for (const declare of all) declare();
  }
}

const beforePath = /^https?:\/\/[^/]*/;

/**
 * Finds the operation of a request by the segments of its path.
 *
 * The framework routes by prefix only: a route of it takes 0.1 ms of each start and 20 kB, and there are 300.
 */
export class Routes {
  readonly #root = new Branch();

  constructor(areas: readonly Area[]) {
    for (const area of areas) {
      const declare = (): void => area.operations().forEach((each) => this.#add(each));
      for (const path of area.paths) (this.#root.at(path.split('/')).declare ??= []).push(declare);
    }
  }

  #add(operation: Operation): void {
    const segments = operation.declaration.path.split('/');
    this.#root.at(segments).ends.set(operation.method, makeRoute(operation, segments));
  }

  /** Returns the route for a method and a target. HEAD has the route of GET. */
  find(method: string, target: string): Routed | null {
    const segments = segmentsOf(target);
    const route = segments && this.#root.find(segments, method === 'HEAD' ? 'GET' : method);
    if (!route) return null;
    const params: Record<string, string> = {};
    for (const [at, name] of route.parameters) params[name] = segments[at]!;
    return { route, params };
  }
}

function makeRoute(operation: Operation, segments: readonly string[]): Route {
  const { kind, declaration } = operation;
  return {
    operation,
    path: declaration.path,
    parameters: segments.flatMap((segment, at) =>
      segment.startsWith('{') ? [[at, segment.slice(1, -1)] as const] : [],
    ),
    isForm: declaration.multipart === true,
    isUpload: declaration.upload === true,
    isOpen: kind === 'open',
    isNeverCompressed: isNeverCompressed(operation),
    v1: declaration.v1,
  };
}

/**
 * Whether no response of the operation is compressed, because it can have a secret and a text that somebody else chose:
 * the length of both compressed together shows how much of one is in the other (BREACH). This holds for operations
 * whose response is secret, and for all that a browser's cookie is enough for: those of sessions.
 */
export function isNeverCompressed({ kind, declaration }: Described): boolean {
  const { isSecret = false, needsSession = false } = declaration;
  return isSecret || needsSession || kind === 'open';
}

/** The decoded segments of the path of a target; null if they cannot be decoded. An encoded slash separates nothing. */
function segmentsOf(target: string): readonly string[] | null {
  const [path = ''] = target.replace(beforePath, '').split(/[?#]/, 1);
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Health checks and scrapes call a node directly, so these paths exist with and without the base path. */
const directPaths = ['/healthz', '/readyz', '/metrics'];
/** A request target may begin with it. Source: RFC 9112, 3.2.2. */
export const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
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
  const { '*': rest = '' } = request.params as { '*'?: string };
  return request.is404 ? `/${rest}` : prefixOf(request) + rest;
}

/** Returns `/v1/`, `/v2/` or `/coffer/` for a request that belongs to the API, known or not; otherwise other texts. */
export function prefixOf({ is404, raw: { url = '' }, routeOptions }: FastifyRequest): string {
  if (is404) return firstSegment(url.replace(beforePath, ''));
  // The framework has one route for all operations below a prefix.
  return routeOptions.url?.replace('*', '') ?? '';
}

/** The first segment of a path between slashes; an empty text if it is the last one, or cannot be decoded. */
export function firstSegment(path: string): string {
  const [, first = ''] = /^\/([^/?#]*)\//.exec(path) ?? [];
  try {
    return `/${decodeURIComponent(first)}/`;
  } catch {
    return '';
  }
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

/**
 * Responds to requests without a route. Below a prefix of `hooks` run the hooks of that prefix, which end each request
 * without an operation. Others: 405 with Allow when `methodsOf` knows the decoded path, otherwise 404.
 *
 * The framework could do so for each prefix, but it would add a route for each of 35 methods: a twentieth of a start.
 */
export function answerUnknownPaths(
  app: FastifyInstance,
  hooks: ReadonlyMap<string, readonly onRequestHookHandler[]>,
  methodsOf: (path: string, request: FastifyRequest) => string | undefined,
): void {
  // A hook, because the framework parses bodies before it calls a handler.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    const ofPrefix = hooks.get(prefixOf(request));
    if (ofPrefix !== undefined) {
      runInOrder(ofPrefix, request, reply, done);
      return;
    }
    refuseAmbiguousTarget.call(app, request, reply, (refusal) => {
      const { '*': rest = '' } = request.params as { '*'?: string };
      done(refusal ?? refusalOf(methodsOf(`/${rest}`, request)));
    });
  });
}

/** Runs hooks one after the other, and then `done`; `done` alone after an error. */
export function runInOrder(
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

function refusalOf(allow: string | undefined): Problem {
  if (allow === undefined) return new Problem('pathNotFound');
  return new Problem('methodNotAllowed', { headers: { allow } });
}
