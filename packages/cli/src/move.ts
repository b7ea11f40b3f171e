import { existsSync } from 'node:fs';
import { moveDatabase, parseDatabase } from '@coffer/server';
import type { DatabaseConfig, MoveProgress, MoveSummary } from '@coffer/server';
import type { Command } from 'commander';
import { inSeconds } from './backup.ts';
import { Failure, Misuse } from './failure.ts';
import { tellMigration } from './open-database.ts';
import type { Progress } from './pace.ts';
import { count, quote } from './printable.ts';
import { startProgress } from './progress.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface MoveOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: true;
}

const signals = ['SIGINT', 'SIGTERM'] as const;
const stepNames = { copy: 'Copying', compare: 'Comparing' } as const;

/** `coffer move`. */
export function defineMove(command: Command, surroundings: Surroundings): void {
  command
    .description(
      'Move a whole database to an empty one, from SQLite to PostgreSQL or back, while nobody uses either. ' +
        'Every row is compared; the new database is there whole or not at all, and the old one stays as it is.',
    )
    .requiredOption('--from <url>', 'the database: sqlite:PATH or postgres://…')
    .requiredOption('--to <url>', 'an empty database: sqlite:PATH or postgres://…')
    .option('--json', 'print a line of JSON')
    .action((options: MoveOptions) => moveAll(options, surroundings));
}

async function moveAll(options: MoveOptions, surroundings: Surroundings): Promise<void> {
  const from = readEnd('--from', options.from);
  const to = readEnd('--to', options.to);
  if (from.engine === 'sqlite' && !existsSync(from.path))
    throw new Failure(`There is no database ${quote(options.from)}: name the right one by --from`);
  const startedAtMs = performance.now();
  const summary = await withProgress(from, to, surroundings);
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  const isJson = options.json === true;
  writeLine(surroundings.stdout, isJson ? json(summary, elapsedMs) : sentence(summary, elapsedMs));
  writeLine(
    surroundings.stderr,
    'The old database is as it was: start servers on the new one only',
  );
}

/** A URL may carry a password, so it is never said again. */
function readEnd(flag: string, text: string): DatabaseConfig {
  let database: DatabaseConfig;
  try {
    database = parseDatabase(text);
  } catch (error) {
    throw new Misuse(`${flag}: ${(error as Error).message}`);
  }
  if (database.engine === 'postgres' || database.path !== ':memory:') return database;
  throw new Misuse(`${flag}: A database in memory ends with the command: name a file`);
}

async function withProgress(
  from: DatabaseConfig,
  to: DatabaseConfig,
  surroundings: Surroundings,
): Promise<MoveSummary> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Failure('Stopped: nothing was moved'));
  let progress: Progress | null = null;
  let shown: MoveProgress['step'] | null = null;
  const show = async ({ step, done, total }: MoveProgress): Promise<void> => {
    if (step !== shown) {
      progress?.stop();
      progress = await startProgress({ name: stepNames[step], unit: 'rows', total }, surroundings);
      shown = step;
    }
    progress?.update(done);
  };
  // Whoever is told twice is let go at once by the system: the same signal is not caught again.
  for (const signal of signals) process.once(signal, stop);
  try {
    return await moveDatabase(from, to, {
      onMigration: (migration) => tellMigration(migration, surroundings),
      onProgress: show,
      signal: stopping.signal,
    });
  } finally {
    for (const signal of signals) process.off(signal, stop);
    (progress as Progress | null)?.stop();
  }
}

function json({ books, transactions, rows }: MoveSummary, elapsedMs: number): string {
  return JSON.stringify({ books, transactions, rows, elapsed_ms: elapsedMs });
}

function sentence({ books, transactions, rows }: MoveSummary, elapsedMs: number): string {
  const holds = `${count(books, 'book')} with ${count(transactions, 'transaction')}`;
  return `Moved ${holds}: ${count(rows, 'row')}, each compared, in ${inSeconds(elapsedMs)}`;
}
