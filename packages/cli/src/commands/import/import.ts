import {
  forgetImportSettings,
  saveImportSettings,
  isEmpty,
  settingsToSave,
  usedSettings,
} from '@coffer/server/src/imports/memory.ts';
import type { ImportSettings } from '@coffer/server/src/imports/memory.ts';
import { basename } from 'node:path';
import { printable } from '@coffer/core/text';
import { commitFile, compareFile, summaryOf } from '@coffer/server/src/imports/commit.ts';
import { namesAccounts } from '@coffer/server/src/imports/account-plan.ts';
import type { ImportSummary } from '@coffer/server/src/imports/commit.ts';
import type { EntryVerdict } from '@coffer/server/src/imports/entry.ts';
import type { Entry } from '@coffer/statements/src/statement/statement.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook } from '../book.ts';
import { writeLine, writeResult, type CommandContext } from '../../terminal/context.ts';
import { Misuse, Failure } from '../../terminal/failure.ts';
import { startProgress } from '../../terminal/progress.ts';
import { promptsOf, type Prompts } from '../../terminal/prompts.ts';
import { askAboutDoubtful, columnLines } from './ask.ts';
import {
  accountNamesOf,
  openingBalanceOf,
  addStatementOptions,
  readStatementOptions,
  describeSettings,
  noAmount,
} from './options.ts';
import type { ImportOptions } from './options.ts';
import { Preview, previewLines, previewRecord } from './preview.ts';
import { readClear, hint, chooseAccounts } from './read-file.ts';
import type { Import, ReadFile, ChosenAccounts } from './read-file.ts';
import { checkStatementFile, openStatementFile, type OpenFile } from './statement-file.ts';
import { refusal, summaryRecord, summaryText, warningLines, doubtfulRows } from './report.ts';
import { outlineTable } from '@coffer/statements/src/read-statement.ts';
import { count, quote } from '../../terminal/format.ts';
import { perform } from '../options.ts';
import { parseAmount } from '@coffer/core/money';
import type { ComparedFile } from '@coffer/server/src/imports/compare.ts';
import type { UnstatedAccount } from '@coffer/server/src/imports/statement-balances.ts';

/** `coffer import`. */
export function define(command: Command, context: CommandContext): void {
  command
    .description(
      'Import bank statements into a book. Each file is imported completely or not at all. Rows that the book ' +
        'already has are skipped, so importing a file again adds nothing.',
    )
    .argument(
      '[file...]',
      'statements in any supported format, plain or compressed with gzip or ZIP',
    )
    .option(
      '--account <name>',
      'account for all rows; =NAME for rows without one, NUMBER=NAME for one account of the file; created if missing',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .addOption(
      command
        .createOption(
          '--on-doubt <choice>',
          'whether rows that the book may have already are imported',
        )
        .choices(['ask', 'keep', 'skip'])
        .default('ask'),
    )
    .option(
      '--opening-balance <amount>',
      'what the new account of a file had before its first row, if the file does not state its balance',
    )
    .option('--dry-run', 'show what would be imported, without changes')
    .option('--yes', 'ask nothing, and import a file only if there is nothing to ask')
    .option('--forget', 'forget what is remembered for such files, or without a file for all')
    .option('--json', 'print the summary of each file as a line of JSON');
  addStatementOptions(command);
  perform(addBookOptions(command), context, importFiles);
}

async function importFiles(
  files: readonly string[],
  options: ImportOptions,
  context: CommandContext,
): Promise<void> {
  readStatementOptions(options);
  accountNamesOf(options);
  if (openingBalanceOf(options) !== null && files.length > 1)
    throw new Misuse('--opening-balance is for one file');
  if (files.length === 0 && options.forget !== true) throw new Misuse('Name a file to import');
  // Reports a misspelt name before the first file is imported.
  for (const file of files) checkStatementFile(file);
  const prompts = options.yes === true ? null : promptsOf(context, options);
  await withBook(options, context, async (database, { id: bookId }) => {
    const job: Import = { database, bookId, options, context, prompts };
    if (options.forget === true) return forget(files, job);
    for (const [index, file] of files.entries()) {
      try {
        await importFile(file, job);
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

async function importContent(path: string, file: OpenFile, job: Import): Promise<void> {
  const { options, context } = job;
  const read = await readClear(path, file, job);
  const accounts = await chooseAccounts(path, read, job);
  const { statement } = read;
  const isDryRun = options.dryRun === true;
  const preview = isDryRun ? new Preview() : null;
  const tally = { withoutAccount: 0 };
  const summary = await run(path, file, read, accounts, preview, job, tally);
  if (accounts.isUnchecked === true && tally.withoutAccount > 0)
    writeLine(context.stderr, hint(path, tally.withoutAccount, true));
  if (!isDryRun) await remember(read, accounts.chosen, job);
  // The record has them, too.
  if (options.json !== true)
    for (const line of warningLines(path, statement)) writeLine(context.stderr, line);
  const used = usedMemory(read, accounts.chosen);
  const text = [
    ...(preview === null ? [] : previewLines(path, statement, preview, summary, isRuled(context))),
    summaryText(path, summary, statement, isDryRun),
    ...(used === null ? [] : [memoryLine(path, used)]),
  ];
  const record = {
    ...summaryRecord(summary, statement),
    remembered: used,
    ...(preview !== null && { preview: previewRecord(statement, preview) }),
  };
  writeResult(context, options, record, text.join('\n'));
}

/** Imports a file that is read, or does so without changes for a preview. */
async function run(
  path: string,
  source: OpenFile,
  read: ReadFile,
  { isUnchecked = false, defaultAccount, accountOf, accounts, balances }: ChosenAccounts,
  preview: Preview | null,
  job: Import,
  tally: { withoutAccount: number },
): Promise<ImportSummary> {
  const { database, bookId, options, context, prompts } = job;
  const { statement, chosen, remembered } = read;
  const { entryCount: total } = statement;
  const currency = chosen.currency ?? remembered.currency;
  const plan = {
    ...(currency !== undefined && { currency }),
    entries: () => {
      const entries = counted(statement.entries(), tally);
      return preview?.entries(entries) ?? entries;
    },
    ...(accountOf && { accountOf }),
    defaultAccount,
    accounts,
    balances,
    format: statement.format,
    dryRun: preview !== null,
    ...(options.onDoubt !== 'ask' && { onDoubt: options.onDoubt }),
    keepsEmptyPayees: statement.isOwn,
    file: { name: basename(path), hash: source.hash() },
    leftOut: statement.leftOut.reduce((sum, each) => sum + each.count, 0),
    ...(preview !== null && { onVerdict: (verdict: EntryVerdict) => preview.take(verdict) }),
  };
  const shown = <T>(what: string, work: (onProgress: (read: number) => void) => Promise<T>) =>
    withProgress({ name: `${what} ${printable(path)}`, unit: 'rows', total }, context, work);
  const file = await shown('Comparing', (onProgress) =>
    compareFile(database, bookId, { ...plan, onProgress }),
  );
  try {
    const openings = await openingsFor(path, file, job);
    if (options.yes === true) {
      const withoutAccount = isUnchecked ? tally.withoutAccount : 0;
      refuseOpen({ path, read, withoutAccount, summary: summaryOf(plan, file) }, job);
    }
    if (preview !== null) return summaryOf(plan, file);
    const isAsking = options.onDoubt === 'ask' && prompts !== null && file.doubtful.length > 0;
    const asked = isAsking
      ? { onDoubt: 'keep' as const, choices: await askAboutDoubtful(prompts, file) }
      : {};
    return await shown('Importing', (onProgress) =>
      commitFile(database, bookId, { ...plan, ...asked, openings, onProgress }, file),
    );
  } finally {
    file.entries.close();
  }
}

/** Shows the progress of work, and ends it before anything else is shown. */
async function withProgress<T>(
  what: Parameters<typeof startProgress>[0],
  context: CommandContext,
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const progress = await startProgress(what, context);
  return work((done) => progress.update(done)).finally(() => progress.stop());
}

/** Counts the entries without an account. */
function* counted(entries: Iterable<Entry>, tally: { withoutAccount: number }): Generator<Entry> {
  tally.withoutAccount = 0;
  for (const entry of entries) {
    if (entry.account === null) tally.withoutAccount += 1;
    yield entry;
  }
}

/** Whether tables have lines under their titles: on a terminal. */
function isRuled({ stdout }: CommandContext): boolean {
  return 'isTTY' in stdout && stdout.isTTY === true;
}

/** Remembers what was chosen for the shape of a file that was imported. */
async function remember(
  { shape, statement, remembered, chosen }: ReadFile,
  ofAccounts: ImportSettings,
  { database, bookId }: Import,
): Promise<void> {
  const settings = settingsToSave(namesAccounts(statement), remembered, {
    ...chosen,
    ...ofAccounts,
  });
  if (shape === null || settings === null) return;
  const place = { shape, format: statement.format };
  await database.write(() => saveImportSettings(bookId, place, settings));
}

/** Returns what was remembered and neither a flag nor the user chose otherwise; null if there is nothing. */
function usedMemory(
  { remembered, chosen, statement }: ReadFile,
  ofAccounts: ImportSettings,
): ImportSettings | null {
  const used = usedSettings(namesAccounts(statement), remembered, { ...chosen, ...ofAccounts });
  return isEmpty(used) ? null : used;
}

/** Returns the line about remembered settings. */
function memoryLine(file: string, used: ImportSettings): string {
  const forget = `coffer import --forget ${printable(file)}`;
  return `Remembered: ${describeSettings(used)}. To forget it: ${forget}`;
}

/** Forgets what is remembered for the shapes of files, or for all shapes if there are no files. */
async function forget(files: readonly string[], job: Import): Promise<void> {
  let forgotten = 0;
  const shapes = files.length === 0 ? [null] : await shapesOf(files, job);
  for (const shape of shapes)
    forgotten += await job.database.write(() => forgetImportSettings(job.bookId, shape));
  const what = count(forgotten, 'kind of file', 'kinds of files');
  const text = forgotten === 0 ? 'Nothing was remembered' : `Forgotten: the settings of ${what}`;
  writeResult(job.context, job.options, { forgotten }, text);
}

async function shapesOf(files: readonly string[], { context, options }: Import): Promise<string[]> {
  const shapes = new Set<string>();
  for (const path of files) {
    const file = await openStatementFile(path, context);
    try {
      const { format } = options;
      const source = file.source(() => undefined);
      const outline = outlineTable(source, format === undefined ? {} : { format });
      if (outline === null) writeLine(context.stderr, `${quote(path)} has no columns`);
      else shapes.add(outline.shape);
    } finally {
      file.close();
    }
  }
  return [...shapes];
}

/** A file that was read and compared, before it is imported. */
interface ComparedWithBook {
  readonly path: string;
  readonly read: ReadFile;
  /** Rows for which neither the file, nor a flag, nor what is remembered names an account. */
  readonly withoutAccount: number;
  readonly summary: ImportSummary;
}

/**
 * Throws a {@link Failure} for an import with `--yes` if a user at a terminal would be asked about the file. It says
 * all that is open, each with the flags that settle it. What a new account had before its first row does not count.
 */
export function refuseOpen(file: ComparedWithBook, { options }: Import): void {
  const { path, read, withoutAccount, summary } = file;
  const doubtful = options.onDoubt === 'ask' ? summary.doubtful.count : 0;
  const lines = [
    ...payeeLines(path, read),
    ...(withoutAccount === 0 ? [] : [hint(path, withoutAccount, namesAccounts(read.statement))]),
    ...(doubtful === 0 ? [] : doubtLines(path, summary)),
  ];
  if (lines.length > 0) throw new Failure(lines.join('\n'));
}

function payeeLines(path: string, { columnsForPayee }: ReadFile): string[] {
  if (columnsForPayee.length === 0) return [];
  return [
    `No known column of ${quote(path)} has the payee. Give --map payee=COLUMN, or --map payee= if none has it`,
    ...columnLines(path, columnsForPayee),
  ];
}

function doubtLines(path: string, { doubtful }: ImportSummary): string[] {
  const rows = count(doubtful.count, 'row');
  const more = doubtful.count - doubtful.entries.length;
  return [
    `${rows} of ${printable(path)} may be in the book already. Give --on-doubt keep or --on-doubt skip:`,
    ...doubtfulRows(path, doubtful.entries),
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : []),
  ];
}

/** Accounts that a user is asked about; those of a longer list have no opening balance. */
const mostAsked = 10;

/**
 * Returns what new accounts had before their first entries, by their names in the file: by `--opening-balance`, or by
 * asking at a terminal. Accounts whose balance the file states are none of them.
 *
 * Throws a {@link Failure} if the flag is given and there is not exactly one such account.
 */
export async function openingsFor(
  path: string,
  { balances: { unstated } }: ComparedFile,
  { options, prompts }: Import,
): Promise<ReadonlyMap<string, number>> {
  const given = openingBalanceOf(options);
  if (given !== null) return new Map([[onlyOne(path, unstated).name, given]]);
  const openings = new Map<string, number>();
  if (prompts === null || options.dryRun === true || unstated.length > mostAsked) return openings;
  for (const each of unstated) {
    const balance = await askOpening(prompts, each);
    if (balance !== null) openings.set(each.name, balance);
  }
  return openings;
}

function onlyOne(path: string, unstated: readonly UnstatedAccount[]): UnstatedAccount {
  const [only, ...others] = unstated;
  if (only !== undefined && others.length === 0) return only;
  const accounts = count(unstated.length, 'new account');
  throw new Failure(
    `${quote(path)} has ${accounts} without a balance, but --opening-balance is for exactly one`,
  );
}

/** Asks what an account had at the end of a day; null if that is not known. */
async function askOpening(
  prompts: Prompts,
  { account: { name, currency }, day }: UnstatedAccount,
): Promise<number | null> {
  const of = `What did ${quote(name)} have at the end of ${day}, in ${currency}?`;
  const typed = await prompts.type(`${of} Nothing: not known`, (text) =>
    text === '' || parseAmount(text) !== null ? null : `This ${noAmount}`,
  );
  return typed === '' ? null : parseAmount(typed);
}
