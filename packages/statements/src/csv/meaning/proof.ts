import { formatAmount } from '@coffer/core/money';
import { parseAmount, type Decimal } from '../../statement/amounts.ts';
import type { StatementWarning } from '../../statement/statement.ts';
import { trimmedCell } from '../table/cells.ts';
import type { Row } from '../table/rows.ts';
import { columnName, type Layout } from '../table/table.ts';
import { moneyOf, type MoneyRule } from './money.ts';

const MAX_BREAKS = 20;
const MAX_ACCOUNTS = 1000;

/** A rule for money, and an order of the rows: does each balance follow from the one before? */
interface Claim {
  readonly rule: MoneyRule;
  readonly isNewestFirst: boolean;
  links: number;
  kept: number;
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
        kept: 0,
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
      .reduce((a, b) => (b.claim.kept > a.claim.kept ? b : a));
    const { kept, links } = best.claim;
    if (kept === 0 || kept * 2 < links) return null;
    if (isUndecided) return this.#onlyBest(best);
    const likely = this.#best(0).claim;
    return likely.kept * 2 >= likely.links && likely.kept >= kept ? null : this.#surely(best);
  }

  /** Whether every balance follows by the rule, and there are some. */
  proves(rule: MoneyRule): boolean {
    const { kept, links } = this.#best(this.#indexOf(rule)).claim;
    return links > 0 && kept === links;
  }

  /** Whether most balances follow by the rule, or there are none. */
  mostlyProves(rule: MoneyRule): boolean {
    const { kept, links } = this.#best(this.#indexOf(rule)).claim;
    return this.#hasBalances ? kept * 2 > links : true;
  }

  /** A rule other than the likely one needs every link, and more than one. */
  #surely({ at, claim }: Ranked) {
    return claim.links >= 2 && claim.kept === claim.links ? this.#chosen(at) : null;
  }

  #onlyBest({ at, claim }: Ranked) {
    const isOfFile = (index: number) => index < this.#ruleCount;
    const isRival = (_: MoneyRule, index: number) =>
      index !== at &&
      this.#best(index).claim.kept === claim.kept &&
      (isOfFile(index) || !isOfFile(at));
    return this.#rules.some(isRival) ? null : this.#chosen(at);
  }

  #chosen(at: number) {
    return { rule: this.#rules[at]!, isTurned: at >= this.#ruleCount };
  }

  #indexOf(rule: MoneyRule): number {
    return this.#rules.findIndex((candidate) => sameRule(candidate, rule));
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
    return { at, claim: claims.reduce((a, b) => (b.kept > a.kept ? b : a)) };
  }

  /** The rows whose balance does not follow from the amounts by the rule. */
  warnings(rule: MoneyRule): StatementWarning[] {
    const { claim } = this.#best(this.#indexOf(rule));
    const broken = claim.links - claim.kept;
    if (broken === 0) return [];
    const name = columnName(this.#layout, this.#layout.columns.balance!);
    const first = claim.breaks[0]!.line;
    if (claim.kept * 2 < claim.links) {
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
    if (expected === balance) claim.kept += 1;
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
