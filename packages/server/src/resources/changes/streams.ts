import { Problem } from '../../wire/problem.ts';

/** The most streams of one access token or session on a node. */
const mostOfCaller = 10;
/** The most streams on a node: a quarter of its connections. */
const mostOfNode = 2000;
/** How long a client should wait for another stream to end. */
const retryAfterSeconds = '30';

/** Counts the streams of a node, so that they do not use up its connections. */
export class OpenStreams {
  readonly #ofCallers = new Map<number, number>();
  #all = 0;

  /**
   * Counts a stream until its signal is aborted. Throws a Problem: 429 if the caller has too many, 503 if the node does.
   */
  add(callerId: number, signal: AbortSignal): void {
    if (signal.aborted) return;
    const own = this.#ofCallers.get(callerId) ?? 0;
    const headers = { 'retry-after': retryAfterSeconds };
    if (own >= mostOfCaller) {
      const errMsg = `The caller has ${mostOfCaller} streams already, the most that it may have`;
      throw new Problem('tooManyRequests', { headers, details: [{ errMsg }] });
    }
    if (this.#all >= mostOfNode) throw new Problem('unavailable', { headers });
    this.#all += 1;
    this.#ofCallers.set(callerId, own + 1);
    signal.addEventListener('abort', () => this.#remove(callerId), { once: true });
  }

  #remove(callerId: number): void {
    this.#all -= 1;
    const left = this.#ofCallers.get(callerId)! - 1;
    if (left > 0) this.#ofCallers.set(callerId, left);
    else this.#ofCallers.delete(callerId);
  }
}
