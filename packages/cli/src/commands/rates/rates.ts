import { importRates, type RatesSummary } from '@coffer/server/src/ledger/rerate.ts';
import { listCurrencies, listRates } from '@coffer/server/src/ledger/currencies/actions.ts';
import { readFileSync } from 'node:fs';
import { printable } from '@coffer/core/text';
import { latestDate } from '@coffer/core/dates';
import {
  parseRates,
  RatesFileError,
  type RatesFile,
  type RatesProblem,
} from '@coffer/server/src/ledger/currencies/ecb.ts';
import type { Command } from 'commander';
import { writeResult, type CommandContext, type JsonOption } from '../../terminal/context.ts';
import {
  addDatabaseOption,
  readExistingDatabase,
  withDatabase,
  type DatabaseOptions,
} from '../database.ts';
import { Failure } from '../../terminal/failure.ts';
import { readCurrency, addListOption, subcommand, readDate, perform } from '../options.ts';
import { quote, count } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { checkStatementFile } from '../import/statement-file.ts';

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
  perform(addDatabaseOption(load), context, importFiles);
  const list = addListOption(subcommand(rates, 'list', 'list the currencies that have rates'));
  perform(addDatabaseOption(list), context, printCurrencies);
  const show = subcommand(rates, 'show', `show the last ${mostShown} rates of a currency`)
    .argument('<currency>', 'currency code, such as usd')
    .option('--date <date>', 'the last date to show, such as 2026-11-20');
  perform(addDatabaseOption(addListOption(show)), context, printRates);
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
  const date = readDate('--date', options.date ?? latestDate);
  const config = readExistingDatabase(options, context);
  const rates = await withDatabase(config, context, (database) =>
    database.readStatement(() => listRates(currency, date, mostShown)),
  );
  writeList(rates, `There are no rates of ${printable(currency)}`, options, context);
}

/** Returns the summary for JSON. */
function summaryRecord(summary: RatesSummary, files: readonly RatesFile[]): object {
  const { currencies, firstDate, lastDate, skippedColumns } = extentOf(files);
  return {
    added: summary.added,
    changed: summary.changed,
    known: summary.known,
    currencies,
    first_date: firstDate,
    last_date: lastDate,
    skipped_columns: skippedColumns,
    updated_records: summary.updated.records,
    updated_books: summary.updated.books,
  };
}

/** Returns the summary for people: one paragraph. */
function summaryText(summary: RatesSummary, files: readonly RatesFile[]): string {
  const { added, changed, known, updated } = summary;
  const { currencies, firstDate, lastDate, skippedColumns } = extentOf(files);
  const others = [
    ...(changed > 0 ? [`${changed.toLocaleString('en')} changed`] : []),
    ...(known > 0 ? [`${known.toLocaleString('en')} known already`] : []),
  ];
  const sentences = [`${[`${count(added, 'rate')} added`, ...others].join(', ')}.`];
  if (firstDate !== null)
    sentences.push(`${count(currencies, 'currency', 'currencies')}, ${firstDate} to ${lastDate}.`);
  if (skippedColumns.length > 0) {
    const names = skippedColumns.map(printable).join(', ');
    sentences.push(`Columns that are no supported currencies: ${names}.`);
  }
  if (updated.records > 0) {
    const records = count(updated.records, 'transaction or account', 'transactions and accounts');
    sentences.push(`${records} in ${count(updated.books, 'book')} updated.`);
  }
  return sentences.join(' ');
}

/** Returns the currencies and dates of some files. */
function extentOf(files: readonly RatesFile[]) {
  const series = files.flatMap(({ rates }) => [...rates]).filter(([, { size }]) => size > 0);
  const dates = series.flatMap(([, ofCurrency]) => [...ofCurrency.keys()]).sort();
  return {
    currencies: new Set(series.map(([currency]) => currency)).size,
    firstDate: dates[0] ?? null,
    lastDate: dates.at(-1) ?? null,
    skippedColumns: [...new Set(files.flatMap((file) => file.skippedColumns))],
  };
}

/**
 * Returns a line for each problem of a file, `FILE:LINE: column "X": value "Y": reason`, and a last line with the
 * number of further problems.
 */
function problemLines(file: string, { problems, problemCount }: RatesFileError): readonly string[] {
  const lines = problems.map((problem) => problemLine(file, problem));
  const more = problemCount - problems.length;
  return more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}

function problemLine(file: string, { line, column, value, reason }: RatesProblem): string {
  const place = line === null ? printable(file) : `${printable(file)}:${line}`;
  const parts = [place];
  if (column !== null) parts.push(`column ${quote(column)}`);
  if (value !== null) parts.push(`value ${quote(value)}`);
  return [...parts, reason].join(': ');
}
