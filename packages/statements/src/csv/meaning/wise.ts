import { parseAmount } from '../../statement/amounts.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import type { Entry } from '../../statement/statement.ts';
import { payeeCell, trimmedCell } from '../table/cells.ts';
import type { Layout } from '../table/table.ts';
import { folded } from '../../words/fold.ts';
import type { RowEntry } from './entries.ts';

/** The cells of a row by the folded names of their columns. */
type CellOf = (name: string) => string;

/**
 * The entries of the transaction history of Wise: money out of the source with its fee, or into the target. A
 * conversion between own currencies is both.
 */
export function* wiseEntries(rows: Iterable<RowEntry>, { names }: Layout): Generator<Entry> {
  const indexes = new Map(names.map((name, index) => [folded(name), index]));
  for (const { entry, cells } of rows) {
    const cellOf: CellOf = (name) => trimmedCell(cells, indexes.get(name));
    const nameOf = (side: string): string => payeeCell(cells, indexes.get(`${side} name`));
    const texts = [cellOf('reference'), cellOf('note')].filter((text) => text !== '');
    const whole = { ...entry, notes: texts.length === 0 ? null : texts.join('; ') };
    const out = { ...whole, ...moneyOut(cellOf), payee: nameOf('target') || entry.payee };
    const received = { ...whole, ...moneyIn(cellOf), payee: nameOf('source') || entry.payee };
    const direction = folded(cellOf('direction'));
    if (direction === 'in') yield received;
    else if (direction !== 'neutral') yield out;
    else yield* converted(out, received);
  }
}

/** Both sides of a conversion; within one currency what it cost, if anything. */
function converted(out: Entry, received: Entry): Entry[] {
  const [from, to] = [out, received].map(({ currency }) => (currency ?? '').toUpperCase());
  if (from === to) {
    const amount = out.amount + received.amount;
    return amount === 0 ? [] : [{ ...out, amount, payee: 'Fee' }];
  }
  const payee = `Conversion ${from} to ${to}`;
  return [out, received].map((entry) => ({ ...entry, payee }));
}

type Money = Pick<Entry, 'amount' | 'currency'>;

function moneyOut(cellOf: CellOf): Money {
  const currency = cellOf('source currency');
  const feeCurrency = cellOf('source fee currency');
  const fee =
    feeCurrency === '' || feeCurrency === currency ? sizeOf(cellOf('source fee amount')) : 0;
  const amount = sizeOf(cellOf('source amount (after fees)')) + fee;
  return { amount: amount === 0 ? 0 : -amount, currency: parseCurrency(currency) ?? null };
}

function moneyIn(cellOf: CellOf): Money {
  const amount = sizeOf(cellOf('target amount (after fees)'));
  return { amount, currency: parseCurrency(cellOf('target currency')) ?? null };
}

/** Wise writes a decimal point, and no sign. */
function sizeOf(cell: string): number {
  return Math.abs(parseAmount(cell, 'point') ?? 0);
}
