import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../test/service/ask.ts';
import { timed } from './check.ts';

/**
 * Counts the responses of a server whose database may refuse work, and records the wrong ones. A response must be a
 * success, or 503 in the error format with `Retry-After`.
 */
export class DatabaseResponses {
  readonly #mostMs: number;
  succeeded = 0;
  refused = 0;
  slowestMs = 0;
  readonly problems: string[] = [];

  constructor(mostMs = Infinity) {
    this.#mostMs = mostMs;
  }

  /** Counts a response; returns true for a success. */
  add({ status, headers, text }: Answer, what = 'a request'): boolean {
    if ([200, 201, 204].includes(status)) {
      this.succeeded += 1;
      return true;
    }
    this.refused += 1;
    if (status !== 503) this.problems.push(`${what} returned ${status}: ${text}`);
    else if (!/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
      this.problems.push(`${what} was refused with Retry-After ${headers['retry-after']}`);
    else if (!/^\{"message":"[^"]+","errors":\[\{"errMsg":"[^"]+"\}\]\}$/.test(text))
      this.problems.push(`the refusal of ${what} is not in the error format: ${text}`);
    return false;
  }

  async time(what: string, request: () => Promise<Answer>): Promise<boolean> {
    const [elapsedMs, response] = await timed(() =>
      request().catch((error: unknown) => error as Error),
    );
    this.slowestMs = Math.max(this.slowestMs, elapsedMs);
    if (elapsedMs > this.#mostMs) this.problems.push(`${what} took ${Math.round(elapsedMs)} ms`);
    if (!(response instanceof Error)) return this.add(response, what);
    this.problems.push(`${what}: ${response.message}`);
    return false;
  }
}

/** Does one piece of work after another, with pauses, until `end` has settled, and waits for the last one. */
export async function repeatUntil(
  end: Promise<unknown>,
  pauseMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  void end.catch(() => undefined).finally(() => over.abort());
  while (!over.signal.aborted) {
    await work();
    await sleep(pauseMs);
  }
}
