import type { JournalFormat } from '../bytes/detect-format.ts';
import { addDays } from '@coffer/core/dates';
import { currencyOf } from '../statement/currencies.ts';
import type { Balance, Entry } from '../statement/statement.ts';
import { Refusal } from '../statement/statement-error.ts';
import { type Quantity, abs, shown, STEP, type Fixed } from './amount.ts';
import type { Resolved } from './balance.ts';
import {
  type Pad,
  type Posting,
  type Transaction,
  beancountTolerance,
  type Assertion,
  type Notices,
  type Survey,
} from './survey.ts';

/** Whether the first of two places in a journal comes before the second. */
type IsBefore = (one: Place, other: Place) => boolean;
type Place = Pick<Assertion, 'date' | 'at'>;

const BY_LINE: IsBefore = (one, other) => one.at < other.at;
const BY_DATE: IsBefore = (one, other) =>
  one.date === other.date ? one.at < other.at : one.date < other.date;

/** The balances that are stated for one account in one commodity, in the order in which they are checked. */
interface Checked {
  readonly account: string;
  readonly commodity: string;
  readonly isInclusive: boolean;
  readonly checks: Assertion[];
  /** Sums of the postings before each balance and since the one before it. */
  readonly sums: Fixed[];
}

/** Sums of the postings between the balances that are stated for their account, or for one above it. */
class SumsBetween {
  readonly #isBefore: IsBefore;
  readonly #byAccount = new Map<string, Map<string, Checked[]>>();

  constructor(checks: readonly Assertion[], isBefore: IsBefore) {
    this.#isBefore = isBefore;
    const sorted = checks.toSorted((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
    for (const check of sorted) {
      const { checks, sums } = this.#checkedOf(check);
      checks.push(check);
      sums.push(0n);
    }
  }

  #checkedOf({ account, quantity: { commodity }, isInclusive }: Assertion): Checked {
    const ofAccount = this.#byAccount.get(account) ?? new Map<string, Checked[]>();
    this.#byAccount.set(account, ofAccount);
    const all = listed(ofAccount, commodity);
    let checked = all.find((one) => one.isInclusive === isInclusive);
    if (checked === undefined)
      all.push((checked = { account, commodity, isInclusive, checks: [], sums: [] }));
    return checked;
  }

  get all(): Checked[] {
    return [...this.#byAccount.values()].flatMap((ofAccount) => [...ofAccount.values()].flat());
  }

  add(place: Place, { posting: { account }, commodity, value }: Resolved): void {
    for (let name = account; ; name = name.slice(0, name.lastIndexOf(':'))) {
      for (const checked of this.#byAccount.get(name)?.get(commodity) ?? []) {
        if (checked.isInclusive || name === account) this.#addTo(checked, place, value);
      }
      if (!name.includes(':')) return;
    }
  }

  #addTo({ checks, sums }: Checked, place: Place, value: Fixed): void {
    let low = 0;
    let high = checks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(checks[middle]!, place)) low = middle + 1;
      else high = middle;
    }
    if (low < sums.length) sums[low]! += value;
  }
}

/**
 * Checks the balances that a journal states. beancount and hledger count postings by date, and ledger in the order of
 * the file. Because a file may be one of ledger or of hledger, an assertion of these must be wrong in both orders.
 */
export class Assertions {
  readonly #orders: readonly SumsBetween[];

  constructor({ assertions }: Survey, format: JournalFormat) {
    const orders = format === 'beancount' ? [BY_DATE] : [BY_LINE, BY_DATE];
    const used = assertions.length > 0 ? orders : [];
    this.#orders = used.map((order) => new SumsBetween(assertions, order));
  }

  /** Adds the postings of a transaction. */
  add(date: string, all: readonly Resolved[]): void {
    for (const order of this.#orders)
      for (const one of all) {
        const { date: own, line } = one.posting;
        order.add({ date: own ?? date, at: line }, one);
      }
  }

  /** Warns about every assertion that is wrong, after all postings were added. */
  warn(notices: Notices): void {
    const [first, ...others] = this.#orders.map(failuresOf);
    for (const [assertion, balance] of first ?? []) {
      if (!others.every((failures) => failures.has(assertion))) continue;
      const { account, quantity, line } = assertion;
      const unit = (value: Fixed): string => `${shown(value)} ${quantity.commodity}`.trim();
      const stated = `Balance of "${account.slice(0, 100)}" is stated as ${unit(quantity.value)}`;
      notices.warn(line, `${stated}, but ${unit(balance)} follows from the transactions`);
    }
  }
}

/** The assertions that are wrong, with the balances that the postings total. */
function failuresOf(sumsBetween: SumsBetween): Map<Assertion, Fixed> {
  const failures = new Map<Assertion, Fixed>();
  for (const { checks, sums } of sumsBetween.all) {
    let balance = 0n;
    checks.forEach((one, nth) => {
      balance += sums[nth]!;
      if (abs(one.quantity.value - balance) <= one.tolerance) return;
      failures.set(one, balance);
      // What is missing before one is not reported again for those after it.
      balance = one.quantity.value;
    });
  }
  return failures;
}

/** The booked entries of the accounts whose balances a journal states: sums by day, in ten-thousandths. */
export class KnownBalances {
  readonly #stated: ReadonlyMap<string, readonly Assertion[]>;
  readonly #isBeginOfDay: boolean;
  readonly #sums = new Map<string, Map<string, bigint>>();

  constructor({ assertions }: Survey, format: JournalFormat) {
    this.#stated = Map.groupBy(assertions, ({ account }) => account);
    this.#isBeginOfDay = format === 'beancount';
  }

  add(account: string, { date, amount, isPending }: Entry): void {
    if (isPending === true || !this.#stated.has(account)) return;
    const sums = this.#sums.get(account) ?? new Map<string, bigint>();
    this.#sums.set(account, sums.set(date, (sums.get(date) ?? 0n) + BigInt(amount)));
  }

  /** The balance before the first entry, and the last stated one that the entries until its day make exactly. */
  of(account: string, currency: string | null): Balance[] {
    const days = [...(this.#sums.get(account) ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const isOf = ({ date, quantity: { commodity } }: Assertion): boolean =>
      date !== '' && (currency === null ? commodity === '' : currencyOf(commodity) === currency);
    const own = (this.#stated.get(account) ?? []).filter(isOf);
    let sum = days.reduce((so, [, each]) => so + each, 0n);
    for (const { date, quantity } of own.toSorted((a, b) => (a.date < b.date ? 1 : -1))) {
      const day = this.#isBeginOfDay ? addDays(date, -1) : date;
      while (days.length > 0 && days.at(-1)![0] > day) sum -= days.pop()![1];
      if (days.length === 0) break;
      if (sum * STEP !== quantity.value) continue;
      return [
        { kind: 'opening', amount: 0, date: days[0]![0] },
        { kind: 'ledger', amount: Number(sum), date: day },
      ];
    }
    return [];
  }
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
  readonly #sums: SumsBetween;

  constructor({ pads, assertions }: Survey) {
    const sorted = pads.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
    for (const pad of sorted) listed(this.#padsOf, pad.account).push(pad);
    const isNeeded = ({ account, at, quantity: { commodity } }: Assertion): boolean =>
      at === 0 && this.#padsOf.has(account) && currencyOf(commodity) !== null;
    this.#sums = new SumsBetween(assertions.filter(isNeeded), BY_DATE);
  }

  /** Adds the postings of a transaction. */
  add(date: string, all: readonly Resolved[]): void {
    if (this.#padsOf.size === 0) return;
    for (const one of all) if (!one.isLot) this.#sums.add({ date, at: one.posting.line }, one);
  }

  /** What each pad adds, after all postings were added; by the line of the pad. */
  finish(): Map<number, Padding[]> {
    const paddings = new Map<number, Padding[]>();
    for (const checked of this.#sums.all)
      for (const padding of paddingsOf(checked, this.#padsOf.get(checked.account)!))
        listed(paddings, padding.pad.line).push(padding);
    return paddings;
  }
}

function paddingsOf({ commodity, checks, sums }: Checked, pads: readonly Pad[]): Padding[] {
  const paddings: Padding[] = [];
  let balance = 0n;
  let at = 0;
  let active: Pad | undefined;
  checks.forEach(({ date, quantity: { value: wanted, places } }, nth) => {
    for (; at < pads.length && pads[at]!.date < date; at += 1) active = pads[at];
    balance += sums[nth]!;
    const value = wanted - balance;
    if (active !== undefined && abs(value) > beancountTolerance(places)) {
      paddings.push({ pad: active, commodity, value });
      balance = wanted;
    }
    active = undefined;
  });
  return paddings;
}

function listed<K, V>(lists: Map<K, V[]>, key: K): V[] {
  let list = lists.get(key);
  if (list === undefined) lists.set(key, (list = []));
  return list;
}

const MAX_BALANCES = 100_000;
const MAX_INCLUSIVE = 1_000;

/** The balances of accounts in the order of the file, for postings that have a balance in place of an amount. */
export class RunningBalances {
  readonly #byAccount = new Map<string, Map<string, Fixed>>();
  #count = 0;
  #inclusiveCount = 0;

  /** The amounts of postings that have only a balance: what is missing to it. */
  assign({ postings }: Transaction): Map<Posting, Quantity> {
    const assigned = new Map<Posting, Quantity>();
    const moved = new Map<string, Fixed>();
    for (const posting of postings) {
      const { account, amount } = posting;
      const quantity = amount.quantity ?? this.#missing(posting, moved);
      if (quantity === null) continue;
      if (amount.quantity === null) assigned.set(posting, quantity);
      const key = keyOf(account, quantity.commodity);
      moved.set(key, (moved.get(key) ?? 0n) + quantity.value);
    }
    return assigned;
  }

  add(all: readonly Resolved[]): void {
    for (const { posting, commodity, value } of all) {
      let balances = this.#byAccount.get(posting.account);
      if (balances === undefined)
        this.#byAccount.set(posting.account, (balances = new Map<string, Fixed>()));
      const before = balances.get(commodity);
      if (before === undefined) this.#count += 1;
      if (this.#count > MAX_BALANCES) throw new Refusal(`More than ${MAX_BALANCES} balances`);
      balances.set(commodity, (before ?? 0n) + value);
    }
  }

  #missing({ account, amount }: Posting, moved: ReadonlyMap<string, Fixed>): Quantity | null {
    const { balance } = amount;
    if (balance === null) return null;
    const { commodity } = balance;
    const accounts = amount.isInclusive ? this.#below(account) : [account];
    const now = accounts.reduce((sum, name) => {
      const before = this.#byAccount.get(name)?.get(commodity) ?? 0n;
      return sum + before + (moved.get(keyOf(name, commodity)) ?? 0n);
    }, 0n);
    return { ...balance, value: balance.value - now };
  }

  /** The account, and those below it that have a balance. */
  #below(account: string): string[] {
    this.#inclusiveCount += 1;
    if (this.#inclusiveCount > MAX_INCLUSIVE) {
      throw new Refusal(`More than ${MAX_INCLUSIVE} balances that include other accounts`);
    }
    const below = [...this.#byAccount.keys()].filter((name) => name.startsWith(`${account}:`));
    return [account, ...below];
  }
}

function keyOf(account: string, commodity: string): string {
  return `${account} ${JSON.stringify(commodity)}`;
}
