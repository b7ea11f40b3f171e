import { AMOUNTS, type Decimal } from '../amounts.ts';
import { ConventionFinder } from '../convention.ts';
import { DATES, GIVEN_DATES, type DateOrder } from '../dates.ts';
import { Refusal, type ProblemList } from '../statement-error.ts';
import type { StatementOptions } from '../statement.ts';
import { parseCurrency, rowKind, trimmedCell } from './cells.ts';
import { columnName, type Layout } from './layout.ts';
import { MAX_ROW_LENGTH, type Row } from './rows.ts';
import { parseDirection } from './words.ts';

/** How to read a table, detected from all of its rows. */
export interface Reading {
  readonly layout: Layout;
  readonly dateOrder: DateOrder;
  readonly decimal: Decimal;
  /** Index of the column with the direction, if there is one. */
  readonly directionColumn: number | undefined;
  readonly entryCount: number;
}

/** Examines every row of a table once: collects problems, and detects the conventions of dates and amounts. */
export class Examiner {
  readonly #layout: Layout;
  readonly #problems: ProblemList;
  readonly #dates: ConventionFinder<DateOrder, string>;
  readonly #amounts: ConventionFinder<Decimal, number>;
  #directionCandidates: readonly number[];
  #entryCount = 0;
  #continuationLength = 0;

  constructor(layout: Layout, options: StatementOptions, problems: ProblemList) {
    const { dateFormat, decimal } = options;
    this.#layout = layout;
    this.#problems = problems;
    this.#directionCandidates = layout.directionCandidates;
    this.#dates = new ConventionFinder(dateFormat ? GIVEN_DATES : DATES, dateFormat);
    this.#amounts = new ConventionFinder(AMOUNTS, decimal);
  }

  add(row: Row): void {
    if (row.badCell !== null) this.#report(row, row.badCell, 'Text after the closing quote');
    const kind = rowKind(row.cells, this.#layout);
    if (kind === 'continuation') this.#checkContinuation(row);
    if (kind !== 'entry') return;
    this.#entryCount += 1;
    this.#continuationLength = 0;
    this.#checkWidth(row);
    this.#checkDate(row);
    this.#checkAmounts(row);
    this.#checkDirection(row);
    this.#checkCurrency(row);
  }

  /** Reports ambiguous conventions, and returns how to read the table. */
  finish(): Reading {
    for (const open of [this.#dates.ambiguity(), this.#amounts.ambiguity()]) {
      if (open !== null) this.#problems.add(open.line, open.column, open.value, open.reason);
    }
    return {
      layout: this.#layout,
      dateOrder: this.#dates.convention,
      decimal: this.#amounts.convention,
      directionColumn: this.#layout.columns.direction ?? this.#directionCandidates[0],
      entryCount: this.#entryCount,
    };
  }

  /** Continuation texts become the notes of one entry: together they may be as long as a row. */
  #checkContinuation(row: Row): void {
    for (const cell of row.cells) this.#continuationLength += cell.length + 1;
    if (this.#continuationLength <= MAX_ROW_LENGTH) return;
    throw new Refusal(`Text of one entry is longer than ${MAX_ROW_LENGTH} characters`, row.line);
  }

  #checkWidth({ line, cells }: Row): void {
    for (let index = this.#layout.width; index < cells.length; index += 1) {
      const cell = cells[index]!.trim();
      const reason = `The table has only ${this.#layout.width} columns`;
      if (cell !== '') this.#problems.add(line, `column ${index + 1}`, cell, reason);
    }
  }

  #checkDate(row: Row): void {
    const index = this.#layout.columns.date!;
    const cell = trimmedCell(row.cells, index);
    const fault =
      cell === '' ? 'Date is empty' : this.#dates.note(cell, row.line, this.#name(index));
    if (fault !== null) this.#report(row, index, fault);
  }

  #checkAmounts(row: Row): void {
    const { amount, debit, credit } = this.#layout.columns;
    if (amount !== undefined) {
      this.#checkAmount(row, amount);
      return;
    }
    const columns = [debit, credit].filter((index) => index !== undefined);
    const filled = columns.filter((index) => trimmedCell(row.cells, index) !== '');
    for (const index of filled) this.#checkAmount(row, index);
    const names = columns.map((index) => `"${this.#name(index)}"`);
    if (filled.length === 0) this.#report(row, columns[0]!, `${names.join(' and ')} are empty`);
    if (filled.filter((index) => isNotZero(row.cells[index]!)).length < 2) return;
    this.#report(row, columns[0]!, `${names.join(' and ')} both hold an amount`);
  }

  #checkAmount(row: Row, index: number): void {
    const cell = trimmedCell(row.cells, index);
    const fault =
      cell === '' ? 'Amount is empty' : this.#amounts.note(cell, row.line, this.#name(index));
    if (fault !== null) this.#report(row, index, fault);
  }

  #checkDirection(row: Row): void {
    const index = this.#layout.columns.direction;
    if (index === undefined) {
      this.#narrowDirectionCandidates(row);
      return;
    }
    const cell = trimmedCell(row.cells, index);
    if (parseDirection(cell) !== null) return;
    this.#report(row, index, cell === '' ? 'Direction is empty' : 'Not a known direction');
  }

  #narrowDirectionCandidates(row: Row): void {
    if (this.#directionCandidates.length === 0) return;
    this.#directionCandidates = this.#directionCandidates.filter(
      (candidate) => parseDirection(trimmedCell(row.cells, candidate)) !== null,
    );
  }

  #checkCurrency(row: Row): void {
    const index = this.#layout.columns.currency;
    const cell = trimmedCell(row.cells, index);
    if (index === undefined || parseCurrency(cell) !== undefined) return;
    this.#report(row, index, 'Not a currency code of three letters');
  }

  #name(index: number): string {
    return columnName(this.#layout, index);
  }

  #report(row: Row, index: number, reason: string): void {
    this.#problems.add(row.line, this.#name(index), row.cells[index] ?? '', reason);
  }
}

function isNotZero(cell: string): boolean {
  return /[1-9]/.test(cell);
}
