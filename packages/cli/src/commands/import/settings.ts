import { mapText, settingsOf } from '@coffer/server/src/imports/memory.ts';
import type { ImportSettings } from '@coffer/server/src/imports/settings.ts';
import { quote } from '../../terminal/format.ts';
import { accountNamesOf, readStatementOptions } from './options.ts';
import type { ImportOptions } from './options.ts';

/** Returns what the flags settle. Throws a Misuse for invalid values. */
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

/** Returns the flags that settle the same, such as `--date-format d/m/y`. */
export function flagsOf({ map, dateFormat, decimal, negate, anyYear }: ImportSettings): string {
  const flags = [
    ...(map === undefined ? [] : [`--map ${shellWord(mapText(map))}`]),
    ...(dateFormat === undefined ? [] : [`--date-format ${dateFormat}`]),
    ...(decimal === undefined ? [] : [`--decimal ${decimal}`]),
    ...(negate === true ? ['--negate'] : []),
    ...(anyYear === true ? ['--any-year'] : []),
  ];
  return flags.join(' ');
}

function shellWord(text: string): string {
  return /^[\w=,./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
