import { currencyOf } from '../text/commodities.ts';
import { abs, PLACES, type Fixed } from '../text/decimals.ts';
import type { BalanceCheck, Pad } from '../text/journal.ts';
import type { Resolved } from '../text/balance.ts';
import type { Survey } from '../text/survey.ts';

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
