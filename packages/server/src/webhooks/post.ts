import type { IncomingMessage } from 'node:http';
import type { Outcome } from './rules.ts';
import { sendGuarded, TargetError } from '../outside/guarded-request.ts';
import type { PrivateTargets, Resolve } from '../outside/guarded-request.ts';

/** The body of a response is not used. More than this is not even read. */
const maxReadBytes = 16 * 1024;
const secondMs = 1000;

/** One request to a receiver. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly targets: PrivateTargets;
  readonly timeoutMs: number;
  /** Ends the request at any point; then {@link post} rejects. */
  readonly signal: AbortSignal;
  readonly resolve?: Resolve | undefined;
}

/**
 * Sends a request to a receiver, and returns what happened. Redirects are not followed, each request has a connection
 * of its own, and `timeoutMs` is for all of it. Nothing of the URL or the response is in the outcome but the status.
 */
export async function post(request: Post): Promise<Outcome> {
  const startedMs = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedMs);
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);
  try {
    const response = await open(request, signal);
    const { statusCode: status = 0, headers } = response;
    await drain(response);
    const retryAfterMs = retryAfterOf(headers['retry-after']);
    return { status, error: errorOf(status), retryAfterMs, durationMs: durationMs() };
  } catch (error) {
    request.signal.throwIfAborted();
    const message = timeout.aborted
      ? `The receiver did not respond in ${request.timeoutMs / secondMs} s`
      : failureOf(error as NodeJS.ErrnoException);
    return { status: null, error: message, retryAfterMs: null, durationMs: durationMs() };
  }
}

function open(
  { url, headers, body, targets, resolve }: Post,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const all = {
    ...{ 'content-type': 'application/json', 'user-agent': 'coffer' },
    'content-length': Buffer.byteLength(body),
    ...headers,
  };
  const request = { url, body, targets, signal, resolve, isPlainAllowed: false };
  return sendGuarded({ ...request, method: 'POST', headers: all });
}

/** Reads the rest of a small response, so that its sender sees no reset. The status counts, whatever happens now. */
async function drain(response: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>)
      if ((size += chunk.length) > maxReadBytes) break;
  } catch {
    // The receiver has responded.
  } finally {
    response.destroy();
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `A redirect (${status}), which is not followed`;
  return `The receiver responded with ${status}`;
}

function failureOf(error: NodeJS.ErrnoException): string {
  if (error instanceof TargetError) return error.message;
  const { code = '' } = error;
  if (code.startsWith('HPE_')) return 'The receiver does not speak HTTP';
  return `The receiver cannot be reached${code === '' ? '' : ` (${code})`}`;
}

/** Reads whole seconds or a date. Returns null if it is missing or invalid, or in the past. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * secondMs;
  const ms = Date.parse(header) - Date.now();
  return ms > 0 ? ms : null;
}
