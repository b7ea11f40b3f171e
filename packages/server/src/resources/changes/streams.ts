import { Problem } from '../../wire/problem.ts';

/** The most streams of one access token on a node. */
const mostOfToken = 10;
/** The most streams on a node: a quarter of its connections. */
const mostOfNode = 2000;
/** How long a client should wait for another stream to end. */
const retryAfterSeconds = '30';

/** Counts the streams of a node, so that they do not use up its connections. */
export class OpenStreams {
  readonly #ofTokens = new Map<number, number>();
  #all = 0;

  /**
   * Counts a stream until its signal is aborted. Throws a Problem: 429 if the token has too many, 503 if the node does.
   */
  add(tokenId: number, signal: AbortSignal): void {
    if (signal.aborted) return;
    const own = this.#ofTokens.get(tokenId) ?? 0;
    const headers = { 'retry-after': retryAfterSeconds };
    if (own >= mostOfToken) {
      const errMsg = `The access token has ${mostOfToken} streams already, the most that it may have`;
      throw new Problem('tooManyRequests', { headers, details: [{ errMsg }] });
    }
    if (this.#all >= mostOfNode) throw new Problem('unavailable', { headers });
    this.#all += 1;
    this.#ofTokens.set(tokenId, own + 1);
    signal.addEventListener('abort', () => this.#remove(tokenId), { once: true });
  }

  #remove(tokenId: number): void {
    this.#all -= 1;
    const left = this.#ofTokens.get(tokenId)! - 1;
    if (left > 0) this.#ofTokens.set(tokenId, left);
    else this.#ofTokens.delete(tokenId);
  }
}
