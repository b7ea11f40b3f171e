import { unitCurrency } from '../../statement/currencies.ts';
import type { Row } from './rows.ts';
import { accountAbove } from './parties.ts';
import { namesCard } from '../../words/cards.ts';
import type { Layout } from './header.ts';

// A code that is the whole cell, or the end of one such as `Currency: EUR`.
const CODE =
  /(?:^|[:=]\s*|(?:currency|währung|devise|valuta|waluta|moneda|moeda|divisa|валюта)\s+)([A-Z]{3})$/iu;

/** What the rows above a table show of it. */
export function textAbove(
  rows: readonly Row[],
): Pick<
  Layout,
  'preambleCurrency' | 'datesAbove' | 'accountAbove' | 'isCardAbove' | 'isThaiAbove'
> {
  return {
    preambleCurrency: currencyAbove(rows),
    datesAbove: datesAbove(rows),
    accountAbove: accountAbove(rows.map(({ cells }) => cells)),
    isThaiAbove: rows.some(({ cells }) => cells.some((cell) => /\p{Script=Thai}/u.test(cell))),
    isCardAbove: rows.some(({ cells }) => cells.some(namesCard)),
  };
}

/** The only currency that the rows above a table name; null if there is none or more than one. */
function currencyAbove(rows: readonly Row[]): string | null {
  const found = new Set<string>();
  for (const cell of rows.flatMap(({ cells }) => cells)) {
    if (cell.length > 60) continue;
    const code = CODE.exec(cell.trim())?.[1];
    const currency = code?.toUpperCase() === code && code !== undefined ? unitCurrency(code) : null;
    if (currency !== null) found.add(currency);
  }
  const [only = null] = found;
  return found.size === 1 ? only : null;
}

const DATE = /(?<![\d./-])\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./-])/g;
const MAX_DATES = 20;

/** The dates with a short first part in the rows above a table, such as those of its period. */
function datesAbove(rows: readonly Row[]): readonly string[] {
  const cells = rows.flatMap((row) => row.cells).filter((cell) => cell.length < 200);
  return cells.flatMap((cell) => cell.match(DATE) ?? []).slice(0, MAX_DATES);
}
