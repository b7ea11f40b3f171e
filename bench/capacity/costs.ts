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

/**
 * Predicts the highest rate of `nodes` nodes, one PostgreSQL, one Redis and the client on `processors`.
 *
 * Each node, Redis and the client use at most one processor, PostgreSQL all of them. The resource that is used up first
 * sets the limit. Waiting costs nothing while enough requests are open. The processor time is that of a request in all
 * servers together, without the client, in milliseconds.
 */
export function predict(
  costs: RequestCosts,
  nodes: number,
  processors: number,
): Pick<Check, 'limitedBy' | 'predictedPerSecond' | 'predictedCpuMs'> {
  const predictedCpuMs = costs.nodeMs + costs.postgresMs + costs.redisMs;
  const limits = [
    ['a node', (1000 * nodes) / costs.nodeMs],
    ['Redis', 1000 / costs.redisMs],
    ['the client', 1000 / costs.clientMs],
    ['the machine', (1000 * processors) / (predictedCpuMs + costs.clientMs)],
  ] as const;
  const [limitedBy, predictedPerSecond] = limits.toSorted(([, a], [, b]) => a - b)[0]!;
  return { limitedBy, predictedPerSecond, predictedCpuMs };
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
export const largest = {
  users: 10_000_000,
  rows: 100_000_000_000,
  requestsPerUserAndDay: 20,
  rowsPerUserAndDay: 3,
  /** The busiest second, relative to the mean of a day. */
  peak: 4,
  /** The share of a processor to use; the rest is for failures, upgrades and other work. */
  usedShare: 0.5,
  processorsOfDatabaseMachine: 16,
  bytesOfDatabaseMachine: 4e12,
  copies: 2,
};

const secondsPerDay = 86_400;
const windowSeconds = 60;

/** Returns what is needed, line by line. Rates are those of the busiest second. */
export function size({ request, storage }: Costs, assumed = largest): [string, string][] {
  const perSecond = (perDay: number): number =>
    ((assumed.users * perDay) / secondsPerDay) * assumed.peak;
  const requests = perSecond(assumed.requestsPerUserAndDay);
  const rows = perSecond(assumed.rowsPerUserAndDay);
  const processors = (requestMs: number, rowUs: number): number =>
    ((requests * requestMs) / 1000 + (rows * rowUs) / 1e6) / assumed.usedShare;
  const ofPostgres = Math.ceil(processors(request.postgresMs, storage.importPostgresUs));
  const recordBytes = assumed.rows * storage.rowBytes;
  const shardsByRoom = Math.ceil(recordBytes / assumed.bytesOfDatabaseMachine);
  const shardsByProcessors = Math.ceil(ofPostgres / assumed.processorsOfDatabaseMachine);
  const machines = Math.max(shardsByRoom, shardsByProcessors) * assumed.copies;
  const rate = (value: number): string => `${number(value)} a second`;
  const flow = (value: number): string => `${bytes(value)} a second`;
  return [
    ['requests', rate(requests)],
    ['rows added', rate(rows)],
    [
      'nodes with one processor each',
      number(Math.ceil(processors(request.nodeMs, storage.importNodeUs))),
    ],
    ['processors of PostgreSQL', number(ofPostgres)],
    ['records with their indexes, one copy', bytes(recordBytes)],
    ['shards, by processors', number(shardsByProcessors)],
    ['shards, by disk space', number(shardsByRoom)],
    ['database machines, with copies', number(machines)],
    ['write-ahead log of all shards', flow(rows * storage.logBytes)],
    ['from PostgreSQL to the nodes', flow(requests * request.postgresBytes)],
    ['from the nodes to clients, before gzip', flow(requests * request.bodyBytes)],
    ['commands of Redis', rate(requests * request.redisCommands)],
    ['processors of Redis', number(processors(request.redisMs, 0), 1)],
    // An upper bound: every request of a minute comes from another address.
    ['largest memory of Redis', bytes(requests * windowSeconds * storage.sourceBytes)],
  ];
}

export function number(value: number, digits = 0): string {
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', fixed);
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${number(value / 1000 ** power, 1)} ${units[power] ?? ''}`;
}
