import type { Store } from '@coffer/server';
import { readStatement } from '@coffer/statements';
import type { Entry, Statement } from '@coffer/statements';
import type { Command } from 'commander';
import { explain, Failure } from './failure.ts';
import { addBookOptions, findBook } from './find-book.ts';
import { planAccounts, readAccountNames } from './import-accounts.ts';
import type { AccountPlan } from './import-accounts.ts';
import { addStatementOptions, readStatementOptions } from './import-options.ts';
import type { ImportOptions } from './import-options.ts';
import { summaryJson, summaryText } from './import-summary.ts';
import { addDatabaseOption, withExistingStore } from './open-database.ts';
import { count, printable, quote } from './printable.ts';
import { problemLines } from './problem-lines.ts';
import { startProgress } from './progress.ts';
import { checkStatementFile, statementFile } from './statement-file.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** Where the files of one call go, and what was said about them. */
interface Import {
  readonly store: Store;
  readonly bookId: number;
  readonly options: ImportOptions;
  readonly surroundings: Surroundings;
}

/** `coffer import`. */
export function defineImport(command: Command, surroundings: Surroundings): void {
  command
    .description(
      'Import bank statements into a book. A file is imported whole or not at all; rows that the book has ' +
        'already are skipped, so that the same file twice adds nothing.',
    )
    .argument('<file...>', 'CSV, OFX and QFX files, plain or packed by gzip')
    .option(
      '--account <name>',
      'account of the rows that name none, or NUMBER=NAME for one account of many; made when it is missing',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .option('--dry-run', 'change nothing, only say what would be')
    .option('--json', 'print the summary of each file as a line of JSON');
  addBookOptions(command);
  addStatementOptions(command);
  addDatabaseOption(command).action((files: string[], options: ImportOptions) =>
    importFiles(files, options, surroundings),
  );
}

async function importFiles(
  files: readonly string[],
  options: ImportOptions,
  surroundings: Surroundings,
): Promise<void> {
  readStatementOptions(options);
  readAccountNames(options.account);
  // A misspelt name is told before the first file is in.
  for (const file of files) checkStatementFile(file);
  await withExistingStore(options, surroundings, async (store) => {
    const { id: bookId } = await findBook(store, options);
    for (const [index, file] of files.entries()) {
      try {
        await importFile(file, { store, bookId, options, surroundings });
      } catch (error) {
        throw refusal(error, files, index, options.dryRun === true);
      }
    }
  });
}

async function importFile(file: string, job: Import): Promise<void> {
  const { store, bookId, options, surroundings } = job;
  const statement = await examine(file, job);
  const accounts = planAccounts(file, statement, readAccountNames(options.account));
  const progress = await startProgress(
    { name: `Importing ${printable(file)}`, unit: 'rows', total: statement.entryCount },
    surroundings,
  );
  const isDryRun = options.dryRun === true;
  const tally = { withoutAccount: 0 };
  const summary = await store
    .importEntries(bookId, {
      entries: () => placed(statement.entries(), accounts, tally),
      defaultAccount: accounts.defaultAccount,
      nowIso: surroundings.now().toISOString(),
      dryRun: isDryRun,
      onProgress: (read) => progress.update(read),
    })
    .finally(() => progress.stop());
  const isUnnamed = accounts.defaultAccount === null;
  hintAtAccounts(file, isUnnamed ? tally.withoutAccount : 0, surroundings);
  const { leftOut } = statement;
  const text =
    options.json === true
      ? summaryJson(summary, leftOut)
      : summaryText(file, summary, leftOut, isDryRun);
  writeLine(surroundings.stdout, text);
}

/** Reads a file from end to end, before anything is written. */
async function examine(file: string, { options, surroundings }: Import): Promise<Statement> {
  const total = checkStatementFile(file);
  const progress = await startProgress(
    { name: `Reading ${printable(file)}`, unit: 'bytes', total },
    surroundings,
  );
  const source = statementFile(file, (bytes) => progress.update(bytes));
  try {
    return readStatement(source, readStatementOptions(options));
  } finally {
    progress.stop();
  }
}

/** Puts entries where they go, and counts on the way those that name no account. */
function* placed(
  entries: Iterable<Entry>,
  accounts: AccountPlan,
  tally: { withoutAccount: number },
): Generator<Entry> {
  tally.withoutAccount = 0;
  for (const entry of entries) {
    if (entry.account === null) tally.withoutAccount += 1;
    else entry.account = accounts.rename(entry.account);
    yield entry;
  }
}

function hintAtAccounts(file: string, entries: number, { stderr }: Surroundings): void {
  if (entries === 0) return;
  const subject = `${count(entries, 'row')} of ${quote(file)} ${entries === 1 ? 'names' : 'name'} no account`;
  writeLine(stderr, `${subject}: --account NAME would put what names none into one`);
}

/** What to say about a file that was not imported, and about those before and after it. */
function refusal(
  error: unknown,
  files: readonly string[],
  index: number,
  isDryRun: boolean,
): unknown {
  const file = files[index] ?? '';
  const known = explain(error);
  const lines = problemLines(file, error) ?? (known === null ? null : [known.message]);
  if (lines === null) return error;
  const would = isDryRun ? 'would be' : 'is';
  lines.push(
    mayBeStored(error)
      ? `Import ${quote(file)} again: if it is in the book, its rows are skipped`
      : `Nothing of ${quote(file)} ${would} imported`,
  );
  const before = files.slice(0, index).map(quote);
  const after = files.slice(index + 1).map(quote);
  if (before.length > 0)
    lines.push(`What stands before it ${would} imported: ${before.join(', ')}`);
  if (after.length > 0) lines.push(`What stands behind it was not read: ${after.join(', ')}`);
  return new Failure(lines.join('\n'));
}

/** The connection to the database broke while all of the file was being committed. */
function mayBeStored(error: unknown): boolean {
  return (Object(error) as { mayBeStored?: unknown }).mayBeStored === true;
}
