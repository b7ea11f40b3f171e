import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Problem } from '../../wire/problem.ts';
import { handleError } from '../errors.ts';

const authorityPattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Responds with 400 to a request whose path cannot be decoded, such as `/v2/%zz`.
 *
 * The router refuses it before any hook runs, so the hooks of every request are run here: `begin`, and under /v1/ and
 * /v2/ also `hooks`.
 */
export function answerMalformedPath(
  begin: onRequestHookHandler,
  hooks: readonly onRequestHookHandler[],
) {
  return (_error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const applied = isApiTarget(request.raw.url ?? '') ? [begin, ...hooks] : [begin];
    runInOrder(applied, request, reply, (problem = new Problem('malformedRequest')) => {
      handleError(problem, request, reply);
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

/** Whether the first segment of the path, which may still be decodable, is `v1` or `v2`. */
function isApiTarget(target: string): boolean {
  const [, first = ''] = target.replace(authorityPattern, '').split('/', 2);
  try {
    return /^v[12]$/.test(decodeURIComponent(first));
  } catch {
    return false;
  }
}
