import type { ImportSettings } from '@coffer/server';
import type { StatementOptions, TableOutline } from '@coffer/statements';
import { quote } from '../../terminal/format.ts';
import { readAccountNames } from './accounts.ts';
import { readStatementOptions } from './options.ts';
import type { ImportOptions } from './options.ts';

/** Returns what the flags settle. Throws a Misuse for invalid values. */
export function settingsOfFlags(options: ImportOptions): ImportSettings {
  const { map, dateFormat, decimal, encoding, negate, currency } = readStatementOptions(options);
  const { name } = readAccountNames(options.account);
  return {
    ...(map !== undefined && { map }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(decimal !== undefined && { decimal }),
    ...(encoding !== undefined && { encoding }),
    ...(negate !== undefined && { negate }),
    ...(currency !== undefined && { currency }),
    ...(name !== null && { account: name }),
  };
}

/** Returns the options for reading a file with settings. */
export function statementOptionsOf(
  settings: ImportSettings,
  { format, skipBadRows }: ImportOptions,
): StatementOptions {
  const { map, dateFormat, decimal, encoding, negate, currency } = settings;
  return {
    ...(format !== undefined && { format }),
    ...(skipBadRows !== undefined && { skipBadRows }),
    ...(map !== undefined && { map }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(decimal !== undefined && { decimal }),
    ...(encoding !== undefined && { encoding }),
    ...(negate !== undefined && { negate }),
    ...(currency !== undefined && { currency }),
  };
}

/** Returns settings with further ones, which win. Columns are added to those of the map. */
export function withSettings(settings: ImportSettings, more: ImportSettings): ImportSettings {
  const map = { ...settings.map, ...more.map };
  return { ...settings, ...more, ...(Object.keys(map).length > 0 && { map }) };
}

/** Whether nothing is settled. */
export function isEmpty(settings: ImportSettings): boolean {
  return Object.keys(settings).length === 0;
}

/** Describes settings, such as `columns date=When, dates d/m/y, account "Cash"`. */
export function describeSettings(settings: ImportSettings): string {
  const { map, dateFormat, decimal, encoding, negate, currency, account } = settings;
  const columns = Object.entries(map ?? {}).map(([key, column]) => `${key}=${quote(column)}`);
  const parts = [
    ...(map === undefined ? [] : [`columns ${columns.join(' ')}`]),
    ...(dateFormat === undefined ? [] : [`dates ${dateFormat}`]),
    ...(decimal === undefined ? [] : [`decimal ${decimal}`]),
    ...(encoding === undefined ? [] : [`encoding ${encoding}`]),
    ...(negate === true ? ['money out is positive'] : []),
    ...(currency === undefined ? [] : [`currency ${currency}`]),
    ...(account === undefined
      ? []
      : [account === null ? 'no account' : `account ${quote(account)}`]),
    ...(settings.isWithoutPayee === true ? ['no payee'] : []),
  ];
  return parts.join(', ');
}

/** Returns the remembered columns that the table does not have. */
export function missingColumns({ map }: ImportSettings, { columns }: TableOutline): string[] {
  const known = new Set(columns.flatMap(({ name, number }) => [plain(name), String(number)]));
  return Object.values(map ?? {}).filter((column) => !known.has(plain(column)));
}

function plain(name: string): string {
  return name.replace(/\s+/g, ' ').trim().toLowerCase();
}

/** Returns the flags that settle the same, such as `--date-format d/m/y`. */
export function flagsOf({ map, dateFormat, decimal, negate }: ImportSettings): string {
  const columns = Object.entries(map ?? {}).map(([key, column]) => `${key}=${mapValue(column)}`);
  const flags = [
    ...(map === undefined ? [] : [`--map ${shellWord(columns.join(','))}`]),
    ...(dateFormat === undefined ? [] : [`--date-format ${dateFormat}`]),
    ...(decimal === undefined ? [] : [`--decimal ${decimal}`]),
    ...(negate === true ? ['--negate'] : []),
  ];
  return flags.join(' ');
}

function mapValue(column: string): string {
  return /[",]/.test(column) ? `"${column.replaceAll('"', '""')}"` : column;
}

function shellWord(text: string): string {
  return /^[\w=,./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
