import { formatAmount } from '@coffer/core/money';
import { parseAmount } from '../../statement/amounts.ts';
import { NumberSet } from '../../statement/kept.ts';
import type { Decimal, StatementWarning } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import { columnName, type Layout } from '../table/header.ts';
import { moneyOf, type MoneyRule } from './entries.ts';

const MAX_BREAKS = 20;
const MAX_ACCOUNTS = 1000;

/** A rule for money, and an order of the rows: does each balance follow from the one before? */
interface Claim {
  readonly rule: MoneyRule;
  readonly isNewestFirst: boolean;
  links: number;
  matches: number;
  breaks: { line: number; expected: number; found: number }[];
  /** By account: the last balance and the amounts since. */
  readonly open: Map<string, { balance: number; since: number }>;
}

/** Compares the balances of a table with its amounts, for every rule that may give them and both orders of rows. */
export class BalanceProof {
  readonly #layout: Layout;
  readonly #decimal: Decimal;
  /** The rules, then the same with the other sign. */
  readonly #rules: readonly MoneyRule[];
  readonly #ruleCount: number;
  readonly #claims: readonly Claim[];
  #lastDate = '';
  #ups = 0;
  #downs = 0;
  #hasBalances = false;

  constructor(layout: Layout, decimal: Decimal, rules: readonly MoneyRule[]) {
    this.#layout = layout;
    this.#decimal = decimal;
    this.#ruleCount = rules.length;
    this.#rules = [...rules, ...rules.map((rule) => ({ ...rule, isNegated: !rule.isNegated }))];
    this.#claims = this.#rules.flatMap((rule) =>
      [false, true].map((isNewestFirst) => ({
        rule,
        isNewestFirst,
        links: 0,
        matches: 0,
        breaks: [],
        open: new Map(),
      })),
    );
  }

  add({ cells, line }: Row, date: string): void {
    const { columns } = this.#layout;
    const balance = parseAmount(trimmedCell(cells, columns.balance), this.#decimal);
    const account = `${trimmedCell(cells, columns.account)}|${trimmedCell(cells, columns.currency)}`;
    if (balance !== null) this.#hasBalances = true;
    if (this.#lastDate !== '' && date > this.#lastDate) this.#ups += 1;
    if (date < this.#lastDate) this.#downs += 1;
    this.#lastDate = date;
    for (const claim of this.#claims) {
      const amount = moneyOf(cells, columns, claim.rule, this.#decimal);
      if (amount !== null) addTo(claim, account, amount, balance, line);
    }
  }

  /** The rule that the balances prove; null if they prove none better than the others. */
  decide(isUndecided: boolean): { rule: MoneyRule; isTurned: boolean } | null {
    const best = this.#rules
      .map((_, at) => this.#best(at))
      .reduce((a, b) => (b.claim.matches > a.claim.matches ? b : a));
    const { matches, links } = best.claim;
    if (matches === 0 || matches * 2 < links) return null;
    if (isUndecided) return this.#onlyBest(best);
    const likely = this.#best(0).claim;
    return likely.matches * 2 >= likely.links && likely.matches >= matches
      ? null
      : this.#surely(best);
  }

  /** Whether every balance follows by the rule, and there are some. */
  proves(rule: MoneyRule): boolean {
    const { matches, links } = this.#best(this.#indexOf(rule)).claim;
    return links > 0 && matches === links;
  }

  /** Whether most balances follow by the rule, or there are none. */
  mostlyProves(rule: MoneyRule): boolean {
    const { matches, links } = this.#best(this.#indexOf(rule)).claim;
    return this.#hasBalances ? matches * 2 > links : true;
  }

  /** A rule other than the likely one needs every link, and more than one. */
  #surely({ at, claim }: Ranked) {
    return claim.links >= 2 && claim.matches === claim.links ? this.#chosen(at) : null;
  }

  #onlyBest({ at, claim }: Ranked) {
    const isOfFile = (index: number) => index < this.#ruleCount;
    const isRival = (_: MoneyRule, index: number) =>
      index !== at &&
      this.#best(index).claim.matches === claim.matches &&
      (isOfFile(index) || !isOfFile(at));
    return this.#rules.some(isRival) ? null : this.#chosen(at);
  }

  #chosen(at: number) {
    return { rule: this.#rules[at]!, isTurned: at >= this.#ruleCount };
  }

  #indexOf(rule: MoneyRule): number {
    return this.#rules.findIndex((each) => sameRule(each, rule));
  }

  /**
   * The claim that shows most of a rule. A balance before each row instead of after it looks like the other order of
   * rows and the other sign: the dates show which.
   */
  #best(at: number): Ranked {
    const isSorted = this.#ups > 0 !== this.#downs > 0;
    const other = (at + this.#ruleCount) % this.#rules.length;
    const claims = [false, true].map((isNewestFirst) => {
      const isContrary = isSorted && isNewestFirst !== this.#downs > 0;
      return this.#claims[2 * (isContrary ? other : at) + Number(isNewestFirst)]!;
    });
    return { at, claim: claims.reduce((a, b) => (b.matches > a.matches ? b : a)) };
  }

  /** The rows whose balance does not follow from the amounts by the rule. */
  warnings(rule: MoneyRule): StatementWarning[] {
    const { claim } = this.#best(this.#indexOf(rule));
    const broken = claim.links - claim.matches;
    if (broken === 0) return [];
    const name = columnName(this.#layout, this.#layout.columns.balance!);
    const first = claim.breaks[0]!.line;
    if (claim.matches * 2 < claim.links) {
      const text = `Column "${name}" does not follow from the amounts in ${broken} of ${claim.links} rows`;
      return [{ line: first, text }];
    }
    const more = broken - claim.breaks.length;
    return [
      ...claim.breaks.map(({ line, expected, found }) => ({
        line,
        text: `Balance ${formatAmount(found)} does not follow from the amount: ${formatAmount(expected)} expected`,
      })),
      ...(more > 0 ? [{ line: null, text: `Balance does not follow in ${more} more rows` }] : []),
    ];
  }
}

/** A rule by its place, and what shows it best. */
interface Ranked {
  readonly at: number;
  readonly claim: Claim;
}

/** Counts the link between a balance and the one before it. */
function addTo(
  claim: Claim,
  account: string,
  amount: number,
  balance: number | null,
  line: number,
): void {
  const open = claim.open.get(account);
  if (open !== undefined && !claim.isNewestFirst) open.since += amount;
  if (balance !== null && open !== undefined) {
    const expected = claim.isNewestFirst ? open.balance - open.since : open.balance + open.since;
    claim.links += 1;
    if (expected === balance) claim.matches += 1;
    else if (claim.breaks.length < MAX_BREAKS)
      claim.breaks.push({ line, expected, found: balance });
  }
  if (balance !== null && (open !== undefined || claim.open.size < MAX_ACCOUNTS)) {
    claim.open.set(account, { balance, since: claim.isNewestFirst ? amount : 0 });
  } else if (open !== undefined && claim.isNewestFirst) open.since += amount;
}

function sameRule(a: MoneyRule, b: MoneyRule): boolean {
  return (Object.keys(a) as (keyof MoneyRule)[]).every((key) => a[key] === b[key]);
}

/** Rows whose sign no balance shows: more are only counted. */
const MAX_UNKNOWN = 100;

/** What the balances show of amounts without signs. */
export interface BalanceSigns {
  /** The lines of money out. */
  readonly out: NumberSet;
  readonly outCount: number;
  /** The lines whose sign nothing shows. */
  readonly unknownLines: NumberSet;
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
  readonly out = new NumberSet();
  readonly in = new NumberSet();
  readonly unknownLines = new NumberSet();
  readonly unknown: Row[] = [];
  unknownCount = 0;
  matches = 0;
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
    this.matches += 1;
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
    const isNewest =
      newest.matches > oldest.matches || (newest.matches === oldest.matches && isDescending);
    const best = isNewest ? newest : oldest;
    const isTie =
      best.matches > 0 && newest.matches === oldest.matches && !isDescending && !isAscending;
    if (best.matches < best.unknownCount || isTie) return null;
    // A balance before its row looks like the other order of rows and the other sign.
    const isTurned = isNewest ? isAscending : isDescending;
    const out = isTurned ? best.in : best.out;
    const outCount = isTurned ? best.inCount : best.outCount;
    const { unknownLines, unknownCount, unknown } = best;
    return { out, outCount, unknownLines, unknownCount, unknown };
  }
}
