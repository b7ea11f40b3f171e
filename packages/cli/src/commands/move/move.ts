import { existsSync } from 'node:fs';
import { copyFiles } from '@coffer/server/src/files/content.ts';
import { filesInDatabase } from '@coffer/server/src/maintenance/backup-files.ts';
import { parseDatabase, type DatabaseConfig } from '@coffer/server/src/config.ts';
import { settings } from '@coffer/server/src/settings.ts';
import { move } from '@coffer/server/src/maintenance/move/move.ts';
import type { Migration } from '@coffer/server/src/maintenance/open-sqlite.ts';
import { readSetting } from '../environment.ts';
import { untilStopped } from '../../terminal/stop-signals.ts';
import type { MoveProgress, MoveSummary } from '@coffer/server/src/maintenance/move/move.ts';
import type { Command } from 'commander';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { openFilesOf, refuseLost, reportMigration } from '../database.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { count, inSeconds, quote, stopwatch } from '../../terminal/format.ts';
import { startProgress, type Progress } from '../../terminal/progress.ts';

interface MoveOptions extends JsonOption {
  readonly from: string;
  readonly to: string;
}

const stepNames = { copy: 'Copying', compare: 'Comparing' } as const;

/** `coffer move`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Copy a whole database to an empty one, from SQLite to PostgreSQL or back, completely or not at all. ' +
        'Compares every row. Neither database may be in use, and the old one is not changed.',
    )
    .requiredOption('--from <url>', 'the old database: sqlite:PATH or postgres://…')
    .requiredOption('--to <url>', 'the new, empty database: sqlite:PATH or postgres://…')
    .option('--json', 'print a line of JSON')
    .action((options: MoveOptions) => moveAll(options, context));
}

async function moveAll(options: MoveOptions, context: CommandContext): Promise<void> {
  const from = readEnd('--from', options.from);
  const to = readEnd('--to', options.to);
  if (from.engine === 'sqlite' && !existsSync(from.path))
    throw new Failure(`There is no database ${quote(options.from)}. Name another one with --from`);
  const elapsed = stopwatch();
  const { books, transactions, rows } = await withProgress(from, to, context);
  const elapsedMs = elapsed();
  const record = { books, transactions, rows, elapsed_ms: elapsedMs };
  const moved = `Moved ${count(books, 'book')} with ${count(transactions, 'transaction')}`;
  const sentence = `${moved}: ${count(rows, 'row')}, each compared, in ${inSeconds(elapsedMs)}`;
  writeResult(context, options, record, sentence);
  writeLine(context.stderr, 'The old database was not changed. Start servers only on the new one');
  await moveAttached(from, to, context);
}

/**
 * Copies the attached files of a database in a file to the folder of another one. FILES_URL names one place for both. A
 * server has no place without it, so nobody knows where its files are.
 */
async function moveAttached(
  from: DatabaseConfig,
  to: DatabaseConfig,
  context: CommandContext,
): Promise<void> {
  const file = from.engine === 'sqlite' ? from : to;
  if (file.engine !== 'sqlite' || (context.environment[settings.files.variable] ?? '') !== '')
    return;
  const files = filesInDatabase(file.path);
  if (files.length === 0) return;
  const [old, next] = await Promise.all([from, to].map((end) => openFilesOf({}, end, context)));
  if (from.engine === to.engine)
    refuseLost(await copyFiles(files, old!.store, next!.store), `in ${old!.name}`, lostInMove);
  else
    writeLine(
      context.stderr,
      `Its ${count(files.length, 'attached file')} stay ${placeOf(from, old!.name)}: ` +
        'start the new servers with --files and that folder, or with a copy of it',
    );
}

function placeOf({ engine }: DatabaseConfig, name: string): string {
  return engine === 'sqlite' ? `in ${name}` : 'where the servers have them';
}

const lostInMove = 'The database is moved, except for';

/** A URL may contain a password, so no message quotes it. */
function readEnd(flag: string, text: string): DatabaseConfig {
  const database = readSetting(flag, text, parseDatabase);
  if (database.engine === 'postgres' || database.path !== ':memory:') return database;
  throw new Misuse(`${flag}: A database in memory ends with the command. Name a file`);
}

async function withProgress(
  from: DatabaseConfig,
  to: DatabaseConfig,
  context: CommandContext,
): Promise<MoveSummary> {
  let progress: Progress | null = null;
  let shown: MoveProgress['step'] | null = null;
  const show = async ({ step, done, total }: MoveProgress): Promise<void> => {
    if (step !== shown) {
      progress?.stop();
      progress = await startProgress({ name: stepNames[step], unit: 'rows', total }, context);
      shown = step;
    }
    progress?.update(done);
  };
  const onMigration = (migration: Migration): void => reportMigration(migration, context);
  return untilStopped('Stopped: nothing was moved', (signal) =>
    move(from, to, { onMigration, onProgress: show, signal }),
  ).finally(() => progress?.stop());
}
