import { statSync } from 'node:fs';
import { restoreDatabase } from '@coffer/server';
import type { RestoreSummary, SqliteConfig } from '@coffer/server';
import type { Command } from 'commander';
import { inSeconds, inUnits } from './backup.ts';
import { Failure } from './failure.ts';
import { addDatabaseOption, asFile, readDatabase } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { count, quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface RestoreOptions extends DatabaseOptions {
  readonly replace?: true;
  readonly json?: true;
}

/** `coffer restore`. */
export function defineRestore(command: Command, surroundings: Surroundings): void {
  command
    .description(
      'Check a backup and put its database in its place, while nobody uses that. ' +
        'It is there whole or not at all.',
    )
    .argument('<file>', 'backup to restore')
    .option('--replace', 'set a database that is there aside, under a name with the time')
    .option('--json', 'print a line of JSON');
  addDatabaseOption(command).action((file: string, options: RestoreOptions) =>
    restoreFrom(file, options, surroundings),
  );
}

async function restoreFrom(
  file: string,
  options: RestoreOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { text, database: named } = readDatabase(options, surroundings);
  const database = asFile(named);
  if (database.path === ':memory:') {
    throw new Failure('A database in memory ends with the command: name a file by --database');
  }
  checkFile(file);
  const startedAtMs = performance.now();
  const isReplacing = options.replace === true;
  const summary = await restoreDatabase(file, database, {
    replace: isReplacing,
    now: surroundings.now(),
  }).catch((error: unknown) => {
    throw refusal(error, file, text);
  });
  const elapsedMs = Math.round(performance.now() - startedAtMs);
  const isJson = options.json === true;
  const said = isJson ? json(database, summary, elapsedMs) : sentences(text, summary, elapsedMs);
  writeLine(surroundings.stdout, said);
}

function checkFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Failure(`There is no file ${quote(file)}`);
  if (!stats.isFile()) throw new Failure(`Cannot restore ${quote(file)}: it is no regular file`);
}

/** What the server's errors mean here; others stay as they are. */
function refusal(error: unknown, file: string, database: string): unknown {
  if (!(error instanceof Error)) return error;
  switch (error.name) {
    case 'UnsoundFileError':
      return new Failure(`Cannot restore ${quote(file)}: it ${error.message}`);
    case 'NewerDatabaseError':
      return new Failure(`Cannot restore ${quote(file)}: ${error.message}`);
    case 'DatabaseExistsError':
      return new Failure(
        `There is a database ${quote(database)} already: --replace sets it aside, or --database names another place`,
      );
    default:
      return error;
  }
}

function json({ path }: SqliteConfig, summary: RestoreSummary, elapsedMs: number): string {
  return JSON.stringify({
    database: path,
    bytes: summary.bytes,
    transactions: summary.transactions,
    schema_version: summary.schemaVersion,
    has_checksum: summary.hasChecksum,
    set_aside: summary.setAside,
    elapsed_ms: elapsedMs,
  });
}

function sentences(database: string, summary: RestoreSummary, elapsedMs: number): string {
  const { transactions, schemaVersion, bytes, setAside } = summary;
  const holds = `${count(transactions, 'transaction')} at schema version ${schemaVersion}`;
  const lines = [
    `${quote(database)} holds ${holds}: ${inUnits(bytes)}, checked, in ${inSeconds(elapsedMs)}`,
  ];
  if (!summary.hasChecksum) lines.push('The file had no checksum: only its form could be checked');
  if (setAside !== null) lines.push(`What was there before is ${quote(setAside)}`);
  return lines.join('\n');
}
