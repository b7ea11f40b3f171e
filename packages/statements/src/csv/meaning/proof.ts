import { formatAmount } from '@coffer/core/money';
import { parseAmount, type Decimal } from '../../amounts.ts';
import type { StatementWarning } from '../../statement.ts';
import { trimmedCell } from '../rows/cells.ts';
import type { Row } from '../rows/rows.ts';
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
  readonly #claims: Claim[];

  constructor(layout: Layout, decimal: Decimal, rules: readonly MoneyRule[]) {
    this.#layout = layout;
    this.#decimal = decimal;
    const all = [...rules, ...rules.map((rule) => ({ ...rule, isNegated: !rule.isNegated }))];
    this.#claims = all.flatMap((rule) =>
      [false, true].map((isNewestFirst) => ({
        ...{ rule, isNewestFirst, links: 0, kept: 0, breaks: [], open: new Map() },
      })),
    );
  }

  add({ cells, line }: Row): void {
    const { columns } = this.#layout;
    const balance = parseAmount(trimmedCell(cells, columns.balance), this.#decimal);
    const account = `${trimmedCell(cells, columns.account)}|${trimmedCell(cells, columns.currency)}`;
    for (const claim of this.#claims) {
      const amount = moneyOf(cells, columns, claim.rule, this.#decimal);
      if (amount !== null) addTo(claim, account, amount, balance, line);
    }
  }

  /** The rule that the balances prove; null if they prove none better than the others. */
  decide(isUndecided: boolean, ruleCount: number): { rule: MoneyRule; isTurned: boolean } | null {
    const claims = this.#claims.toSorted((a, b) => b.kept - a.kept);
    const [best] = claims;
    if (best === undefined || best.kept === 0 || best.kept * 2 < best.links) return null;
    const likely = this.#best((claim) => claim.rule === this.#claims[0]!.rule);
    if (isUndecided) return this.#onlyBest(best, ruleCount);
    if (likely.kept * 2 >= likely.links)
      return likely.kept >= best.kept ? null : this.#surely(best, ruleCount);
    return this.#surely(best, ruleCount);
  }

  /** A rule other than the likely one needs every link, and more than one. */
  #surely(best: Claim, ruleCount: number) {
    return best.links >= 2 && best.kept === best.links ? this.#chosen(best, ruleCount) : null;
  }

  #onlyBest(best: Claim, ruleCount: number) {
    const rivals = this.#claims.filter(
      ({ kept, rule }) => kept === best.kept && rule !== best.rule,
    );
    const isOfFile = (claim: Claim) => this.#indexOf(claim) < ruleCount;
    const serious = rivals.filter((claim) => isOfFile(claim) || !isOfFile(best));
    return serious.length > 0 ? null : this.#chosen(best, ruleCount);
  }

  #chosen(best: Claim, ruleCount: number) {
    return { rule: best.rule, isTurned: this.#indexOf(best) >= ruleCount };
  }

  #indexOf(claim: Claim): number {
    return Math.floor(this.#claims.indexOf(claim) / 2);
  }

  #best(isWanted: (claim: Claim) => boolean): Claim {
    return this.#claims.filter(isWanted).toSorted((a, b) => b.kept - a.kept)[0]!;
  }

  /** The rows whose balance does not follow from the amounts by the rule. */
  warnings(rule: MoneyRule): StatementWarning[] {
    const claim = this.#best((candidate) => sameRule(candidate.rule, rule));
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
