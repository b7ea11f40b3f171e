import { hasToWait } from '@coffer/core/dates';

/** Sessions are looked up for every request; this is only about which limit a request counts against. */
const knownForMs = 60_000;
/** All are forgotten at once when full; then the next request of each counts for its address. */
const mostKnown = 10_000;

/** The sessions that were valid lately, by the hash of their secret, so that a limiter can know them without a read. */
export class KnownSessions {
  readonly #now: () => number;
  readonly #untilMs = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the key of a session that was valid within the last minute; null for others. */
  keyOf(hash: Uint8Array): string | null {
    const key = textOf(hash);
    return hasToWait(this.#untilMs.get(key) ?? 0, this.#now(), knownForMs) ? key : null;
  }

  /** Notes whether a session is valid. */
  note(hash: Uint8Array, isValid: boolean): void {
    const key = textOf(hash);
    if (this.#untilMs.size >= mostKnown) this.#untilMs.clear();
    if (isValid) this.#untilMs.set(key, this.#now() + knownForMs);
    else this.#untilMs.delete(key);
  }
}

function textOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url');
}
