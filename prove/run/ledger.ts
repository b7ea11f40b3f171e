import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { importEntries, type Engine } from '../../packages/server/src/main.ts';
import type { ImportEntry, ImportSummary } from '../../packages/server/src/imports/entry.ts';
import { startImport, type ImportProcess } from './coffer.ts';

/** The batches in a database, each with the number of its rows. */
export type Batches = ReadonlyMap<number, number>;

/** The number of damaged batches in a database. */
export interface Losses {
  /** Acknowledged batches without any row. */
  readonly lost: number;
  /** Batches with fewer rows than were sent, or with more. */
  readonly half: number;
}

/** Records which batches were sent and which were acknowledged. A batch is a group of rows written in one import. */
export class Ledger {
  readonly #rowCounts = new Map<number, number>();
  readonly #acknowledged = new Set<number>();

  /** Records a batch that is about to be sent, and returns its number: 1 for the first. */
  send(rowCount: number): number {
    const batch = this.#rowCounts.size + 1;
    this.#rowCounts.set(batch, rowCount);
    return batch;
  }

  /** Records that the sender got an acknowledgement of the batch. */
  acknowledge(batch: number): void {
    if (!this.#rowCounts.has(batch)) throw new Error(`Batch ${batch} was never sent`);
    this.#acknowledged.add(batch);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Compares the batches of a database with those that were sent. */
  compare(found: Batches): Losses {
    let lost = 0;
    let half = 0;
    for (const [batch, rowCount] of this.#rowCounts) {
      const rows = found.get(batch) ?? 0;
      if (rows === 0 && this.#acknowledged.has(batch)) lost += 1;
      if (rows !== 0 && rows !== rowCount) half += 1;
    }
    return { lost, half };
  }

  /** Counts the stored batches that were not acknowledged. */
  unacknowledged(found: Batches): number {
    return [...found.keys()].filter((batch) => !this.#acknowledged.has(batch)).length;
  }
}

/** Returns the payee that marks the rows of a batch. */
export function payeeOf(batch: number): string {
  return `Batch ${batch}`;
}

/** Returns the batch that a payee marks, or undefined for any other payee. */
export function batchOf(payee: string): number | undefined {
  const digits = /^Batch (\d+)$/.exec(payee)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns an entry with its optional fields empty. */
export function entryOf(
  entry: Pick<ImportEntry, 'line' | 'date' | 'amount' | 'payee'> & Partial<ImportEntry>,
): ImportEntry {
  const none = { notes: null, category: null, account: null, externalId: null };
  return { currency: null, ...none, ...entry };
}

/** Imports entries into a book. Those without an account go into `defaultAccount`. */
export function importInto(
  engine: Engine,
  bookId: number,
  entries: readonly ImportEntry[],
  {
    defaultAccount = null,
    dryRun = false,
  }: { defaultAccount?: string | null; dryRun?: boolean } = {},
): Promise<ImportSummary> {
  return importEntries(engine, bookId, { entries: () => entries, defaultAccount, dryRun });
}

/**
 * Writes a statement with one batch. Its rows are spread over two accounts and twelve months, so that one import
 * writes to many pages.
 */
export function writeStatement(folder: string, batch: number, rowCount: number): string {
  const path = join(folder, `batch-${batch}.csv`);
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const month = String(1 + (index % 12)).padStart(2, '0');
    return `2024-${month}-15,${payeeOf(batch)},-${index + 1}.00,${index % 2 === 0 ? 'Cash' : 'Bank'}`;
  });
  writeFileSync(path, `Date,Payee,Amount,Account\n${rows.join('\n')}\n`);
  return path;
}

/** The content of a database file, read without the service. */
export interface Found {
  /** The output of `integrity_check` and `foreign_key_check`; empty when they find nothing. */
  readonly faults: readonly string[];
  readonly batches: Batches;
}

/** Opens a database file, which applies its write-ahead log, and reads all of it. */
export function inspect(path: string): Found {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true });
    return { faults: faultsOf(database), batches: batchesOf(database) };
  } catch (error) {
    return { faults: [(error as Error).message], batches: new Map() };
  } finally {
    database?.close();
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

function batchesOf(database: Database.Database): Batches {
  const rows = database
    .prepare<[], { payee: string; rows: number }>(
      'SELECT payee, count(*) AS rows FROM transactions GROUP BY payee',
    )
    .all();
  const batches = new Map<number, number>();
  for (const { payee, rows: count } of rows) {
    const batch = batchOf(payee);
    if (batch !== undefined) batches.set(batch, count);
  }
  return batches;
}

/** An import of batches, one file for each. */
export interface BatchImport {
  readonly folder: string;
  readonly database: string;
  readonly email: string;
  /** The number of rows of each batch. */
  readonly rowCounts: readonly number[];
  readonly runner?: readonly string[];
}

/** A running import of batches. */
export interface RunningBatches extends ImportProcess {
  /** Resolves when everything is imported or the process was killed; rejects when it ended with an error. */
  readonly done: Promise<void>;
  /** Resolves when the first batch is acknowledged, or with {@link done}. */
  readonly begun: Promise<unknown>;
}

/** Starts an import, and records in the ledger what it sends and what is acknowledged. */
export function importBatches(
  ledger: Ledger,
  { folder, rowCounts, ...job }: BatchImport,
): RunningBatches {
  const batches = rowCounts.map((rowCount) => ({ batch: ledger.send(rowCount), rowCount }));
  const first = Promise.withResolvers<undefined>();
  const { kill, ended } = startImport({
    ...job,
    files: batches.map(({ batch, rowCount }) => writeStatement(folder, batch, rowCount)),
    onImported: (index) => {
      ledger.acknowledge(batches[index]!.batch);
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
