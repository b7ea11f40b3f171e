import { LogController } from 'fastify';
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify';
import { tokensInText } from '../../resources/users/token.ts';

/** Takes the lines of the log, each one JSON object and a line feed. */
export interface LogStream {
  write(line: string): void;
}

/**
 * The framework's logging options: JSON lines at `level` and above.
 *
 * `info` tells of starting and stopping, `warn` and `error` of faults, `debug` of every request in one line.
 * Request lines have the method, the path without the query, and the id of the request; headers and bodies are never
 * logged, nor parts of a path that are neither a word nor an id. Whatever looks like an access token is cut out of
 * every line, wherever it came from.
 */
export function logOptions(
  level: string,
  stream: LogStream,
): Pick<FastifyServerOptions, 'logger' | 'logController'> {
  if (level === 'silent') return { logger: false };
  return {
    logger: {
      level,
      serializers: { req: describeRequest, res: describeReply },
      stream: { write: (line) => stream.write(line.replaceAll(tokensInText, '[token]')) },
    },
    logController: new RequestLog(),
  };
}

/** One line a request, when it is over. */
class RequestLog extends LogController {
  override incomingRequest(): void {
    // Told when it is over.
  }
  override routeNotFound(): void {
    // An answer like any other.
  }
  override defaultErrorLog(): void {
    // Logged where errors are answered.
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { elapsedTime } = reply;
    reply.log.debug({ req: request, res: reply, err: error, elapsedMs: elapsedTime }, 'request');
  }
}

/** What parts of the paths that there are look like. Others are the caller's own words: an account number, a name. */
const plainPart = /^(v\d|[a-z]+(?:[_.-][a-z]+)*|-?\d{1,10})?$/;

function describeRequest({ method, url }: Pick<FastifyRequest, 'method' | 'url'>) {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').map((part) => (plainPart.test(part) ? part : '[text]'));
  return { method, path: parts.join('/') };
}

function describeReply({ statusCode }: Pick<FastifyReply, 'statusCode'>) {
  return { statusCode };
}
