import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { exportBook } from '../../packages/server/src/exports/lists/export.ts';
import { exportedTransactions } from '../../packages/server/src/exports/lists/testing/exported.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import {
  cofferProgram,
  startRunning,
  whose,
  type Running,
  coffer,
} from '../../test/service/coffer.ts';
import { databaseUrl } from '../../test/service/owners.ts';
import { counted } from './check.ts';

export type Batches = ReadonlyMap<number, number>;

export interface Losses {
  /** Acknowledged writes that are not there. */
  readonly lost: number;
  /** Writes that are there in part, or more than once. */
  readonly half: number;
  /** Writes that are there without an acknowledgement. */
  readonly unacknowledged: number;
}

export function sumOfLosses(...all: readonly Losses[]): Losses {
  const sum = (of: (losses: Losses) => number): number =>
    all.reduce((total, losses) => total + of(losses), 0);
  return {
    lost: sum(({ lost }) => lost),
    half: sum(({ half }) => half),
    unacknowledged: sum(({ unacknowledged }) => unacknowledged),
  };
}

/** Returns a problem for each kind of loss; what has no acknowledgement is one if `isStrict`. */
export function lossProblems(
  { lost, half, unacknowledged }: Losses,
  what = 'writes',
  isStrict = false,
): string[] {
  return [
    ...counted(lost, `acknowledged ${what} are lost`),
    ...counted(half, `${what} are partial`),
    ...counted(isStrict ? unacknowledged : 0, `refused ${what} are stored`),
  ];
}

export async function doctorProblems(database: string): Promise<string[]> {
  const { code, stdout, stderr } = await coffer('doctor', '--database', databaseUrl(database));
  return code === 0 ? [] : [`the doctor reports: ${stdout}${stderr}`];
}

/** Records which batches were sent and which were acknowledged. A batch is a group of rows written in one import. */
export class Ledger {
  readonly sent = new Map<number, number>();
  readonly #acknowledged = new Set<number>();

  send(rowCount: number): number {
    const batch = this.sent.size + 1;
    this.sent.set(batch, rowCount);
    return batch;
  }

  acknowledge(batch: number): void {
    if (!this.sent.has(batch)) throw new Error(`Batch ${batch} was never sent`);
    this.#acknowledged.add(batch);
  }

  get acknowledged(): ReadonlySet<number> {
    return this.#acknowledged;
  }

  compare(found: Batches, acknowledged = this.acknowledged): Losses {
    return {
      lost: [...acknowledged].filter((batch) => !found.has(batch)).length,
      half: [...found].filter(([batch, rows]) => this.sent.get(batch) !== rows).length,
      unacknowledged: [...found.keys()].filter((batch) => !acknowledged.has(batch)).length,
    };
  }
}

export function payeeOf(batch: number): string {
  return `Batch ${batch}`;
}

export function batchOf(payee: string): number | undefined {
  const digits = /^Batch (\d+)$/.exec(payee)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Writes a statement with one batch. */
export function writeStatement(folder: string, batch: number, rowCount: number): string {
  const path = join(folder, `batch-${batch}.csv`);
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const month = String(1 + (index % 12)).padStart(2, '0');
    return `2024-${month}-15,${payeeOf(batch)},-${index + 1}.00,${index % 2 === 0 ? 'Cash' : 'Bank'}`;
  });
  writeFileSync(path, `Date,Payee,Amount,Account\n${rows.join('\n')}\n`);
  return path;
}

/** Opens a database file without the service, and closes it after `work`. */
export function readFile<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path, { fileMustExist: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export interface Found {
  /** The output of `integrity_check` and `foreign_key_check`; empty when they find nothing. */
  readonly faults: readonly string[];
  readonly batches: Batches;
}

/** Opens a database file, which applies its write-ahead log, and reads all of it. */
export function inspect(path: string): Found {
  try {
    return readFile(path, (database) => ({
      faults: faultsOf(database),
      batches: countBatches(
        database.prepare<[], { payee: string }>('SELECT payee FROM transactions').iterate(),
      ),
    }));
  } catch (error) {
    return { faults: [(error as Error).message], batches: new Map() };
  }
}

function faultsOf(database: Database.Database): string[] {
  const damage = database.prepare<[], string>('PRAGMA integrity_check').pluck().all();
  const dangling = database.prepare('PRAGMA foreign_key_check').all();
  return [
    ...damage.filter((line) => line !== 'ok'),
    ...dangling.map((row) => `foreign key: ${JSON.stringify(row)}`),
  ];
}

function countBatches(rows: Iterable<{ readonly payee: string }>): Batches {
  const batches = new Map<number, number>();
  for (const { payee } of rows) {
    const batch = batchOf(payee);
    if (batch !== undefined) batches.set(batch, (batches.get(batch) ?? 0) + 1);
  }
  return batches;
}

export async function batchesIn(store: Engine, bookId: number): Promise<Batches> {
  return countBatches(await exportedTransactions(await exportBook(store, bookId)));
}

export interface BatchImport {
  readonly folder: string;
  readonly database: string;
  readonly email: string;
  readonly batches: readonly number[];
  /** A program that runs the command, such as `strace` with its arguments. */
  readonly runner?: readonly string[];
}

export interface RunningBatches extends Running {
  /** Resolves when everything is imported or the process was killed; rejects when it ended with an error. */
  readonly done: Promise<void>;
  /** Resolves when the first batch is acknowledged, or with {@link done}. */
  readonly begun: Promise<unknown>;
}

/** Starts `coffer import`, and records what is acknowledged. Each file is imported completely or not at all. */
export function importBatches(
  ledger: Ledger,
  { folder, database, batches, runner = [], ...owner }: BatchImport,
): RunningBatches {
  const files = batches.map((batch) => writeStatement(folder, batch, ledger.sent.get(batch)!));
  const left = [...batches];
  const first = Promise.withResolvers<undefined>();
  const args = ['import', '--json', ...whose(owner, database), ...files];
  const { kill, ended } = startRunning([...runner, ...cofferProgram, ...args], {
    onLine: (line) => {
      if (!line.startsWith('{"import_id":')) return;
      ledger.acknowledge(left.shift()!);
      first.resolve(undefined);
    },
  });
  const done = ended.then(({ code, stderr }) => {
    if (code !== 'SIGKILL' && code !== 0)
      throw new Error(`The import ended with ${code}: ${stderr}`);
  });
  const begun = Promise.race([first.promise, done]);
  // A caller that waits for neither of them checks `ended`.
  for (const each of [done, begun]) each.catch(() => undefined);
  return { kill, ended, done, begun };
}
