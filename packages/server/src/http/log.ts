import {
  LogController,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify';
import { tokensInText } from '../identity/users/actions.ts';
import { inspect } from 'node:util';

const levelNames = new Map([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
]);

/** A line of the log: what the logger adds to each message, and the fields of the message. */
interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: number;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
}

/**
 * Returns a stream that writes each JSON line of the log to `output` for people: local time, level, message, fields.
 *
 * The stack of an error follows on its own lines.
 */
export function readableLog(output: LogStream): LogStream {
  return { write: (line) => output.write(format(JSON.parse(line) as LogLine)) };
}

function format({ level, time, msg, err, ...rest }: LogLine): string {
  const shown = Object.entries(rest)
    .filter(([name]) => !['pid', 'hostname'].includes(name))
    .map(([name, value]) => ` ${name}=${valueText(value)}`);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const name = (levelNames.get(level) ?? String(level)).padEnd(5);
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${clock} ${name} ${msg ?? ''}${shown.join('')}${stack}\n`;
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { breakLength: Infinity });
}

/** Receives the lines of the log, each a JSON object and a line feed. */
export interface LogStream {
  write(line: string): void;
}

/**
 * Returns the framework's logging options: JSON lines at `level` and above.
 *
 * `info` logs start and stop, `warn` and `error` log failures, `debug` logs a line for each request: the method, the
 * path without the query, and the id of the request. Headers and bodies are never logged, nor parts of a path that are
 * neither a word nor an id. Every text that looks like an access token is removed from every line.
 */
export function logOptions(
  level: string,
  stream: LogStream,
): Pick<FastifyServerOptions, 'logger' | 'logController'> {
  if (level === 'silent') return { logger: false };
  return {
    logger: {
      level,
      serializers: { req: describeRequest, res: ({ statusCode }) => ({ statusCode }) },
      stream: { write: (line) => stream.write(line.replaceAll(tokensInText, '[token]')) },
    },
    logController: new RequestLog(),
  };
}

class RequestLog extends LogController {
  override incomingRequest(): void {
    // Logged by requestCompleted.
  }
  override routeNotFound(): void {
    // Logged by requestCompleted, as other responses are.
  }
  override defaultErrorLog(): void {
    // Logged by handleError.
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

/** Parts of existing paths match this. Other parts may be data of the caller: an account number, a name. */
const plainPart = /^(v\d|[a-z]+(?:[_.-][a-z]+)*|-?\d{1,10})?$/;

function describeRequest({ method, url }: Pick<FastifyRequest, 'method' | 'url'>) {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').map((part) => (plainPart.test(part) ? part : '[text]'));
  return { method, path: parts.join('/') };
}
