/** What one request costs where it costs something; measured on one node that is not at its limit. */
export interface RequestCosts {
  /** Processor time in Coffer, in PostgreSQL and in Redis, in milliseconds. */
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly redisMs: number;
  /** Processor time of the client that asks, which shares the machine in the benchmark and nowhere else. */
  readonly clientMs: number;
  /** How often a node waits for an answer of PostgreSQL, and how many commands Redis runs. */
  readonly postgresTrips: number;
  readonly redisCommands: number;
  /** Bytes of the answer's body, and of what PostgreSQL sends for it. */
  readonly bodyBytes: number;
  readonly postgresBytes: number;
}

/** The costs of a row and of a client of the limiter. */
export interface StorageCosts {
  /** Processor time of an import in Coffer and in PostgreSQL, in microseconds a row. */
  readonly importNodeUs: number;
  readonly importPostgresUs: number;
  /** Bytes of a row with its indexes, and of the write-ahead log when it is written. */
  readonly rowBytes: number;
  readonly logBytes: number;
  /** Bytes of Redis's memory for the window of one client. */
  readonly sourceBytes: number;
}

export interface Costs {
  readonly request: RequestCosts;
  readonly storage: StorageCosts;
}

/** What `nodes` nodes will do, with everything on one machine. */
export interface Prediction {
  readonly requestsPerSecond: number;
  /** Processor time of a request in all servers together, without the client, in milliseconds. */
  readonly cpuMs: number;
  readonly limitedBy: 'a node' | 'Redis' | 'the client' | 'the machine';
}

/**
 * The most requests a second that `nodes` nodes, one PostgreSQL, one Redis and the client can do on `processors`.
 *
 * Coffer, Redis and the client use one processor each at most, PostgreSQL as many as there are; whatever is used up
 * first sets the limit. Waiting costs nothing, as long as enough requests are under way.
 */
export function predict(costs: RequestCosts, nodes: number, processors: number): Prediction {
  const cpuMs = costs.nodeMs + costs.postgresMs + costs.redisMs;
  const limits = [
    ['a node', (1000 * nodes) / costs.nodeMs],
    ['Redis', 1000 / costs.redisMs],
    ['the client', 1000 / costs.clientMs],
    ['the machine', (1000 * processors) / (cpuMs + costs.clientMs)],
  ] as const;
  const [limitedBy, requestsPerSecond] = limits.toSorted(([, a], [, b]) => a - b)[0]!;
  return { requestsPerSecond, cpuMs, limitedBy };
}

/** By how much a prediction misses what was measured, as a share of what was measured; negative when it is too low. */
export function errorOf(predicted: number, measured: number): number {
  return predicted / measured - 1;
}

/** What `nodes` nodes did, beside what the model says. */
export interface Check {
  readonly nodes: number;
  /** Processors of the machine that nothing else used meanwhile. */
  readonly processors: number;
  readonly predictedPerSecond: number;
  readonly measuredPerSecond: number;
  readonly predictedCpuMs: number;
  readonly measuredCpuMs: number;
  readonly limitedBy: string;
}

/** What was measured, and the model held to it. */
export interface CapacityRun {
  readonly processors: number;
  readonly costs: Costs;
  readonly checks: readonly Check[];
}
