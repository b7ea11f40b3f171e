import { basename } from 'node:path';
import { printable } from '@coffer/core/text';
import { importEntries } from '@coffer/server';
import type { Engine } from '@coffer/server';
import { readStatement } from '@coffer/statements';
import type { Entry, Statement } from '@coffer/statements';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../../book.ts';
import { writeLine, writeResult } from '../../context.ts';
import type { CommandContext } from '../../context.ts';
import { count, quote } from '../../terminal/format.ts';
import { startProgress } from '../../terminal/progress.ts';
import { planAccounts, readAccountNames } from './accounts.ts';
import { addStatementOptions, readStatementOptions } from './options.ts';
import type { ImportOptions } from './options.ts';
import { refusal, summaryRecord, summaryText, warningLines } from './report.ts';
import { checkStatementFile, hashFile, openStatementFile } from './statement-file.ts';
import type { StatementFile } from './statement-file.ts';

/** The book and the options of one run. */
interface Import {
  readonly database: Engine;
  readonly bookId: number;
  readonly options: ImportOptions;
  readonly context: CommandContext;
}

/** `coffer import`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Import bank statements into a book. Each file is imported completely or not at all. Rows that the book ' +
        'already has are skipped, so importing a file again adds nothing.',
    )
    .argument(
      '<file...>',
      'statements in any supported format, plain or compressed with gzip or ZIP',
    )
    .option(
      '--account <name>',
      'account for rows without one, or NUMBER=NAME for one account of the file; created if it is missing',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .addOption(
      command
        .createOption(
          '--on-doubt <choice>',
          'whether rows that the book may have already are imported',
        )
        .choices(['keep', 'skip'])
        .default('keep'),
    )
    .option('--dry-run', 'show what would be imported, without changes')
    .option('--json', 'print the summary of each file as a line of JSON');
  addStatementOptions(command);
  addBookOptions(command).action((files: string[], options: ImportOptions) =>
    importFiles(files, options, context),
  );
}

async function importFiles(
  files: readonly string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<void> {
  readStatementOptions(options);
  readAccountNames(options.account);
  // Reports a misspelt name before the first file is imported.
  for (const file of files) checkStatementFile(file);
  await withBook(options, context, async (database, { id: bookId }) => {
    for (const [index, file] of files.entries()) {
      try {
        await importFile(file, { database, bookId, options, context });
      } catch (error) {
        throw refusal(error, files, index, options.dryRun === true);
      }
    }
  });
}

async function importFile(path: string, job: Import): Promise<void> {
  const file = await openStatementFile(path, job.context);
  try {
    await importContent(path, file, job);
  } finally {
    file.close();
  }
}

async function importContent(path: string, file: StatementFile, job: Import): Promise<void> {
  const { database, bookId, options, context } = job;
  const statement = await examine(path, file, job);
  const accounts = planAccounts(path, statement, readAccountNames(options.account));
  const progress = await startProgress(
    { name: `Importing ${printable(path)}`, unit: 'rows', total: statement.entryCount },
    context,
  );
  const isDryRun = options.dryRun === true;
  const tally = { withoutAccount: 0 };
  const summary = await importEntries(database, bookId, {
    entries: () => counted(statement.entries(), tally),
    defaultAccount: accounts.defaultAccount,
    accounts: accounts.accounts,
    format: statement.format,
    onDoubt: options.onDoubt ?? 'keep',
    file: { name: basename(path), hash: hashFile(path) },
    leftOut: statement.leftOut.reduce((sum, each) => sum + each.count, 0),
    dryRun: isDryRun,
    onProgress: (read) => progress.update(read),
  }).finally(() => progress.stop());
  const isUnnamed = accounts.defaultAccount === null;
  hintAtAccounts(path, isUnnamed ? tally.withoutAccount : 0, context);
  const { leftOut } = statement;
  // The record has them, too.
  if (options.json !== true)
    for (const line of warningLines(path, statement)) writeLine(context.stderr, line);
  const text = summaryText(path, summary, leftOut, isDryRun);
  writeResult(context, options, summaryRecord(summary, statement), text);
}

/** Reads the whole file before anything is written. */
async function examine(
  path: string,
  file: StatementFile,
  { options, context }: Import,
): Promise<Statement> {
  const progress = await startProgress(
    { name: `Reading ${printable(path)}`, unit: 'bytes', total: file.bytes },
    context,
  );
  try {
    const source = file.source((bytes) => progress.update(bytes));
    return readStatement(source, readStatementOptions(options));
  } finally {
    progress.stop();
  }
}

/** Counts the entries without an account. */
function* counted(entries: Iterable<Entry>, tally: { withoutAccount: number }): Generator<Entry> {
  tally.withoutAccount = 0;
  for (const entry of entries) {
    if (entry.account === null) tally.withoutAccount += 1;
    yield entry;
  }
}

function hintAtAccounts(file: string, entries: number, { stderr }: CommandContext): void {
  if (entries === 0) return;
  const subject = `${count(entries, 'row')} of ${quote(file)} ${entries === 1 ? 'has' : 'have'} no account`;
  writeLine(stderr, `${subject}. Use --account NAME to import such rows into an account`);
}
