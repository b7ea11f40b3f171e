/**
 * The limits of connections and requests, so that slow, silent or large clients cannot block the server.
 *
 * Times are in milliseconds, sizes in bytes.
 */
export interface ServerLimits {
  /** From the first byte of a request, or from connecting, to the end of its header. */
  readonly headersTimeoutMs: number;
  /** From the end of the header to the end of the body, unless it is a file; after it the response is 408. */
  readonly bodyTimeoutMs: number;
  /** From the first byte of a request to its last, in addition to the two limits above. */
  readonly requestTimeoutMs: number;
  /** How often the timeouts are checked. */
  readonly connectionsCheckIntervalMs: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a connection may transfer no byte while a response is being sent. */
  readonly socketTimeoutMs: number;
  /** The maximum number of connections; further ones are dropped. */
  readonly maxConnections: number;
  /** The maximum size of request line and header fields together. */
  readonly maxHeaderBytes: number;
  /** The maximum size of a body. */
  readonly bodyLimitBytes: number;
  /** How long a stopping server continues to serve, so that proxies see that it is not ready. */
  readonly stopDelayMs: number;
  /** How long a stopping server then still accepts connections, and closes each after its next response. */
  readonly closeNoticeMs: number;
  /** How long running responses may take to finish when the server stops. */
  readonly drainTimeoutMs: number;
}

/** The default limits. */
export const defaultServerLimits: ServerLimits = {
  // A header is a few packets; it takes ten seconds only on a very bad connection.
  headersTimeoutMs: 10_000,
  // A full body at 50 kB/s.
  bodyTimeoutMs: 20_000,
  // A file of 50 MB at 180 kB/s. Other bodies have less time: see `bodyTimeoutMs`.
  requestTimeoutMs: 300_000,
  // Node checks every 30 s by default, which would add 30 s to every timeout.
  connectionsCheckIntervalMs: 1_000,
  keepAliveTimeoutMs: 30_000,
  socketTimeoutMs: 60_000,
  // Below the usual limit of 10,000 open files, with room for the files of the database.
  maxConnections: 8_000,
  // Several times the size of a list request with every filter.
  maxHeaderBytes: 16 * 1024,
  bodyLimitBytes: 1024 * 1024,
  stopDelayMs: 0,
  // Many round trips, and too short to be noticed.
  closeNoticeMs: 200,
  // The command stops waiting after eight seconds, and supervisors usually kill after ten.
  drainTimeoutMs: 7_000,
};

/** The limits for files that are received into a temporary file, and for forms that are read into memory. */
export const uploadLimits = {
  /** 50 MB at 180 kB/s. */
  timeoutMs: 290_000,
  /** Each may take 50 MB of the temporary folder. */
  mostAtOnce: 20,
  /** One book leaves room for others, however slowly it sends. */
  mostOfBook: 10,
  /** What has arrived of a file and is not yet in the temporary folder. */
  mostUnwrittenBytes: 256 * 1024,
  /** The bytes of all forms that are in memory: two of the largest. Parsing needs several times as much. */
  mostFormBytes: 21 * 1024 * 1024,
} as const;
