import { readFileSync } from 'node:fs';
import { printable } from '@coffer/core/text';
import { isCalendarDate, latestDate } from '@coffer/core/dates';
import { importRates } from '@coffer/server/src/ledger/import-rates.ts';
import { listCurrencies, listRates } from '@coffer/server/src/ledger/currencies/list.ts';
import { parseRates, RatesFileError } from '@coffer/server/src/ledger/currencies/ecb.ts';
import type { RatesFile } from '@coffer/server/src/ledger/currencies/ecb.ts';
import type { Command } from 'commander';
import { writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { addDatabaseOption, readExistingDatabase, withDatabase } from '../database.ts';
import type { DatabaseOptions } from '../database.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { readCurrency } from '../options.ts';
import { addListOption, subcommand } from '../subcommand.ts';
import { quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { checkStatementFile } from '../import/statement-file.ts';
import { problemLines, summaryRecord, summaryText } from './report.ts';

type ListOptions = DatabaseOptions & JsonOption;
type ShowOptions = ListOptions & { readonly date?: string };

const mostShown = 10;
/** The file with all rates since 1999 is about 2 MB. */
const mostFileBytes = 64 * 2 ** 20;
const noRates = 'There are no exchange rates. Import a file with "coffer rates import FILE"';

/** `coffer rates import`, `list` and `show`. */
export function define(rates: Command, context: CommandContext): void {
  const whole =
    'All files are imported, or none. Values in the primary currencies of all books are updated.';
  const load = subcommand(
    rates,
    'import',
    'import exchange rates of the European Central Bank',
    whole,
  )
    .argument('<file...>', 'CSV files of one or many days, plain or compressed with ZIP or gzip')
    .option('--json', 'print the summary as a line of JSON');
  addDatabaseOption(load).action((files: string[], options: ListOptions) =>
    importFiles(files, options, context),
  );
  const list = addListOption(subcommand(rates, 'list', 'list the currencies that have rates'));
  addDatabaseOption(list).action((options: ListOptions) => printCurrencies(options, context));
  const show = subcommand(rates, 'show', `show the last ${mostShown} rates of a currency`)
    .argument('<currency>', 'currency code, such as usd')
    .option('--date <date>', 'the last date to show, such as 2026-11-20');
  addDatabaseOption(addListOption(show)).action((currency: string, options: ShowOptions) =>
    printRates(currency, options, context),
  );
}

async function importFiles(
  files: readonly string[],
  options: ListOptions,
  context: CommandContext,
): Promise<void> {
  const config = readExistingDatabase(options, context);
  const read = readAll(files);
  const summary = await withDatabase(config, context, (database) =>
    importRates(database, {
      files: read.map(({ rates }) => rates),
      source: 'file',
      actor: 'command',
    }),
  );
  writeResult(context, options, summaryRecord(summary, read), summaryText(summary, read));
}

/** Reads every file before anything is stored. Throws a {@link Failure} with the problems of all files. */
function readAll(files: readonly string[]): RatesFile[] {
  const read: RatesFile[] = [];
  const lines: string[] = [];
  for (const file of files) {
    try {
      read.push(parseRates(contentOf(file)));
    } catch (error) {
      if (!(error instanceof RatesFileError)) throw error;
      lines.push(...problemLines(file, error));
    }
  }
  if (lines.length === 0) return read;
  throw new Failure([...lines, 'No rates were imported'].join('\n'));
}

function contentOf(file: string): Uint8Array {
  if (checkStatementFile(file) <= mostFileBytes) return readFileSync(file);
  throw new Failure(`${quote(file)} is too long for a file of exchange rates`);
}

async function printCurrencies(options: ListOptions, context: CommandContext): Promise<void> {
  const config = readExistingDatabase(options, context);
  const currencies = await withDatabase(config, context, (database) =>
    database.readStatement(() => listCurrencies()),
  );
  writeList(currencies, noRates, options, context);
}

async function printRates(
  text: string,
  options: ShowOptions,
  context: CommandContext,
): Promise<void> {
  const currency = readCurrency(text, 'The currency');
  const { date = latestDate } = options;
  if (!isCalendarDate(date)) throw new Misuse(`--date: ${quote(date)} is not a date`);
  const config = readExistingDatabase(options, context);
  const rates = await withDatabase(config, context, (database) =>
    database.readStatement(() => listRates(currency, date, mostShown)),
  );
  writeList(rates, `There are no rates of ${printable(currency)}`, options, context);
}
