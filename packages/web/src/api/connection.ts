/** What stops requests at the moment. */
export interface ConnectionState {
  /** The last request did not reach the server. */
  readonly isOffline: boolean;
  /** The session has ended: requests wait until somebody signs in. */
  readonly isSignedOut: boolean;
  /** Requests wait until this time (milliseconds since 1970), because there were too many; null when none waits. */
  readonly waitingUntilMs: number | null;
}

const calm: ConnectionState = { isOffline: false, isSignedOut: false, waitingUntilMs: null };

/**
 * The state of the connection, which requests change and the shell shows.
 *
 * A request that finds the session ended waits in `signedIn`, so that nothing typed is lost.
 */
class Connection {
  state: ConnectionState = calm;
  readonly #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];

  /** Calls the listener after each change. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes some members of the state. */
  change(part: Partial<ConnectionState>): void {
    const keys = Object.keys(part) as (keyof ConnectionState)[];
    if (keys.every((key) => this.state[key] === part[key])) return;
    this.state = { ...this.state, ...part };
    for (const listener of this.#listeners) listener();
    if (this.state.isSignedOut || this.state.isOffline) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Resolves when the server is reached again and the session is valid; at once when both are so. */
  async ready(): Promise<void> {
    if (!this.state.isSignedOut && !this.state.isOffline) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.push(() => resolve(undefined));
    await promise;
  }
}

/** The connection of this page. */
export const connection = new Connection();
