import {
  parseCurrency,
  sharingCurrencies,
  unitCurrency,
  unitOfAmount,
} from '../../statement/currencies.ts';
import type { StatementWarning } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import type { Layout } from '../table/table.ts';

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
