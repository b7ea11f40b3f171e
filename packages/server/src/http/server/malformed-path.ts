import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../../operations/problem.ts';
import { handleError } from './errors.ts';

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
