import { AMOUNTS, looksLikeAmount, ConventionFinder } from '../../statement/amounts.ts';
import type { Decimal, LeftOut } from '../../statement/statement.ts';
import { parseCurrency } from '../../statement/currencies.ts';
import { Refusal, type ProblemList } from '../../statement/statement-error.ts';
import type { Calendar, ReaderOptions } from '../../statement/dates.ts';
import {
  payeeCell,
  rowKind,
  trimmedCell,
  fittedCells,
  dateCell,
  isBlankAmount,
  lineKind,
  type LineKind,
} from '../table/cells.ts';
import { MAX_ROW_LENGTH, type Row } from '../table/rows.ts';
import { columnName, isEastAsian, type Layout } from '../table/header.ts';
import { parseDirection } from '../../words/meanings.ts';
import { CurrencySurvey } from './entries.ts';
import { DateSurvey, type DateDecision } from './date-survey.ts';
import { SignSurvey, type MoneyRules } from './signs.ts';

const MAX_TEXTS = 100;

/** Examines every row of a table once: collects problems, and detects the conventions of dates and amounts. */
export class Examiner {
  readonly #layout: Layout;
  readonly #options: ReaderOptions;
  readonly #problems: ProblemList;
  /** Problems of the table as a whole. */
  readonly #ambiguities: ProblemList;
  readonly #dates: DateSurvey;
  readonly #amounts: ConventionFinder<Decimal, number>;
  /** The balances, as far as they are needed to know the decimal sign. */
  readonly #balances = new ConventionFinder(AMOUNTS, undefined);
  readonly #signs: SignSurvey;
  readonly #currencies: CurrencySurvey;
  readonly #leftOut = new Map<string, number>();
  /** Rows of text: problems if an entry follows. */
  #texts: { row: Row; fault: string }[] = [];
  #textCount = 0;
  /** Rows with a date and no amount: problems if most rows are. */
  readonly #blanks: Row[] = [];
  /** Columns that entries fill, of a table with a column of money in or out alone. */
  readonly #filled = new Set<number>();
  #entryCount = 0;
  #undatedCount = 0;
  #badCount = 0;
  #hasPayees = false;
  #hasPending = false;
  #lastLine = 0;
  #continuationLength = 0;
  #problemsBefore = 0;

  constructor(
    layout: Layout,
    options: ReaderOptions,
    problems: ProblemList,
    ambiguities: ProblemList,
  ) {
    const { decimal } = options;
    this.#layout = layout;
    this.#options = options;
    this.#problems = problems;
    this.#ambiguities = ambiguities;
    this.#dates = new DateSurvey(layout, options);
    this.#amounts = new ConventionFinder(AMOUNTS, decimal);
    this.#signs = new SignSurvey(layout, options);
    this.#currencies = new CurrencySurvey(layout);
    options.years.begin(this.#name(layout.columns.date!), calendarOf(layout));
  }

  add(row: Row): void {
    const kind = rowKind(row.cells, this.#layout);
    if (kind === 'continuation') this.#checkContinuation(row);
    if (kind !== 'entry') {
      if (row.badCell !== null) this.#report(row, row.badCell, 'Text after the closing quote');
      return;
    }
    this.#problemsBefore = this.#problems.count;
    this.#addLine(row.cells.length > this.#layout.width ? this.#fitted(row) : row);
    if (this.#isBad) this.#badCount += 1;
  }

  /** Whether the row that is added has a problem. */
  get #isBad(): boolean {
    return this.#problems.count > this.#problemsBefore;
  }

  #addLine(row: Row): void {
    if (row.badCell !== null) this.#report(row, row.badCell, 'Text after the closing quote');
    const date = dateCell(row.cells, this.#layout);
    const status = this.#layout.columns.status === undefined ? null : this.#skipped(row);
    if (status !== null) {
      this.#leaveOut(status);
      return;
    }
    const index = this.#layout.columns.date!;
    const fault = date === '' ? 'Date is empty' : this.#dates.note(date, row.line, row.cells);
    const kind = lineKind(row.cells, this.#layout, fault === null);
    if (kind === 'text') {
      this.#addText(row, fault ?? 'Not a date');
      return;
    }
    if (kind === 'line without an amount' && this.#blanks.length < MAX_TEXTS)
      this.#blanks.push(row);
    if (kind !== 'entry' && kind !== 'pending' && kind !== 'undated') {
      this.#leaveOut(kind);
      return;
    }
    this.#flushTexts();
    if (kind !== 'entry') this.#hasPending = true;
    if (kind === 'undated') this.#undatedCount += 1;
    else if (fault !== null) this.#report(row, index, fault);
    this.#addEntry(row);
  }

  /** A row that did not happen is not examined further. */
  #skipped(row: Row): LineKind | null {
    const kind = lineKind(row.cells, this.#layout, true);
    return kind === 'entry' || kind === 'pending' || kind.endsWith(' line') ? null : kind;
  }

  #addEntry(row: Row): void {
    this.#continuationLength = 0;
    this.#checkAmounts(row);
    if (this.#missingSide !== null)
      for (const [index, cell] of row.cells.entries()) if (isNotZero(cell)) this.#filled.add(index);
    if (!this.#amounts.isDecided) this.#noteBalance(row);
    this.#checkDirection(row);
    this.#checkCurrency(row);
    if (!this.#hasPayees) this.#hasPayees = this.#hasPayee(row);
    this.#lastLine = row.line;
    if (this.#isBad) return;
    this.#entryCount += 1;
    const date = dateCell(row.cells, this.#layout);
    if (this.#dates.last !== null && date !== '')
      this.#options.years.note(row.line, this.#dates.last, date);
  }

  #hasPayee({ cells }: Row): boolean {
    const { columns, fallbacks } = this.#layout;
    const all = [columns.payee, ...fallbacks.payee];
    return all.some((index) => payeeCell(cells, index) !== '');
  }

  #leaveOut(kind: string): void {
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  #addText(row: Row, fault: string): void {
    this.#textCount += 1;
    if (this.#texts.length < MAX_TEXTS) this.#texts.push({ row, fault });
  }

  /** Text between entries is not the end of the table. */
  #flushTexts(): void {
    if (this.#textCount === 0) return;
    const before = this.#problems.count;
    for (const { row, fault } of this.#texts) {
      this.#report(row, this.#layout.columns.date!, fault);
      this.#checkAmounts(row);
    }
    // They are not problems of the row that shows it.
    this.#problemsBefore += this.#problems.count - before;
    this.#badCount += this.#textCount;
    this.#texts = [];
    this.#textCount = 0;
  }

  /** Reports ambiguous conventions, and returns what the rows show. */
  finish(): Examined {
    const dates = this.#dates.decide();
    const [decimal, ...others] = this.#balances.possible;
    if (this.#balances.hasValues && others.length === 0) this.#amounts.prefer(decimal!);
    if (this.#amounts.ambiguity() !== null && isOfEastAsia(this.#layout))
      this.#amounts.prefer('point');
    this.#checkBlanks();
    // Below the table only where there is one.
    if (this.#entryCount === 0 && this.#badCount === 0) this.#flushTexts();
    if (this.#textCount > 0) this.#leftOut.set('line of text', this.#textCount);
    for (const open of [dates.ambiguous, this.#amounts.ambiguity()]) {
      if (open !== null) this.#ambiguities.addAmbiguity(open);
    }
    return {
      dates,
      decimal: this.#amounts.convention,
      money: this.#signs.rules(this.#options.map ?? {}),
      currencies: this.#currencies,
      leftOut: [...this.#leftOut].map(([what, count]) => ({ what, count })),
      entryCount: this.#entryCount,
      undatedCount: this.#undatedCount,
      badCount: this.#badCount,
      blankLine: this.#blanks[0]?.line ?? null,
      hasPayees: this.#hasPayees,
      hasPending: this.#hasPending,
      lastLine: this.#lastLine,
    };
  }

  /** A table whose rows have no amounts has them in another column. */
  #checkBlanks(): void {
    const count = this.#leftOut.get('line without an amount') ?? 0;
    if (count <= this.#entryCount) {
      for (const row of this.#blanks) this.#checkOtherSide(row);
      return;
    }
    for (const row of this.#blanks) this.#checkAmounts(row);
    this.#badCount += count;
  }

  /** The side of the money for which the table has no column under a known name; null if it has all. */
  get #missingSide(): 'debit' | 'credit' | null {
    const { amount, debit, credit } = this.#layout.columns;
    if (amount !== undefined || (debit !== undefined && credit !== undefined)) return null;
    return debit === undefined ? 'debit' : 'credit';
  }

  /** A number in a column that only rows without an amount fill is money of the other direction. */
  #checkOtherSide(row: Row): void {
    const used = Object.values(this.#layout.columns);
    const isOther = (cell: string, index: number): boolean =>
      !used.includes(index) && !this.#filled.has(index) && isNotZero(cell) && looksLikeAmount(cell);
    const index = row.cells.findIndex((cell, at) => isOther(cell.trim(), at));
    if (this.#missingSide === null || index < 0) return;
    const name = this.#name(index);
    const reason = `May be the amount of this row: use --map ${this.#missingSide}=${name}, or --skip-bad-rows`;
    this.#report(row, index, reason);
    this.#badCount += 1;
  }

  /** Continuation texts become the notes of one entry: together they may be as long as a row. */
  #checkContinuation(row: Row): void {
    for (const cell of row.cells) this.#continuationLength += cell.length + 1;
    if (this.#continuationLength <= MAX_ROW_LENGTH) return;
    throw new Refusal(`Text of one entry is longer than ${MAX_ROW_LENGTH} characters`, row.line);
  }

  #fitted(row: Row): Row {
    const cells = fittedCells(row.cells, this.#layout);
    if (cells !== null) return { ...row, cells: [...cells] };
    for (let index = this.#layout.width; index < row.cells.length; index += 1) {
      const cell = row.cells[index]!.trim();
      const reason = `The table has only ${this.#layout.width} columns`;
      if (cell !== '') this.#problems.add(row.line, `column ${index + 1}`, cell, reason);
    }
    return row;
  }

  #checkAmounts(row: Row): void {
    const { amount, debit, credit } = this.#layout.columns;
    const columns = [debit, credit].filter((index) => index !== undefined);
    const filled = columns.filter((index) => !isBlankAmount(trimmedCell(row.cells, index)));
    if (amount !== undefined) {
      this.#checkAmount(row, amount);
      if (filled.length > 0) this.#signs.addInColumns();
      if (filled.length > 0 && debit !== undefined)
        this.#signs.addInColumn('debits', signOf(row.cells, debit));
      this.#checkFee(row);
      return;
    }
    for (const index of filled) {
      const sign = this.#checkAmount(row, index);
      this.#signs.addInColumn(index === debit ? 'debits' : 'credits', sign);
    }
    this.#checkFee(row);
    const names = columns.map((index) => `"${this.#name(index)}"`);
    if (filled.length === 0) this.#report(row, columns[0]!, `${names.join(' and ')} are empty`);
    if (filled.filter((index) => isNotZero(row.cells[index]!)).length < 2) return;
    this.#report(row, columns[0]!, `${names.join(' and ')} both hold an amount`);
  }

  /** Checks an amount, and returns its sign. */
  #checkAmount(row: Row, index: number): number {
    const cell = trimmedCell(row.cells, index);
    const fault =
      cell === '' ? this.#emptyAmount(row) : this.#amounts.note(cell, row.line, this.#name(index));
    if (fault !== null) this.#report(row, index, fault);
    const sign = fault === null ? Math.sign(this.#amounts.lastValue ?? 0) : 0;
    if (fault === null && index === this.#layout.columns.amount) this.#signs.addAmount(row, sign);
    return sign;
  }

  #emptyAmount({ cells }: Row): string {
    const other = this.#layout.otherMoney.find((index) => isNotZero(cells[index] ?? ''));
    if (other === undefined) return 'Amount is empty';
    const name = this.#name(other);
    return `Amount is empty, but "${name}" has one: use --map amount=${name} or --map amount=COLUMN, and --skip-bad-rows`;
  }

  #noteBalance({ cells, line }: Row): void {
    const cell = trimmedCell(cells, this.#layout.columns.balance);
    if (looksLikeAmount(cell)) this.#balances.note(cell, line, '');
  }

  #checkFee(row: Row): void {
    const index = this.#layout.columns.fee;
    const cell = trimmedCell(row.cells, index);
    if (index === undefined || isBlankAmount(cell)) return;
    const fault = this.#amounts.note(cell, row.line, this.#name(index));
    if (fault !== null) this.#report(row, index, fault);
    else this.#signs.addFee(row.line, cell, Math.sign(this.#amounts.lastValue ?? 0));
  }

  #checkDirection(row: Row): void {
    const index =
      this.#options.map?.direction === undefined ? undefined : this.#layout.columns.direction;
    const cell = trimmedCell(row.cells, index);
    if (index === undefined || parseDirection(cell) !== null) return;
    this.#report(row, index, cell === '' ? 'Direction is empty' : 'Not a known direction');
  }

  #checkCurrency(row: Row): void {
    const index = this.#layout.columns.currency;
    const cell = trimmedCell(row.cells, index);
    const isUnknown = index !== undefined && parseCurrency(cell) === undefined;
    if (isUnknown && this.#options.currency === undefined)
      this.#report(row, index, UNKNOWN_CURRENCY);
    this.#currencies.add(row);
  }

  #name(index: number): string {
    return columnName(this.#layout, index);
  }

  #report(row: Row, index: number, reason: string): void {
    this.#problems.add(row.line, this.#name(index), row.cells[index] ?? '', reason);
  }
}

const UNKNOWN_CURRENCY =
  'Not a currency code of three letters: use --currency for the currency of such amounts';

/** The calendar that the language of the names may mean. */
function calendarOf({ names, currency, preambleCurrency, isThaiAbove }: Layout): Calendar | null {
  const isThai = names.some((name) => /\p{Script=Thai}/u.test(name)) || isThaiAbove;
  if (isThai || [currency, preambleCurrency].includes('thb')) return 'thai';
  if (names.some((name) => /[\u067e\u0686\u0698\u06a9\u06af\u06cc]/.test(name))) return 'persian';
  return isEastAsian(names) ? 'japanese' : null;
}

/** In East Asia, a comma never is the decimal sign. */
function isOfEastAsia({ names, columns }: Layout): boolean {
  return isEastAsian([names[columns.amount ?? columns.debit ?? -1] ?? '']);
}

function isNotZero(cell: string): boolean {
  return /[1-9]/.test(cell);
}

function signOf(cells: readonly string[], index: number): number {
  const cell = trimmedCell(cells, index);
  if (!isNotZero(cell)) return 0;
  return /^[-\u2212(]|-$/.test(cell) ? -1 : 1;
}

/** What the rows of a table show, before a balance is looked at. */
export interface Examined {
  readonly dates: DateDecision;
  readonly decimal: Decimal;
  readonly money: MoneyRules;
  readonly currencies: CurrencySurvey;
  readonly leftOut: readonly LeftOut[];
  /** Rows with entries, of which `undatedCount` have no date yet. */
  readonly entryCount: number;
  readonly undatedCount: number;
  readonly badCount: number;
  /** The first line that has a date and no amount. */
  readonly blankLine: number | null;
  readonly hasPayees: boolean;
  readonly hasPending: boolean;
  /** The line of the last entry: only text follows. */
  readonly lastLine: number;
}
