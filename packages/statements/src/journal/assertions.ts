import type { JournalFormat } from '../bytes/detect-journal.ts';
import { abs, shown, type Fixed } from './text/decimals.ts';
import type { Resolved } from './text/balance.ts';
import type { Notices } from './text/notices.ts';
import type { Assertion, Survey } from './text/survey.ts';

/** Assertions of one account in one commodity, in the order in which they are checked. */
interface Group {
  readonly assertions: readonly Assertion[];
  readonly isInclusive: boolean;
  /** Sums of the postings before each assertion and since the one before it. */
  readonly sums: Fixed[];
}

/** Whether the first of two places in a journal comes before the second. */
type IsBefore = (one: Place, other: Place) => boolean;
type Place = Pick<Assertion, 'date' | 'at'>;

const BY_LINE: IsBefore = (one, other) => one.at < other.at;
const BY_DATE: IsBefore = (one, other) =>
  one.date === other.date ? one.at < other.at : one.date < other.date;

/**
 * Checks the balances that a journal states. beancount and hledger count postings by date, and ledger in the order of
 * the file. Because a file may be one of ledger or of hledger, an assertion of these must be wrong in both orders.
 */
export class Assertions {
  readonly #orders: readonly OrderedAssertions[];
  readonly #commodities = new Set<string>();

  constructor({ assertions }: Survey, format: JournalFormat) {
    const orders = format === 'beancount' ? [BY_DATE] : [BY_LINE, BY_DATE];
    const isUsed = assertions.length > 0;
    this.#orders = isUsed ? orders.map((order) => new OrderedAssertions(assertions, order)) : [];
    for (const { quantity } of assertions) this.#commodities.add(quantity.commodity);
  }

  /** Adds the postings of a transaction. */
  add(date: string, all: readonly Resolved[]): void {
    if (this.#orders.length === 0) return;
    for (const { posting, commodity, value } of all) {
      if (!this.#commodities.has(commodity)) continue;
      const place = { date: posting.date ?? date, at: posting.line };
      for (const order of this.#orders) order.add(place, posting.account, commodity, value);
    }
  }

  /** Warns about every assertion that is wrong, after all postings were added. */
  warn(notices: Notices): void {
    const [first, ...others] = this.#orders.map((order) => order.failures());
    for (const [assertion, balance] of first ?? []) {
      if (!others.every((failures) => failures.has(assertion))) continue;
      const { account, quantity, line } = assertion;
      const unit = (value: Fixed): string => `${shown(value)} ${quantity.commodity}`.trim();
      const stated = `Balance of "${account.slice(0, 100)}" is stated as ${unit(quantity.value)}`;
      notices.warn(line, `${stated}, but ${unit(balance)} follows from the transactions`);
    }
  }
}

class OrderedAssertions {
  readonly #isBefore: IsBefore;
  readonly #groups = new Map<string, Map<string, Group[]>>();

  constructor(assertions: readonly Assertion[], isBefore: IsBefore) {
    this.#isBefore = isBefore;
    const lists = new Map<string, Assertion[]>();
    const sorted = assertions.toSorted((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
    for (const one of sorted) {
      const key = JSON.stringify([one.account, one.quantity.commodity, one.isInclusive]);
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [one]);
      else list.push(one);
    }
    for (const list of lists.values()) this.#addGroup(list);
  }

  #addGroup(assertions: readonly Assertion[]): void {
    const { account, quantity, isInclusive } = assertions[0]!;
    const ofAccount = this.#groups.get(account) ?? new Map<string, Group[]>();
    this.#groups.set(account, ofAccount);
    const groups = ofAccount.get(quantity.commodity) ?? [];
    ofAccount.set(quantity.commodity, groups);
    groups.push({ assertions, isInclusive, sums: assertions.map(() => 0n) });
  }

  add(place: Place, account: string, commodity: string, value: Fixed): void {
    for (let name = account; ; name = name.slice(0, name.lastIndexOf(':'))) {
      for (const group of this.#groups.get(name)?.get(commodity) ?? []) {
        if (group.isInclusive || name === account) this.#addTo(group, place, value);
      }
      if (!name.includes(':')) return;
    }
  }

  #addTo({ assertions, sums }: Group, place: Place, value: Fixed): void {
    let low = 0;
    let high = assertions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(assertions[middle]!, place)) low = middle + 1;
      else high = middle;
    }
    if (low < sums.length) sums[low]! += value;
  }

  /** The assertions that are wrong, with the balances that the postings total. */
  failures(): Map<Assertion, Fixed> {
    const failures = new Map<Assertion, Fixed>();
    for (const ofAccount of this.#groups.values()) {
      for (const { assertions, sums } of [...ofAccount.values()].flat()) {
        let balance = 0n;
        assertions.forEach((one, nth) => {
          balance += sums[nth]!;
          if (abs(one.quantity.value - balance) <= one.tolerance) return;
          failures.set(one, balance);
          // What is missing before one is not reported again for those after it.
          balance = one.quantity.value;
        });
      }
    }
    return failures;
  }
}
