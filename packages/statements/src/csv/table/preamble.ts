import { unitCurrency } from '../../currencies.ts';
import type { Row } from '../rows/rows.ts';

// A code that is the whole cell, or the end of one such as `Currency: EUR`.
const CODE =
  /(?:^|[:=]\s*|(?:currency|währung|devise|valuta|waluta|moneda|moeda|divisa|валюта)\s+)([A-Z]{3})$/iu;

/** The only currency that the rows above a table name; null if there is none or more than one. */
export function currencyAbove(rows: readonly Row[]): string | null {
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
