import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { importEntries, type Engine } from '../../packages/server/src/main.ts';
import type { ImportEntry, ImportSummary } from '../../packages/server/src/imports/entry.ts';
import { startImport, type ImportProcess } from './coffer.ts';

/** What a database holds of a ledger: for each batch the number of its rows. */
export type Batches = ReadonlyMap<number, number>;

/** What is wrong with a database, counted. */
export interface Losses {
  /** Acknowledged batches of which no row is there. */
  readonly lost: number;
  /** Batches of which some rows are there and some are not, or more than there should be. */
  readonly half: number;
}

/** Which batches were sent, and which of them were acknowledged. A batch is some rows that are written at once. */
export class Ledger {
  readonly #rowCounts = new Map<number, number>();
  readonly #acknowledged = new Set<number>();

  /** Notes a batch that is about to be sent, and returns its number: 1 for the first. */
  send(rowCount: number): number {
    const batch = this.#rowCounts.size + 1;
    this.#rowCounts.set(batch, rowCount);
    return batch;
  }

  /** Notes that whoever sent the batch was told that it is stored. */
  acknowledge(batch: number): void {
    if (!this.#rowCounts.has(batch)) throw new Error(`Batch ${batch} was never sent`);
    this.#acknowledged.add(batch);
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Holds what a database has against what was sent. */
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

  /** The batches that are there although nobody was told so. */
  unacknowledged(found: Batches): number {
    return [...found.keys()].filter((batch) => !this.#acknowledged.has(batch)).length;
  }
}

/** The rows of a batch are told by their payee. */
export function payeeOf(batch: number): string {
  return `Batch ${batch}`;
}

/** The batch that a payee tells of, or undefined when it is none of ours. */
export function batchOf(payee: string): number | undefined {
  const digits = /^Batch (\d+)$/.exec(payee)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** An entry of a statement that says no more than it must. */
export function entryOf(
  entry: Pick<ImportEntry, 'line' | 'date' | 'amount' | 'payee'> & Partial<ImportEntry>,
): ImportEntry {
  const none = { notes: null, category: null, account: null, externalId: null };
  return { currency: null, ...none, ...entry };
}

/** Imports entries into a book, into the account of that name unless they name one. */
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
 * Writes a statement that is one batch. Its rows are spread over two accounts and some months, so that one import
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

/** A look into a database file that the service does not know of. */
export interface Found {
  /** What `integrity_check` and `foreign_key_check` have to say; empty when they find nothing. */
  readonly faults: readonly string[];
  readonly batches: Batches;
}

/** Opens a database file as it lies there, which folds in what its log has, and looks at all of it. */
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

/** An import of batches, a file for each. */
export interface BatchImport {
  readonly folder: string;
  readonly database: string;
  readonly email: string;
  /** The number of rows of each batch. */
  readonly rowCounts: readonly number[];
  readonly runner?: readonly string[];
}

/** An import of batches that is running. */
export interface RunningBatches extends ImportProcess {
  /** Resolves when all is imported, or when it was killed; rejects when it ended otherwise. */
  readonly done: Promise<void>;
  /** Resolves when the first batch is acknowledged, or with {@link done}. */
  readonly begun: Promise<unknown>;
}

/** Starts an import, and notes in the ledger what it sends and what is acknowledged. */
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
  // Who waits for neither of them looks at `ended`.
  for (const each of [done, begun]) each.catch(() => undefined);
  return { kill, ended, done, begun };
}
