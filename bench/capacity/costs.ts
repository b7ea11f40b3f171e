export interface RequestCosts {
  /** Processor time in Coffer, in PostgreSQL and in Redis, in milliseconds. */
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly redisMs: number;
  /** Processor time of the client, which shares the machine only in the benchmark. */
  readonly clientMs: number;
  /** How often a node waits for PostgreSQL, and how many commands Redis runs. */
  readonly postgresTrips: number;
  readonly redisCommands: number;
  readonly bodyBytes: number;
  readonly postgresBytes: number;
}

export interface StorageCosts {
  /** Processor time of an import in Coffer and in PostgreSQL, in microseconds per row. */
  readonly importNodeUs: number;
  readonly importPostgresUs: number;
  readonly rowBytes: number;
  readonly logBytes: number;
  readonly sourceBytes: number;
}

export interface Costs {
  readonly request: RequestCosts;
  readonly storage: StorageCosts;
}

export interface Prediction {
  readonly requestsPerSecond: number;
  /** Processor time of a request in all servers together, without the client, in milliseconds. */
  readonly cpuMs: number;
  readonly limitedBy: 'a node' | 'Redis' | 'the client' | 'the machine';
}

/**
 * Predicts the highest rate of `nodes` nodes, one PostgreSQL, one Redis and the client on `processors`.
 *
 * Each node, Redis and the client use at most one processor, PostgreSQL all of them. The resource that is used up first
 * sets the limit. Waiting costs nothing while enough requests are open.
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

/** Returns the error of a prediction as a share of the measured value; negative when the prediction is too low. */
export function errorOf(predicted: number, measured: number): number {
  return predicted / measured - 1;
}

export interface Check {
  readonly nodes: number;
  readonly processors: number;
  readonly predictedPerSecond: number;
  readonly measuredPerSecond: number;
  readonly predictedCpuMs: number;
  readonly measuredCpuMs: number;
  readonly limitedBy: string;
}

export interface CapacityRun {
  readonly processors: number;
  readonly costs: Costs;
  readonly checks: readonly Check[];
}
