import { Problem } from './problem.ts';

/** How many responses of one kind may be sent at once. */
export interface StreamLimits {
  /** What they are, for messages: `streams`. */
  readonly noun: string;
  /** The most of one access token or session on a node. */
  readonly ofCaller: number;
  /** The most on a node. */
  readonly ofNode: number;
}

/** How long a client should wait for another stream to end. */
const retryAfterSeconds = '30';

/** Counts responses of a node that take long, so that they use up neither its connections nor its memory. */
export class OpenStreams {
  readonly #ofCallers = new Map<number, number>();
  readonly #limits: StreamLimits;
  #all = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /**
   * Counts one until its signal is aborted. Throws a Problem: 429 if the caller has too many, 503 if the node does.
   */
  add(callerId: number, signal: AbortSignal): void {
    if (signal.aborted) return;
    const { noun, ofCaller, ofNode } = this.#limits;
    const own = this.#ofCallers.get(callerId) ?? 0;
    const headers = { 'retry-after': retryAfterSeconds };
    if (own >= ofCaller) {
      const errMsg = `The caller has ${ofCaller} ${noun} already, the most that it may have`;
      throw new Problem('tooManyRequests', { headers, details: [{ errMsg }] });
    }
    if (this.#all >= ofNode) throw new Problem('unavailable', { headers });
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
