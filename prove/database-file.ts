import Database from 'better-sqlite3';
import { batchOf } from './batches.ts';
import type { Batches } from './ledger.ts';

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
