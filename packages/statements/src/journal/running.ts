import { Refusal } from '../statement/statement-error.ts';
import type { Quantity } from './text/amount.ts';
import type { Resolved } from './text/balance.ts';
import type { Fixed } from './text/decimals.ts';
import type { Posting, Transaction } from './text/journal.ts';

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
