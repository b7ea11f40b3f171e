import { negated, parseAmount } from '../../statement/amounts.ts';
import type { Decimal, StatementWarning } from '../../statement/statement.ts';
import { trimmedCell, isBlankAmount } from '../table/cells.ts';
import type { Columns } from '../table/header-names.ts';
import { parseDirection, type Direction } from '../../words/meanings.ts';
import {
  parseCurrency,
  sharingCurrencies,
  unitCurrency,
  unitOfAmount,
} from '../../statement/currencies.ts';
import type { Row } from '../table/rows.ts';
import type { Layout } from '../table/header.ts';

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

/** The currency that a row names: its own column first, then its amount; null if it has none. */
export function rowCurrency(
  cells: readonly string[],
  layout: Layout,
  given: string | null,
): string | null {
  const { columns } = layout;
  const own =
    columns.currency === undefined ? null : parseCurrency(trimmedCell(cells, columns.currency));
  if (typeof own === 'string') return layout.currency ?? own;
  if (own === undefined && given !== null) return given;
  const unit = unitOfRow(cells, columns);
  return unit === null
    ? null
    : (unitCurrency(unit) ??
        sharedCurrency(
          unit,
          given ?? layout.currency ?? layout.preambleCurrency ?? ofScript(layout),
        ));
}

/** `¥` in a table whose header is in simplified Chinese. */
function ofScript({ names }: Layout): string | null {
  return names.some((name) => /[额账币对时间单]/u.test(name)) ? 'cny' : null;
}

function unitOfRow(cells: readonly string[], columns: Layout['columns']): string | null {
  if (columns.amount !== undefined) return unitOf(trimmedCell(cells, columns.amount));
  return unitOf(trimmedCell(cells, columns.debit)) ?? unitOf(trimmedCell(cells, columns.credit));
}

function unitOf(cell: string): string | null {
  return cell === '' ? null : unitOfAmount(cell);
}

/** A sign such as `$` means the given currency if that uses it, else the one that uses it most; `kr` means none. */
function sharedCurrency(unit: string, given: string | null): string | null {
  const sharing = sharingCurrencies(unit);
  if (given !== null && sharing.includes(given)) return given;
  return /^kr/i.test(unit) ? null : (sharing[0] ?? null);
}

const MAX_CURRENCIES = 2;

/** Collects the currencies that the rows of a table name. */
export class CurrencySurvey {
  readonly #layout: Layout;
  readonly #named = new Set<string>();
  #unnamed = 0;
  #shared: string | null = null;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  add({ cells }: Row): void {
    if (this.#unnamed > 0 && this.#isBare(cells)) return;
    const currency = rowCurrency(cells, this.#layout, null);
    if (currency === null) this.#unnamed += 1;
    else if (this.#named.size < MAX_CURRENCIES) this.#named.add(currency);
    if (this.#layout.columns.currency !== undefined || this.#shared !== null) return;
    const unit = unitOfRow(cells, this.#layout.columns);
    if (unit !== null && sharingCurrencies(unit).length > 0) this.#shared = unit;
  }

  /** Whether a row of a table without a column of currencies has an amount without a unit: most rows have. */
  #isBare(cells: readonly string[]): boolean {
    const { amount, currency } = this.#layout.columns;
    const cell = amount === undefined || currency !== undefined ? undefined : cells[amount];
    return cell !== undefined && isDigit(cell, 0) && isDigit(cell, cell.length - 1);
  }

  /** The currency of rows that name none: that of the header, the text above, or the only one of the other rows. */
  fallback(given: string | null): string | null {
    const { currency, preambleCurrency } = this.#layout;
    const [only] = this.#named;
    return currency ?? preambleCurrency ?? (this.#named.size === 1 ? only! : given);
  }

  /** What a user should know: no currency, a sign of several, or another one than the given. */
  warnings(given: string | null, isUsed: boolean): StatementWarning[] {
    if (!isUsed) return [];
    const fallback = this.fallback(given);
    const known = given ?? this.#layout.currency ?? this.#layout.preambleCurrency;
    const isShared = this.#shared !== null && (known === null || !this.#isShared(known));
    const texts = [
      ...(this.#unnamed > 0 && fallback === null ? [this.#noCurrency()] : []),
      ...(isShared && this.#named.size > 0
        ? [
            `"${this.#shared}" is read as ${[...this.#named].join(', ').toUpperCase()}: for another currency use --currency`,
          ]
        : []),
      ...this.#otherThan(given, fallback),
    ];
    return texts.map((text) => ({ line: null, text }));
  }

  #isShared(currency: string): boolean {
    return sharingCurrencies(this.#shared ?? '').includes(currency);
  }

  #noCurrency(): string {
    const sign = this.#shared === null ? '' : ` ("${this.#shared}" is shared by several)`;
    return `no currency in the file${sign}: use --currency if it is not that of the account`;
  }

  #otherThan(given: string | null, fallback: string | null): string[] {
    if (given === null || this.#isShared(given)) return [];
    const found = [...this.#named, ...(this.#unnamed > 0 && fallback !== null ? [fallback] : [])];
    const other = found.find((currency) => currency !== given);
    const text = `The file names the currency ${other?.toUpperCase()}: ${given.toUpperCase()} is used only for rows without one`;
    return other === undefined ? [] : [text];
  }
}

/** Whether a sign or digit is at a position. */
function isDigit(cell: string, at: number): boolean {
  const code = cell.charCodeAt(at);
  if (at === 0 && code === 45) return isDigit(cell, 1);
  return code >= 48 && code <= 57;
}
