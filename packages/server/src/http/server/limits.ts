/**
 * What the server allows a connection, so that slow, silent or large clients cannot hold it.
 *
 * Times are in milliseconds, sizes in bytes.
 */
export interface ServerLimits {
  /** From the first byte of a request, or from connecting, to the end of its header. */
  readonly headersTimeoutMs: number;
  /** From the end of the header to the end of the body; past it the answer is 408. */
  readonly bodyTimeoutMs: number;
  /** From the first byte of a request to its last; a backstop behind the two above. */
  readonly requestTimeoutMs: number;
  /** How often the timeouts are looked at. */
  readonly connectionsCheckIntervalMs: number;
  /** How long a connection may rest between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a connection may go without moving a byte while an answer is under way. */
  readonly socketTimeoutMs: number;
  /** Connections at once; further ones are dropped. */
  readonly maxConnections: number;
  /** Request line and header fields together. */
  readonly maxHeaderBytes: number;
  /** A body. */
  readonly bodyLimitBytes: number;
  /** How long a server that was told to stop goes on besides, so that proxies see that it is not ready. */
  readonly stopDelayMs: number;
  /** How long a server that was told to stop still takes connections, and tells each to close with its next answer. */
  readonly closeNoticeMs: number;
  /** How long answers under way may take to finish once the server is told to stop. */
  readonly drainTimeoutMs: number;
}

/** The limits of a server that is told nothing else. */
export const defaultServerLimits: ServerLimits = {
  // A header is one packet or a few; ten seconds is a very bad line.
  headersTimeoutMs: 10_000,
  // A full body at 50 kB/s.
  bodyTimeoutMs: 20_000,
  // With a second until it is noticed, nobody sends one request for more than half a minute.
  requestTimeoutMs: 28_000,
  // Node looks every 30 s unless told otherwise, which would add 30 s to every timeout.
  connectionsCheckIntervalMs: 1_000,
  keepAliveTimeoutMs: 30_000,
  socketTimeoutMs: 60_000,
  // Under the 10,000 open files that services are commonly given, with room for the store's own.
  maxConnections: 8_000,
  // Holds every filter of a list at once many times over.
  maxHeaderBytes: 16 * 1024,
  bodyLimitBytes: 1024 * 1024,
  stopDelayMs: 0,
  // Many round trips, and too short for anybody to wait for.
  closeNoticeMs: 200,
  // Less than the eight seconds after which the command gives up, and a supervisor commonly kills after ten.
  drainTimeoutMs: 7_000,
};
