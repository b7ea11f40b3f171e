import type { JournalFormat } from '../bytes/detect-format.ts';
import { abs, shown, type Fixed, PLACES } from './text/decimals.ts';
import type { Resolved } from './text/balance.ts';
import type { Notices, Assertion, Survey } from './text/survey.ts';
import { currencyOf } from '../statement/currencies.ts';
import type { BalanceCheck, Pad } from './text/journal.ts';

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

/** The balances of one padded account in one commodity, by date. */
interface Checked {
  readonly account: string;
  readonly commodity: string;
  readonly checks: readonly BalanceCheck[];
  /** Sums of the postings before each check and since the one before it. */
  readonly sums: Fixed[];
}

/** What a pad adds to its account. */
export interface Padding {
  readonly pad: Pad;
  readonly commodity: string;
  readonly value: Fixed;
}

/**
 * Computes what the pads of a beancount file add. A pad makes the next balance of its account true, in each commodity;
 * the account's balance includes the accounts below it. Source: beancount's "Balances and padding".
 */
export class Pads {
  readonly #padsOf = new Map<string, Pad[]>();
  readonly #checked = new Map<string, Checked[]>();

  constructor({ pads, balances }: Survey) {
    for (const pad of pads.toSorted(byDate)) listed(this.#padsOf, pad.account).push(pad);
    const groups = new Map<string, BalanceCheck[]>();
    for (const check of balances.toSorted(byDate)) {
      const commodity = check.amount.quantity?.commodity ?? '';
      const isNeeded = this.#padsOf.has(check.account) && currencyOf(commodity) !== null;
      if (isNeeded) listed(groups, `${check.account} ${commodity}`).push(check);
    }
    for (const checks of groups.values()) {
      const { account, amount } = checks[0]!;
      const sums = checks.map(() => 0n);
      const { commodity } = amount.quantity!;
      listed(this.#checked, account).push({ account, commodity, checks, sums });
    }
  }

  /** Adds the postings of a transaction. */
  add(date: string, all: readonly Resolved[]): void {
    if (this.#checked.size === 0) return;
    for (const { posting, commodity, value, isLot } of all) {
      if (isLot) continue;
      let name = posting.account;
      for (;;) {
        for (const checked of this.#checked.get(name) ?? []) {
          if (checked.commodity === commodity) addTo(checked, date, value);
        }
        const colon = name.lastIndexOf(':');
        if (colon < 0) break;
        name = name.slice(0, colon);
      }
    }
  }

  /** What each pad adds, after all postings were added; by the line of the pad. */
  finish(): Map<number, Padding[]> {
    const paddings = new Map<number, Padding[]>();
    for (const [account, all] of this.#checked) {
      for (const checked of all) {
        for (const padding of paddingsOf(checked, this.#padsOf.get(account)!)) {
          listed(paddings, padding.pad.line).push(padding);
        }
      }
    }
    return paddings;
  }
}

function addTo({ checks, sums }: Checked, date: string, value: Fixed): void {
  let low = 0;
  let high = checks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (checks[middle]!.date > date) high = middle;
    else low = middle + 1;
  }
  if (low < sums.length) sums[low]! += value;
}

function paddingsOf({ commodity, checks, sums }: Checked, pads: readonly Pad[]): Padding[] {
  const paddings: Padding[] = [];
  let balance = 0n;
  let at = 0;
  let active: Pad | undefined;
  checks.forEach(({ date, amount }, nth) => {
    for (; at < pads.length && pads[at]!.date < date; at += 1) active = pads[at];
    balance += sums[nth]!;
    const { value: wanted, places } = amount.quantity!;
    const value = wanted - balance;
    const isOff = abs(value) > (places === 0 ? 0n : 10n ** BigInt(PLACES - places));
    if (active !== undefined && isOff) {
      paddings.push({ pad: active, commodity, value });
      balance = wanted;
    }
    active = undefined;
  });
  return paddings;
}

function byDate(a: { date: string; line: number }, b: { date: string; line: number }): number {
  return a.date < b.date ? -1 : a.date > b.date ? 1 : a.line - b.line;
}

function listed<K, V>(lists: Map<K, V[]>, key: K): V[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}
