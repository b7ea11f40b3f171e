import { negated, parseAmount, type Decimal } from '../../statement/amounts.ts';
import { trimmedCell } from '../table/cells.ts';
import { isBlankAmount } from '../table/lines.ts';
import type { Columns } from '../table/free-columns.ts';
import { parseDirection, type Direction } from '../../words/meanings.ts';

/** How the cells of a row give its amount. */
export interface MoneyRule {
  /** A column of amounts, or columns of debits and credits. */
  readonly from: 'amount' | 'columns';
  /** The amount as it is; its size with the sign of a word; or turned round by a word for money out. */
  readonly words: 'none' | 'decide' | 'multiply';
  /** Index of the column of words. */
  readonly wordColumn: number | undefined;
  readonly blankWord: Direction | null;
  /** The direction of a row that has no word for it; null if words or signs show it. */
  readonly directionOf: ((cells: readonly string[]) => Direction | null) | null;
  /** The column of debits writes them as negative numbers. */
  readonly isDebitSigned: boolean;
  /** The column of credits does, as on cards whose payments are negative. */
  readonly isCreditSigned: boolean;
  readonly fee: 'none' | 'subtract' | 'add';
  /** Money out is positive. */
  readonly isNegated: boolean;
}

/** The amount of a row: money in is positive, money out negative; null if a cell is invalid. */
export function moneyOf(
  cells: readonly string[],
  columns: Columns,
  rule: MoneyRule,
  decimal: Decimal,
): number | null {
  const amount =
    rule.from === 'amount'
      ? fromAmount(cells, columns, rule, decimal)
      : fromColumns(cells, columns, rule, decimal);
  if (amount === null) return null;
  const total = rule.fee === 'none' ? amount : withFee(amount, cells, columns, rule, decimal);
  return rule.isNegated && total !== null ? negated(total) : total;
}

function fromAmount(
  cells: readonly string[],
  columns: Columns,
  rule: MoneyRule,
  decimal: Decimal,
): number | null {
  const amount = parseAmount(trimmedCell(cells, columns.amount), decimal);
  if (rule.words === 'none' || amount === null) return amount;
  const direction = directionOf(cells, rule);
  if (direction === null) return null;
  const size = rule.words === 'decide' ? Math.abs(amount) : amount;
  return direction > 0 ? size : negated(size);
}

/** The direction of a row by its word; null if the word is unknown. */
function directionOf(cells: readonly string[], rule: MoneyRule): Direction | null {
  if (rule.directionOf !== null) return rule.directionOf(cells);
  const word = trimmedCell(cells, rule.wordColumn);
  return word === '' ? rule.blankWord : parseDirection(word);
}

/** A negative number among the debits takes one back. */
function fromColumns(
  cells: readonly string[],
  { debit, credit }: Columns,
  rule: MoneyRule,
  decimal: Decimal,
): number | null {
  const moneyIn = sizeOf(cells, credit, decimal);
  const moneyOut = sizeOf(cells, debit, decimal);
  if (moneyIn === null || moneyOut === null) return null;
  const received = rule.isCreditSigned ? negated(moneyIn) : moneyIn;
  return rule.isDebitSigned ? received + moneyOut : received - moneyOut;
}

function withFee(
  amount: number,
  cells: readonly string[],
  { fee: column }: Columns,
  { fee }: MoneyRule,
  decimal: Decimal,
): number | null {
  const size = sizeOf(cells, column, decimal);
  if (size === null) return null;
  return fee === 'subtract' ? amount - Math.abs(size) : amount + size;
}

/** The amount of a cell that may be blank, which is zero. */
function sizeOf(cells: readonly string[], index: number | undefined, decimal: Decimal) {
  const cell = trimmedCell(cells, index);
  return isBlankAmount(cell) ? 0 : parseAmount(cell, decimal);
}
