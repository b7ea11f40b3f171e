import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../../operations/problem.ts';
import { headerLines } from './header-lines.ts';
import type { Described } from '../../operations/declaration.ts';
import { quote } from '@coffer/core/text';

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
export function answerUnrouted(operations: readonly Described[]): onRequestHookHandler {
  let known: readonly KnownPath[] | undefined;
  return (request, reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    known ??= knownPaths(operations);
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
