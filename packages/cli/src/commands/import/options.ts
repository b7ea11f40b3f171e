import { parseAmount } from '@coffer/core/money';
import {
  DATE_ORDERS,
  DECIMAL_SIGNS,
  type OptionTexts,
  readOptions,
  STATEMENT_FORMATS,
  type StatementOptions,
} from '@coffer/statements/src/statement/statement.ts';
import { readAccountNames, type AccountNames } from '@coffer/server/src/imports/account-plan.ts';
import type { Command } from 'commander';
import type { BookOptions } from '../book.ts';
import type { JsonOption } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { mapText, settingsOf, type ImportSettings } from '@coffer/server/src/imports/memory.ts';
import { quote } from '../../terminal/format.ts';

/** The options of `coffer import`, as typed. */
export interface ImportOptions extends BookOptions, JsonOption, OptionTexts {
  readonly account?: readonly string[];
  readonly openingBalance?: string;
  readonly onDoubt: 'ask' | 'keep' | 'skip';
  readonly forget?: true;
  readonly dryRun?: true;
  /** Asks nothing: a file is imported if nothing is open. */
  readonly yes?: true;
}

/** Adds options for files whose format cannot be detected. Most files need none. */
export function addStatementOptions(command: Command): void {
  const choice = (flags: string, description: string, choices: readonly string[]): void => {
    command.addOption(command.createOption(flags, description).choices(choices));
  };
  choice('--format <format>', 'format of the files', STATEMENT_FORMATS);
  command.option('--map <columns>', 'columns by name or number, such as date=Datum,amount=4');
  choice('--date-format <order>', 'order of the parts of a date', DATE_ORDERS);
  choice('--decimal <sign>', 'decimal sign of the amounts', DECIMAL_SIGNS);
  command
    .option('--encoding <label>', 'character encoding, such as windows-1250')
    .option('--negate', 'the files have money out as positive amounts')
    .option('--currency <code>', 'currency of rows without one, such as EUR')
    .option('--skip-bad-rows', 'import the valid rows, and list the others')
    .option('--any-year', 'import years that cannot be right as they are');
}

/** Returns the options for reading a file. Throws {@link Misuse} for invalid values. */
export function readStatementOptions(options: ImportOptions): StatementOptions {
  const { format, map, dateFormat, decimal, encoding, negate, currency } = options;
  const { skipBadRows, anyYear } = options;
  const ofTable = { map, dateFormat, decimal, negate, currency, skipBadRows, anyYear };
  const all = Object.entries({ format, encoding, ...ofTable });
  const read = readOptions(Object.fromEntries(all.filter(([, value]) => value !== undefined)));
  const [problem] = read.problems;
  if (problem !== undefined) throw new Misuse(`--${problem.option}: ${problem.reason}`);
  return read.options;
}

/** Returns the names that `--account` gives. Throws {@link Misuse} for invalid values. */
export function accountNamesOf({ account = [] }: ImportOptions): AccountNames {
  try {
    return readAccountNames(account);
  } catch (error) {
    if (error instanceof RangeError) throw new Misuse(`--account: ${error.message}`);
    throw error;
  }
}

/** Returns what `--opening-balance` gives, in ten-thousandths; null without it. Throws {@link Misuse} for no amount. */
export function openingBalanceOf({ openingBalance: text }: ImportOptions): number | null {
  if (text === undefined) return null;
  const amount = parseAmount(text);
  if (amount === null) throw new Misuse(`--opening-balance: ${quote(text)} ${noAmount}`);
  return amount;
}

/** What is wrong with a text that is no amount. */
export const noAmount = 'is not an amount such as 1129.49 or -20';

/** Returns the settings of the flags. Throws a Misuse for invalid values. */
export function settingsOfFlags(options: ImportOptions): ImportSettings {
  return settingsOf(readStatementOptions(options), accountNamesOf(options));
}

/** Returns settings with further ones, which win. Columns are added to those of the map. */
export function withSettings(settings: ImportSettings, more: ImportSettings): ImportSettings {
  const map = { ...settings.map, ...more.map };
  return { ...settings, ...more, ...(Object.keys(map).length > 0 && { map }) };
}

/** Describes settings, such as `columns date=When, dates d/m/y, account "Cash"`. */
export function describeSettings(settings: ImportSettings): string {
  const { map, dateFormat, decimal, encoding, negate, currency, account } = settings;
  const columns = Object.entries(map ?? {}).map(
    ([key, column]) => `${key}=${column === '' ? 'none' : quote(column)}`,
  );
  return [
    map && `columns ${columns.join(' ')}`,
    dateFormat && `dates ${dateFormat}`,
    decimal && `decimal ${decimal}`,
    encoding && `encoding ${encoding}`,
    negate && 'money out is positive',
    currency && `currency ${currency}`,
    account === null ? 'no account' : account && `account ${quote(account)}`,
    settings.isWithoutPayee && 'no payee',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns the flags for such settings, such as `--date-format d/m/y`. */
export function flagsOf({ map, dateFormat, decimal, negate, anyYear }: ImportSettings): string {
  return [
    map && `--map ${shellWord(mapText(map))}`,
    dateFormat && `--date-format ${dateFormat}`,
    decimal && `--decimal ${decimal}`,
    negate && '--negate',
    anyYear && '--any-year',
  ]
    .filter(Boolean)
    .join(' ');
}

function shellWord(text: string): string {
  return /^[\w=,./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
