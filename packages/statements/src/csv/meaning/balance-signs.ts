import { parseAmount, type Decimal } from '../../statement/amounts.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import type { Layout } from '../table/table.ts';

const FIRST_BYTES = 1024;

/** A set of lines of a file: a bit for each line. */
export class LineSet {
  #bits = new Uint8Array(FIRST_BYTES);

  add(line: number): void {
    const at = line >> 3;
    if (at >= this.#bits.length) {
      const longer = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      longer.set(this.#bits);
      this.#bits = longer;
    }
    this.#bits[at]! |= 1 << (line & 7);
  }

  has(line: number): boolean {
    return ((this.#bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0;
  }
}

/** Rows whose sign no balance shows: more are only counted. */
const MAX_UNKNOWN = 100;
const MAX_ACCOUNTS = 1000;

/** What the balances show of amounts without signs. */
export interface BalanceSigns {
  /** The lines of money out. */
  readonly out: LineSet;
  readonly outCount: number;
  /** The lines whose sign nothing shows. */
  readonly unknownLines: LineSet;
  readonly unknownCount: number;
  /** The first 100 of these rows. */
  readonly unknown: readonly Row[];
}

/** A row between two balances. */
interface Point {
  readonly row: Row;
  /** Null for a line with a balance alone. */
  readonly amount: number | null;
  readonly balance: number | null;
}

/** An order of the rows, and what the balances show in it. */
class Trial {
  readonly #isNewestFirst: boolean;
  /** By account: the row before. */
  readonly #last = new Map<string, Point>();
  readonly #ends = new Map<string, Point>();
  /** By account: whether a balance is below zero, or above it. */
  readonly #sides = new Map<string, { isBelow: boolean; isAbove: boolean }>();
  readonly out = new LineSet();
  readonly in = new LineSet();
  readonly unknownLines = new LineSet();
  readonly unknown: Row[] = [];
  unknownCount = 0;
  kept = 0;
  outCount = 0;
  inCount = 0;

  constructor(isNewestFirst: boolean) {
    this.#isNewestFirst = isNewestFirst;
  }

  add(account: string, point: Point): void {
    const before = this.#last.get(account);
    this.#noteSide(account, point.balance);
    if (before === undefined && this.#last.size >= MAX_ACCOUNTS) {
      this.#leave(point);
      return;
    }
    this.#last.set(account, point);
    if (this.#isNewestFirst) {
      if (before !== undefined) this.#link(before, before.balance, point.balance);
    } else if (before !== undefined) this.#link(point, point.balance, before.balance);
    else this.#ends.set(account, point);
  }

  #noteSide(account: string, balance: number | null): void {
    const side = this.#sides.get(account) ?? { isBelow: false, isAbove: false };
    this.#sides.set(account, side);
    if (balance !== null && balance < 0) side.isBelow = true;
    if (balance !== null && balance > 0) side.isAbove = true;
  }

  /** The sign of a row whose balance is `after`, where the one before it was `earlier`. */
  #link({ row, amount }: Point, after: number | null, earlier: number | null): void {
    if (amount === null || amount === 0) return;
    const moved = after === null || earlier === null ? null : after - earlier;
    if (moved === null || Math.abs(moved) !== amount) {
      this.#leave({ row, amount });
      return;
    }
    this.kept += 1;
    this.#note(row, moved < 0);
  }

  #note({ line }: Row, isOut: boolean): void {
    if (isOut) this.outCount += 1;
    else this.inCount += 1;
    (isOut ? this.out : this.in).add(line);
  }

  #leave({ row, amount }: Pick<Point, 'row' | 'amount'>): void {
    if (amount === null || amount === 0) return;
    this.unknownCount += 1;
    this.unknownLines.add(row.line);
    if (this.unknown.length < MAX_UNKNOWN) this.unknown.push(row);
  }

  /**
   * Ends the rows. The one at the end has no balance before it, which would be on the other side of zero with one of
   * both signs: that shows the sign where all balances of the account are on one side.
   */
  finish(): void {
    const ends = this.#isNewestFirst ? this.#last : this.#ends;
    for (const [account, point] of ends) {
      const { row, amount, balance } = point;
      const { isBelow, isAbove } = this.#sides.get(account)!;
      if (amount === null || amount === 0) continue;
      if (balance !== null && !isBelow && balance < amount) this.#note(row, true);
      else if (balance !== null && !isAbove && -balance < amount) this.#note(row, false);
      else this.#leave(point);
    }
  }
}

/** Finds the signs of amounts that have none by the balance of each row. */
export class BalanceSignSurvey {
  readonly #layout: Layout;
  readonly #decimal: Decimal;
  readonly #trials = [false, true].map((isNewestFirst) => new Trial(isNewestFirst));
  #lastDate = '';
  #ups = 0;
  #downs = 0;

  constructor(layout: Layout, decimal: Decimal) {
    this.#layout = layout;
    this.#decimal = decimal;
  }

  /** Adds a row; null is the date of a line with a balance alone. */
  add(row: Row, date: string | null): void {
    const { columns } = this.#layout;
    const valueOf = (index: number | undefined): number | null =>
      parseAmount(trimmedCell(row.cells, index), this.#decimal);
    const amount = date === null ? null : Math.abs(valueOf(columns.amount) ?? 0);
    const point = { row, amount, balance: valueOf(columns.balance) };
    const account = `${trimmedCell(row.cells, columns.account)}|${trimmedCell(row.cells, columns.currency)}`;
    for (const trial of this.#trials) trial.add(account, point);
    if (date === null) return;
    if (this.#lastDate !== '' && date > this.#lastDate) this.#ups += 1;
    if (date < this.#lastDate) this.#downs += 1;
    this.#lastDate = date;
  }

  /** The signs; null if the balances do not show them. */
  finish(): BalanceSigns | null {
    for (const trial of this.#trials) trial.finish();
    const [oldest, newest] = this.#trials as [Trial, Trial];
    const isDescending = this.#downs > 0 && this.#ups === 0;
    const isAscending = this.#ups > 0 && this.#downs === 0;
    // With dates in one order, an equal proof in the other order counts less.
    const isNewest = newest.kept > oldest.kept || (newest.kept === oldest.kept && isDescending);
    const best = isNewest ? newest : oldest;
    const isTie = best.kept > 0 && newest.kept === oldest.kept && !isDescending && !isAscending;
    if (best.kept < best.unknownCount || isTie) return null;
    // A balance before its row looks like the other order of rows and the other sign.
    const isTurned = isNewest ? isAscending : isDescending;
    const out = isTurned ? best.in : best.out;
    const outCount = isTurned ? best.inCount : best.outCount;
    const { unknownLines, unknownCount, unknown } = best;
    return { out, outCount, unknownLines, unknownCount, unknown };
  }
}
