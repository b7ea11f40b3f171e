import { maxAmount } from '@coffer/core/money';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { moveBalances } from '../ledger/accounts/balances.ts';
import { ratesOf } from '../ledger/currencies/actions.ts';
import type { ImportAccount } from './entry.ts';

/** The total of an account, debit positive, in its currency. */
interface Total {
  amount: bigint;
  readonly account: ImportAccount;
  /** The latest date of a row. */
  date: string;
}

/** Computes what the rows of an import are worth, and moves the balances of their accounts at the end. */
export class ImportValues {
  readonly #change: Change;
  readonly #primaryCurrency: string;
  readonly #totals = new Map<number, Total>();
  readonly #currenciesWithoutRate = new Set<string>();
  #withoutRate = 0;

  constructor(change: Change, primaryCurrency: string) {
    this.#change = change;
    this.#primaryCurrency = primaryCurrency;
  }

  /** Returns the value of an amount in the primary currency of the book; 0 without a rate, which is counted. */
  *toBase(amount: number, currency: string, date: string): Steps<number> {
    if (currency === this.#primaryCurrency) return amount;
    const value = yield* this.#convert(amount, currency, this.#primaryCurrency, date);
    if (value !== null) return value;
    this.#withoutRate += 1;
    this.#currenciesWithoutRate.add(currency);
    return 0;
  }

  /** Adds a row to the total of its account. Without a rate for the currency of the account it adds nothing. */
  *add(account: ImportAccount, amount: number, currency: string, date: string): Steps<void> {
    const isOwn = currency === account.currency;
    const own = isOwn ? amount : yield* this.#convert(amount, currency, account.currency, date);
    if (own === null) return;
    const total = this.#totals.get(account.id) ?? { amount: 0n, account, date };
    total.amount += BigInt(own);
    if (date > total.date) total.date = date;
    this.#totals.set(account.id, total);
  }

  /** Moves the balance of each account once. A total that is no amount moves nothing. */
  *moveBalances(): Steps<void> {
    const totals = [...this.#totals.values()].filter(({ amount }) => isAmount(amount));
    const moves = totals.map(({ amount, account, date }) => ({
      accountId: account.id,
      amount: Number(amount),
      currency: account.currency,
      date,
    }));
    yield* moveBalances(this.#change, moves);
  }

  get result(): { withoutRate: number; currenciesWithoutRate: readonly string[] } {
    const currenciesWithoutRate = [...this.#currenciesWithoutRate].sort();
    return { withoutRate: this.#withoutRate, currenciesWithoutRate };
  }

  *#convert(amount: number, from: string, to: string, date: string): Steps<number | null> {
    const rates = yield* ratesOf();
    return yield* rates.convert(amount, from, to, date);
  }
}

function isAmount(sum: bigint): boolean {
  return sum <= BigInt(maxAmount) && sum >= -BigInt(maxAmount);
}
