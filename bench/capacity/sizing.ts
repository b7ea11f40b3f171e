import type { Costs } from './costs.ts';

/** Assumptions about users and machines, which were not measured. */
export interface Assumptions {
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
export interface Sizing {
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
