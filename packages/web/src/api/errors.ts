import type { Schemas } from '../books/types.ts';

/** A single problem of a refused request. */
export type Problem = Schemas['ErrorDetail'];

/** A request that the server has refused, or that got no response. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The HTTP status; 0 when the server could not be reached. */
  readonly status: number;
  /** The problems of the body, in the order of the server; may be empty. */
  readonly problems: readonly Problem[];
  /** How long to wait before the next attempt; null when the server did not say. */
  readonly retryAfterMs: number | null;
  /** The JSON of the response; null when there was none. */
  readonly body: unknown;

  constructor(
    status: number,
    message: string,
    problems: readonly Problem[] = [],
    retryAfterMs: number | null = null,
    body: unknown = null,
  ) {
    super(message);
    this.status = status;
    this.problems = problems;
    this.retryAfterMs = retryAfterMs;
    this.body = body;
  }
}

/** Returns whether the server could not be reached. */
export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

/** Returns whether the server asks for a second word, because a proved balance depends on what would change. */
export function isProved(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 409) return false;
  return error.problems.some((problem) => 'proved_until' in problem);
}

/** Returns what to show of a failure: the problems of the body, else its message, else a general sentence. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const problems = error.problems.map(({ errMsg }) => errMsg);
  return problems.length > 0 ? problems.join('; ') : error.message;
}

/** Reads the error body of a response. A body in another format gives the status line. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const { message, errors } = (body ?? {}) as { message?: unknown; errors?: unknown };
  const text = typeof message === 'string' ? message : `${response.status} ${response.statusText}`;
  const problems = Array.isArray(errors) ? (errors as Problem[]) : [];
  return new ApiError(response.status, text, problems, waitOf(response.headers), body);
}

/** The seconds of Retry-After, or of the reset of the rate limit, in milliseconds. */
function waitOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? headers.get('ratelimit-reset');
  if (text === null || !/^\d{1,6}$/.test(text)) return null;
  return Number(text) * 1000;
}
