import { Refusal } from '../statement-error.ts';
import type { BalanceCheck, Item, Pad, Transaction } from './journal.ts';
import { MarkEvidence } from './amounts/marks.ts';
import { currencyOf } from './amounts/commodities.ts';

const MAX_ACCOUNTS = 20_000;
const MAX_ACCOUNT_LENGTH = 1_000;
const MAX_BALANCES = 100_000;

/** What must be known of a whole file before its transactions can be understood. */
export class Survey {
  readonly evidence = new MarkEvidence();
  /** Of postings and pads, in file order. */
  readonly accounts = new Set<string>();
  /** Types of `account` directives, by account, as written. */
  readonly types = new Map<string, string>();
  /** Names of the five top accounts of beancount, by option. */
  readonly tops = new Map<string, string>();
  readonly pads: Pad[] = [];
  readonly balances: BalanceCheck[] = [];
  /** Whether a posting gets its amount from a balance. */
  hasAssignments = false;
  #bareCount = 0;
  #currencyCount = 0;

  /** Whether amounts without a commodity are money: most of the amounts that could be are such. */
  get isBareMoney(): boolean {
    return this.#bareCount > this.#currencyCount;
  }

  /** Whether amounts without a commodity are no money. */
  get hasBareHoldings(): boolean {
    return this.#bareCount > 0 && !this.isBareMoney;
  }

  addAccount(account: string): void {
    if (account.length > MAX_ACCOUNT_LENGTH) {
      throw new Refusal(`Account is longer than ${MAX_ACCOUNT_LENGTH} characters`);
    }
    this.accounts.add(account);
    this.#limit(this.accounts.size, MAX_ACCOUNTS, 'accounts');
  }

  addType(account: string, type: string): void {
    this.types.set(account, type);
    this.#limit(this.types.size, MAX_ACCOUNTS, 'accounts');
  }

  add(item: Item): void {
    if (item.kind === 'transaction') this.#addTransaction(item);
    else if (item.kind === 'balance') this.balances.push(item);
    else {
      this.pads.push(item);
      this.addAccount(item.account);
      this.addAccount(item.source);
    }
    this.#limit(this.pads.length + this.balances.length, MAX_BALANCES, 'balances');
  }

  #addTransaction({ postings, bucket }: Transaction): void {
    if (bucket !== null) this.addAccount(bucket);
    for (const { account, amount } of postings) {
      this.addAccount(account);
      const { quantity, balance } = amount;
      if (quantity?.commodity === '' && quantity.value !== 0n) this.#bareCount += 1;
      else if (quantity !== null && currencyOf(quantity.commodity) !== null) {
        this.#currencyCount += 1;
      }
      if (quantity === null && balance !== null) this.hasAssignments = true;
    }
  }

  #limit(count: number, most: number, what: string): void {
    if (count > most) throw new Refusal(`File has more than ${most} ${what}`);
  }
}
