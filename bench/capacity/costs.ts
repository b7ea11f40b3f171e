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

interface Costs {
  readonly request: RequestCosts;
  readonly storage: StorageCosts;
}

interface Prediction {
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

interface Check {
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

/** Assumptions about users and machines, which were not measured. */
interface Assumptions {
  readonly users: number;
  readonly rows: number;
  readonly requestsPerUserAndDay: number;
  readonly rowsPerUserAndDay: number;
  /** The busiest second, relative to the mean of a day. */
  readonly peak: number;
  /** The share of a processor to use; the rest is for failures, upgrades and other work. */
  readonly usedShare: number;
  readonly processorsOfDatabaseMachine: number;
  readonly bytesOfDatabaseMachine: number;
  readonly copies: number;
}

export const largest: Assumptions = {
  users: 10_000_000,
  rows: 100_000_000_000,
  requestsPerUserAndDay: 20,
  rowsPerUserAndDay: 3,
  peak: 4,
  usedShare: 0.5,
  processorsOfDatabaseMachine: 16,
  bytesOfDatabaseMachine: 4e12,
  copies: 2,
};

/** The needed resources. Rates are those of the busiest second. */
interface Sizing {
  readonly requestsPerSecond: number;
  readonly rowsPerSecond: number;
  readonly nodes: number;
  readonly postgresProcessors: number;
  readonly recordBytes: number;
  readonly shardsByRoom: number;
  readonly shardsByProcessors: number;
  readonly databaseMachines: number;
  readonly logBytesPerSecond: number;
  readonly redisCommandsPerSecond: number;
  readonly redisProcessors: number;
  /** An upper bound: every request of a minute comes from another address. */
  readonly redisBytes: number;
  readonly answerBytesPerSecond: number;
  readonly postgresBytesPerSecond: number;
}

const secondsPerDay = 86_400;
const windowSeconds = 60;

export function size({ request, storage }: Costs, assumed: Assumptions): Sizing {
  const perSecond = (perDay: number): number =>
    ((assumed.users * perDay) / secondsPerDay) * assumed.peak;
  const requestsPerSecond = perSecond(assumed.requestsPerUserAndDay);
  const rowsPerSecond = perSecond(assumed.rowsPerUserAndDay);
  const processors = (requestMs: number, rowUs: number): number =>
    ((requestsPerSecond * requestMs) / 1000 + (rowsPerSecond * rowUs) / 1e6) / assumed.usedShare;
  const postgresProcessors = Math.ceil(processors(request.postgresMs, storage.importPostgresUs));
  const recordBytes = assumed.rows * storage.rowBytes;
  const shardsByRoom = Math.ceil(recordBytes / assumed.bytesOfDatabaseMachine);
  const shardsByProcessors = Math.ceil(postgresProcessors / assumed.processorsOfDatabaseMachine);
  return {
    requestsPerSecond,
    rowsPerSecond,
    nodes: Math.ceil(processors(request.nodeMs, storage.importNodeUs)),
    postgresProcessors,
    recordBytes,
    shardsByRoom,
    shardsByProcessors,
    databaseMachines: Math.max(shardsByRoom, shardsByProcessors) * assumed.copies,
    logBytesPerSecond: rowsPerSecond * storage.logBytes,
    redisCommandsPerSecond: requestsPerSecond * request.redisCommands,
    redisProcessors: processors(request.redisMs, 0),
    redisBytes: requestsPerSecond * windowSeconds * storage.sourceBytes,
    answerBytesPerSecond: requestsPerSecond * request.bodyBytes,
    postgresBytesPerSecond: requestsPerSecond * request.postgresBytes,
  };
}
