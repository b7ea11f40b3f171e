import { negated, parseAmount } from '../../statement/amounts.ts';
import type { Decimal, DateOrder, Entry, StatementWarning } from '../../statement/statement.ts';
import {
  parseCurrency,
  sharingCurrencies,
  unitCurrency,
  unitOfAmount,
} from '../../statement/currencies.ts';
import { dateReader, type ReadDate } from '../../statement/dates.ts';
import {
  ownCell,
  payeeCell,
  rowKind,
  textCell,
  trimmedCell,
  fittedCells,
  dateCell,
  lineKind,
  isBlankAmount,
} from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import type { Layout } from '../table/header.ts';
import { accountNumber, parseDirection, type Direction } from '../../words/meanings.ts';
import type { Columns } from '../table/header-names.ts';

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

/** The lines of money out, and those whose sign nothing shows. */
interface LineSigns {
  readonly out: Lines;
  readonly unknownLines: Lines;
}
type Lines = Pick<ReadonlySet<number>, 'has'>;

/** How to read a table, detected from all of its rows. */
export interface Reading {
  readonly layout: Layout;
  readonly dateOrder: DateOrder;
  readonly decimal: Decimal;
  readonly money: MoneyRule;
  readonly isNegated: boolean;
  /** The account above the table; null if it does not count. */
  readonly account: string | null;
  /** The signs of amounts that have none; null if they have signs. */
  readonly signs: LineSigns | null;
  /** The currency that the user gave. */
  readonly currency: string | null;
  /** The currency of rows that name none. */
  readonly otherCurrency: string | null;
  /** The date of pending rows without one. */
  readonly pendingDate: string | null;
  /** Every row with a date is a booked entry. */
  readonly isPlain: boolean;
  readonly lastLine: number;
}

/** An entry and the cells of its row. */
export interface RowEntry {
  readonly entry: Entry;
  readonly cells: readonly string[];
}

/** Rows that can be entries, with the texts that continue them; `date` is null for a pending row without one. */
export interface EntryRow {
  readonly row: Row;
  readonly date: string | null;
  readonly isPending: boolean;
}

/** A row of an examined table as an entry; null for rows of other kinds. */
export function entryRow(row: Row, layout: Layout, readDate: ReadDate): EntryRow | null {
  const date = readDate(dateCell(row.cells, layout));
  const kind = lineKind(row.cells, layout, date !== null);
  if (kind !== 'entry' && kind !== 'pending' && kind !== 'undated') return null;
  return { row, date, isPending: kind !== 'entry' };
}

/**
 * Converts the rows of an examined table to entries. Holds each entry back for one row, which may continue its
 * text.
 */
export function* entriesOf<T>(
  rows: Iterable<Row>,
  reading: Reading,
  make: (entry: Entry, cells: readonly string[]) => T,
): Generator<T> {
  const { layout } = reading;
  const readDate = dateReader(reading.dateOrder);
  let last: Entry | null = null;
  let lastCells: readonly string[] = [];
  for (const row of rows) {
    if (row.line < layout.firstLine) continue;
    const kind = rowKind(row.cells, layout);
    if (kind === 'continuation' && last !== null) continueNotes(last, row, layout);
    if (kind !== 'entry' || row.line > reading.lastLine) continue;
    const fit = row.cells.length > layout.width ? fitted(row, layout) : row;
    const next = convert(fit, reading, readDate);
    if (next === null) continue;
    if (last !== null) yield make(last, lastCells);
    last = next;
    lastCells = fit.cells;
  }
  if (last !== null) yield make(last, lastCells);
}

function continueNotes(entry: Entry, { cells }: Row, { columns }: Layout): void {
  const text = payeeCell(cells, columns.payee);
  entry.notes = entry.notes === null ? text : `${entry.notes} ${text}`;
}

function fitted(row: Row, layout: Layout): Row {
  const cells = fittedCells(row.cells, layout);
  return cells === null ? { ...row, badCell: layout.width } : { ...row, cells: [...cells] };
}

/** Null if the row is no entry, or is skipped because it is bad. */
function convert(row: Row, reading: Reading, readDate: ReadDate): Entry | null {
  const { layout } = reading;
  const date = readDate(dateCell(row.cells, layout));
  const kind =
    reading.isPlain && date !== null ? 'entry' : lineKind(row.cells, layout, date !== null);
  const isPending = kind === 'pending' || kind === 'undated';
  if (kind !== 'entry' && !isPending) return null;
  const day = date ?? (isPending ? reading.pendingDate : null);
  const entry = row.badCell === null && day !== null ? entryOf(row, day, reading) : null;
  if (entry !== null && isPending) entry.isPending = true;
  return entry;
}

function entryOf({ cells, line }: Row, date: string, reading: Reading): Entry | null {
  const { layout } = reading;
  const { columns } = layout;
  const money = signedMoney(cells, line, reading);
  if (money === null || !isValid(cells, reading)) return null;
  const amount = reading.isNegated ? negated(money) : money;
  const isExact = layout.profile?.isApplication === true;
  const side = sideColumn(cells, layout, amount);
  const { accountSides: ends } = layout;
  const accountColumn = ends !== null && amount > 0 ? ends.to : columns.account;
  const hasSide = layout.sides?.isPayee === true;
  const payee = payeeCell(cells, hasSide ? side : columns.payee, isExact);
  const entry: Entry = {
    line,
    date,
    amount,
    currency: rowCurrency(cells, layout, reading.currency) ?? reading.otherCurrency,
    payee,
    notes: textCell(cells, columns.notes, isExact),
    category: textCell(cells, columns.category, isExact),
    account: textCell(cells, accountColumn, isExact) ?? reading.account,
    externalId: textCell(cells, columns.external_id, isExact),
  };
  const other = otherAccount(cells, layout, amount);
  if (other !== null && other !== accountNumber(entry.account ?? '')) entry.otherAccount = other;
  if (payee === '' && layout.fallbacks.payee.length > 0) usePayeeFallback(entry, cells, layout);
  const texts = [
    ...(hasSide || side === undefined ? [] : [side]),
    ...layout.texts.filter((index) => index !== accountColumn),
    ...(ends === null ? [] : [amount > 0 ? ends.from : ends.to]),
  ];
  if (texts.length > 0) addTexts(entry, cells, texts);
  const unknown = columns.currency === undefined ? null : unknownCurrency(cells, layout);
  if (unknown !== null) entry.notes = entry.notes === null ? unknown : `${entry.notes}; ${unknown}`;
  if (columns.tags !== undefined) addTags(entry, trimmedCell(cells, columns.tags));
  if (layout.profile?.isOwn === true) useOwnTexts(entry, cells, layout);
  return entry;
}

/** The number of the other side's account; null if the row has none. */
function otherAccount(cells: readonly string[], layout: Layout, amount: number): string | null {
  const { accountSides: ends, otherAccounts } = layout;
  const columns = ends === null ? otherAccounts : [amount > 0 ? ends.from : ends.to];
  for (const index of columns) {
    const number = accountNumber(trimmedCell(cells, index));
    if (number !== null) return number;
  }
  return null;
}

/** Takes the texts of an export of Coffer as they are. */
function useOwnTexts(entry: Entry, cells: readonly string[], { columns }: Layout): void {
  entry.payee = ownCell(cells, columns.payee) ?? '';
  entry.notes = ownCell(cells, columns.notes);
}

/** The amount of a row; null if it is invalid, or nothing shows its sign. */
function signedMoney(cells: readonly string[], line: number, reading: Reading): number | null {
  const { layout, money, decimal, signs } = reading;
  const amount = moneyOf(cells, layout.columns, money, decimal);
  if (signs === null || amount === null) return amount;
  if (signs.unknownLines.has(line)) return null;
  return signs.out.has(line) ? negated(amount) : amount;
}

/** The text in the column of currencies that is none; null if there is none. */
function unknownCurrency(cells: readonly string[], { columns }: Layout): string | null {
  const cell = columns.currency === undefined ? '' : trimmedCell(cells, columns.currency);
  return parseCurrency(cell) === undefined ? cell : null;
}

/** Whether the cells that do not give the amount are as they were examined. */
function isValid(cells: readonly string[], { layout, currency }: Reading): boolean {
  const { columns } = layout;
  if (currency === null && unknownCurrency(cells, layout) !== null) return false;
  const { amount, debit, credit } = columns;
  if (amount !== undefined) return true;
  const filled = [debit, credit].filter((index) => /\d/.test(trimmedCell(cells, index)));
  const isBoth = filled.filter((index) => /[1-9]/.test(trimmedCell(cells, index))).length === 2;
  return filled.length > 0 && !isBoth;
}

function usePayeeFallback(
  entry: Entry,
  cells: readonly string[],
  { columns, fallbacks }: Layout,
): void {
  const index = fallbacks.payee.find((each) => payeeCell(cells, each) !== '');
  entry.payee = payeeCell(cells, index);
  if (index !== undefined && index === columns.notes) entry.notes = null;
}

/**
 * The column of the other side: of the recipient for money out, of the payer for money in; also of the recipient where
 * the owner is the payer of money in, as banks write money that comes back.
 */
function sideColumn(
  cells: readonly string[],
  { sides }: Layout,
  amount: number,
): number | undefined {
  if (sides === null || amount <= 0) return sides?.recipient;
  const { payer, recipient, owners } = sides;
  if (owners.size === 0 || !owners.has(payeeCell(cells, payer))) return payer;
  const other = payeeCell(cells, recipient);
  return other === '' || owners.has(other) ? payer : recipient;
}

const NO_TEXT = /^(?:not ?provided|notprovided|none|n\/a)$/i;

/** Texts that nothing else has go to the notes. */
function addTexts(entry: Entry, cells: readonly string[], texts: readonly number[]): void {
  const all = entry.notes === null ? [] : [entry.notes];
  for (const index of texts) {
    const text = payeeCell(cells, index);
    const lower = text.toLowerCase();
    const isKnown = [entry.payee, ...all].some((each) => each.toLowerCase().includes(lower));
    if (text !== '' && !isKnown && !NO_TEXT.test(text)) all.push(text);
  }
  entry.notes = all.length === 0 ? null : all.join('; ');
}

/** Tags are separated by commas, semicolons or bars. */
function addTags(entry: Entry, cell: string): void {
  if (cell === '') return;
  const tags = cell.split(/[,;|]/).map((tag) => tag.replace(/\s+/g, ' ').trim());
  const names = [...new Set(tags.filter((tag) => tag !== ''))];
  if (names.length > 0) entry.tags = names;
}
