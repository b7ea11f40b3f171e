import { formatAmount } from '@coffer/core/money';
import { looksLikeDate, parseDate, type ReadDate } from '../../statement/dates.ts';
import { parseAmount } from '../../statement/amounts.ts';
import {
  DATE_ORDERS,
  type Balance,
  type Decimal,
  type Entry,
  type StatedBalances,
  type StatementWarning,
} from '../../statement/statement.ts';
import { balanceName, parseDirection, withoutDay } from '../../words/meanings.ts';
import { isBalanceOfAccount, trimmedCell } from '../table/cells.ts';
import type { Layout } from '../table/header.ts';
import type { Row } from '../table/rows.ts';

const MAX_ACCOUNTS = 1000;
const MAX_LINES = 20;
/** Characters of a text in which dates are looked for. */
const MAX_TEXT = 200;
const DATES =
  /(?<![\d./-])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2}))(?![\d./-])/g;

/**
 * How a column of balances may be meant: they follow or precede their rows, which are newest first or not, and may be
 * what is owed. Each of the first four gives a number that is the same for all rows of an account: the balance before
 * the first row, or that after the last one.
 */
const GROUPS = [1, -1].flatMap((sign) =>
  [true, false].map((isAfter) =>
    [false, true].map((isNewestFirst) => ({ sign, isAfter, isNewestFirst })),
  ),
);
type ReadingOfColumn = (typeof GROUPS)[number][number];

/** The booked entries of an account in one currency, in file order, and their balances. */
class Chain {
  /** By the place of the reading; null if a row contradicts it. */
  readonly #constants = new Map<ReadingOfColumn, number | null>();
  first = '';
  last = '';
  sum = 0;
  count = 0;
  #balanceCount = 0;
  #ups = 0;
  #downs = 0;
  #lastDate = '';
  #isFirstKnown = false;
  #isLastKnown = false;

  add({ amount, date }: Pick<Entry, 'amount' | 'date'>, balance: number | null): void {
    if (this.#lastDate !== '' && date > this.#lastDate) this.#ups += 1;
    if (date < this.#lastDate) this.#downs += 1;
    this.#lastDate = date;
    if (this.first === '' || date < this.first) this.first = date;
    if (date > this.last) this.last = date;
    const before = this.sum;
    this.sum += amount;
    this.count += 1;
    this.#isLastKnown = balance !== null;
    if (this.count === 1) this.#isFirstKnown = balance !== null;
    if (balance === null) return;
    this.#balanceCount += 1;
    for (const reading of GROUPS.flat()) this.#follow(reading, balance, before);
  }

  #follow(reading: ReadingOfColumn, balance: number, before: number): void {
    const { sign, isAfter, isNewestFirst } = reading;
    const own = sign * balance;
    // With the newest first, the rows so far are those after the balance.
    const passed = isAfter === isNewestFirst ? before : this.sum;
    const constant = isNewestFirst ? own + passed : own - passed;
    const known = this.#constants.get(reading);
    if (known === undefined) this.#constants.set(reading, constant);
    else if (known !== constant) this.#constants.set(reading, null);
  }

  /** Whether a reading is left. */
  get isOpen(): boolean {
    return this.#balanceCount === 0 || [...this.#constants.values()].some((each) => each !== null);
  }

  /** The balances before the first entry and after the last; none if those of the rows do not show them. */
  get balances(): readonly Balance[] {
    if (this.#balanceCount === 0) return [];
    for (const group of GROUPS) {
      const closings = new Set(group.flatMap((reading) => this.#closing(reading) ?? []));
      const [closing] = closings;
      if (closings.size > 1) return [];
      if (closing !== undefined) return balancesOf(this, closing);
    }
    return [];
  }

  /** The last balance by a reading; null if rows or dates contradict it, or too few rows show it. */
  #closing(reading: ReadingOfColumn): number | null {
    const { sign, isAfter, isNewestFirst } = reading;
    const constant = this.#constants.get(reading) ?? null;
    const isSorted = this.#ups > 0 !== this.#downs > 0;
    if (constant === null || (isSorted && isNewestFirst !== this.#downs > 0)) return null;
    const isLatest = isNewestFirst ? this.#isFirstKnown : this.#isLastKnown;
    const isUsual = isAfter && sign === 1;
    const needed = isUsual ? (isLatest ? 1 : 2) : 3;
    if (this.#balanceCount < needed) return null;
    return isNewestFirst ? constant : constant + this.sum;
  }
}

function balancesOf({ first, last, sum }: Chain, closing: number, day = last): readonly Balance[] {
  const opening = closing - sum;
  if (!Number.isSafeInteger(opening) || !Number.isSafeInteger(closing)) return [];
  return [
    { kind: 'opening', amount: opening, date: first },
    { kind: 'ledger', amount: closing, date: day < last ? last : day },
  ];
}

/** A line with a balance, above the table, in it or below it. */
interface BalanceLine {
  readonly line: number;
  readonly amount: number;
  readonly date: string | null;
  readonly isOpening: boolean;
}

/** What is needed to read the balances of a table. */
export interface BalanceReading {
  readonly layout: Layout;
  readonly decimal: Decimal;
  readonly readDate: ReadDate;
  /** Whether money out is positive in the file: then a balance may be what is owed. */
  readonly isNegated: boolean;
}

/**
 * Finds the balances that a table states: by the balance of each row, which must follow from all of its amounts, else
 * by lines such as `Closing balance`.
 */
export class StatedBalanceSurvey {
  readonly #reading: BalanceReading;
  readonly #chains = new Map<
    string,
    { account: string | null; currency: string | null } & { chain: Chain }
  >();
  readonly #lines: BalanceLine[] = [];
  /** The dates of lines that are no entries. */
  readonly #days: string[] = [];
  /** The last days of the periods that lines name by two days. */
  readonly #periodEnds: string[] = [];
  #isTooMany = false;

  constructor(reading: BalanceReading) {
    this.#reading = reading;
  }

  /** Adds an entry with the cells of its row. */
  add({ account, currency, amount, date, isPending }: Entry, cells: readonly string[]): void {
    if (isPending === true || this.#isTooMany) return;
    const key = JSON.stringify([account, currency]);
    const known = this.#chains.get(key) ?? { account, currency, chain: new Chain() };
    this.#chains.set(key, known);
    const { layout, decimal } = this.#reading;
    known.chain.add(
      { amount, date },
      parseAmount(trimmedCell(cells, layout.columns.balance), decimal),
    );
    this.#isTooMany = this.#chains.size > MAX_ACCOUNTS;
  }

  /** Whether there are lines with balances. */
  get hasLines(): boolean {
    return this.#lines.length > 0;
  }

  /** Whether more entries can show balances: those of another account, or such that a line decides. */
  get isOpen(): boolean {
    const { account, currency } = this.#reading.layout.columns;
    if (this.#isTooMany) return false;
    if (this.hasLines || account !== undefined || currency !== undefined) return true;
    const chains = [...this.#chains.values()];
    return chains.length === 0 || chains.some(({ chain }) => chain.isOpen);
  }

  /** Adds a row that is no entry; `next` is the one below it. */
  addLine({ cells, line }: Row, next: Row | undefined): void {
    const days = [...new Set(cells.flatMap((cell) => this.#datesIn(cell)))];
    this.#days.push(...days);
    if (days.length === 2 && days[0]! < days[1]!) this.#periodEnds.push(days[1]!);
    const { layout, decimal } = this.#reading;
    const ofAccount = isBalanceOfAccount(cells, layout)
      ? parseAmount(trimmedCell(cells, layout.columns.amount), decimal)
      : null;
    if (ofAccount !== null && this.#lines.length < MAX_LINES)
      this.#lines.push({ line, amount: ofAccount, date: days[0] ?? null, isOpening: false });
    for (const [index, cell] of cells.entries()) {
      const name = this.#lines.length < MAX_LINES ? balanceName(cell.trim()) : null;
      if (name === null || name === 'available') continue;
      const amount = this.#amountAfter(cells, index, next);
      if (amount === null) continue;
      const own = [...cells.slice(index), ...cells.slice(0, index)];
      const [date = null] = own.flatMap((each) => this.#datesIn(each));
      this.#lines.push({ line, amount, date, isOpening: name === 'opening' });
    }
  }

  /**
   * The amount after the name of a balance: in the column of balances, in a later cell, in the same one, before or
   * after its date, or below. A word for money out in the column of directions makes it negative.
   */
  #amountAfter(cells: readonly string[], index: number, next: Row | undefined): number | null {
    const { layout, decimal } = this.#reading;
    const read = (text = ''): number | null =>
      looksLikeDate(text.trim()) ? null : parseAmount(text.trim(), decimal);
    const own = read(trimmedCell(cells, layout.columns.balance));
    const later = cells.slice(index + 1).map(read);
    const inside = cells[index]!.split(':').at(-1)!;
    const found =
      own ??
      later.find((amount) => amount !== null) ??
      read(inside) ??
      read(inside.split(DATES).at(-1)) ??
      read(withoutDay(inside));
    if (found === null) return read(next?.cells[index]);
    const isOut = layout.directionColumns.some(
      (column) => parseDirection(trimmedCell(cells, column)) === -1,
    );
    return isOut && found > 0 ? -found : found;
  }

  /** The dates in a cell, in the order of those of the table if they have it. */
  #datesIn(cell: string): string[] {
    if (cell.length > MAX_TEXT) return [];
    const texts = [cell.trim(), ...(cell.match(DATES) ?? [])].filter(looksLikeDate);
    return texts.flatMap((text) => {
      const own = this.#reading.readDate(text);
      if (own !== null) return [own];
      const others = new Set(DATE_ORDERS.flatMap((order) => parseDate(text, order) ?? []));
      return others.size === 1 ? [...others] : [];
    });
  }

  /** The balances of each account that has one currency, and what a user should know of them. */
  finish(): {
    readonly stated: readonly StatedBalances[];
    readonly warnings: readonly StatementWarning[];
  } {
    const all = [...this.#chains.values()];
    const counts = Map.groupBy(all, ({ account }) => account);
    const single = all.filter(({ account }) => counts.get(account)!.length === 1);
    const stated = single.flatMap(({ account, currency, chain }) => {
      const { balances } = chain;
      return balances.length === 0 ? [] : [{ account, currency, balances }];
    });
    const [only, ...others] = all;
    if (stated.length > 0 || only === undefined || others.length > 0)
      return { stated, warnings: [] };
    const { account, currency, chain } = only;
    const { balances, warnings } = this.#byLines(chain);
    return { stated: balances.length === 0 ? [] : [{ account, currency, balances }], warnings };
  }

  /** The balances of lines: an opening and a closing one whose difference is that of the entries, or only the last. */
  #byLines(chain: Chain): { balances: readonly Balance[]; warnings: readonly StatementWarning[] } {
    for (const sign of [1, -1])
      for (const { amount, date } of this.#lines) {
        const isProved = this.#lines.some((one) => sign * (amount - one.amount) === chain.sum);
        if (chain.sum !== 0 && isProved)
          return { balances: balancesOf(chain, sign * amount, date ?? chain.last), warnings: [] };
      }
    const { openings = [], closings = [] } = Object.groupBy(this.#lines, ({ isOpening }) =>
      isOpening ? 'openings' : 'closings',
    );
    const [last, ...more] = closings.filter(
      ({ amount }, at) => closings.findIndex((other) => other.amount === amount) === at,
    );
    const { isNegated, layout } = this.#reading;
    if (last === undefined || more.length > 0 || isNegated || layout.isCardAbove)
      return { balances: [], warnings: [] };
    if (openings.length > 0) return { balances: [], warnings: [unlike(openings[0]!, last)] };
    return {
      balances: [{ kind: 'ledger', amount: last.amount, date: this.#dayOf(last, chain) }],
      warnings: [],
    };
  }

  /** The day of a balance: its own, or the end of the period, or else the last day of the file. */
  #dayOf({ date }: BalanceLine, { last }: Chain): string {
    const ends = this.#periodEnds.length > 0 ? this.#periodEnds : this.#days;
    return date ?? [last, ...ends].toSorted().at(-1)!;
  }
}

function unlike(opening: BalanceLine, closing: BalanceLine): StatementWarning {
  const [from, to] = [opening.amount, closing.amount].map((amount) => formatAmount(amount));
  return {
    line: closing.line,
    text: `The balance changes from ${from} to ${to}, but the entries do not make this difference`,
  };
}
