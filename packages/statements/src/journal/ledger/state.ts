import type { Decimal } from '../../statement/amounts.ts';
import { Refusal } from '../../statement/statement-error.ts';
import type { Amount, Quantity } from '../text/amount.ts';

const MAX_ALIASES = 1_000;
const MAX_APPLIED = 100;
const MAX_NAME_LENGTH = 1_000;

interface Applied {
  readonly kind: string;
  readonly value: string;
}

/** What the directives of a ledger or hledger journal set, up to the current line. */
export class LedgerState {
  year: number | null = null;
  /** The account that balances transactions of one posting. */
  bucket: string | null = null;
  defaultCommodity: string | null = null;
  /** The last alias comes first. */
  #aliases: (readonly [from: string, to: string])[] = [];
  readonly #applied: Applied[] = [];

  addAlias(from: string, to: string): void {
    if (this.#aliases.length >= MAX_ALIASES) throw new Refusal(`More than ${MAX_ALIASES} aliases`);
    this.#aliases.unshift([from, to]);
  }

  endAliases(): void {
    this.#aliases = [];
  }

  apply(kind: string, value: string): void {
    if (this.#applied.length >= MAX_APPLIED) {
      throw new Refusal(`More than ${MAX_APPLIED} nested "apply" directives`);
    }
    // The year before is restored at the end.
    this.#applied.push({ kind, value: kind === 'year' ? String(this.year ?? '') : value });
    if (kind === 'year' && /^\d{4}$/.test(value)) this.year = Number(value);
  }

  /** Ends the last applied directive, of the kind if one is given. */
  endApply(kind: string): void {
    const at = this.#applied.findLastIndex((applied) => kind === '' || applied.kind === kind);
    if (at < 0) return;
    const [ended] = this.#applied.splice(at, 1);
    if (ended?.kind === 'year') this.year = ended.value === '' ? null : Number(ended.value);
  }

  /** Tags of `apply tag`. */
  get tags(): string[] {
    return this.#applied.filter(({ kind }) => kind === 'tag').map(({ value }) => value);
  }

  /**
   * The name of an account after `apply account` and aliases. Each alias is applied once, the last one first, so that
   * circular ones end. Errors: Refusal if the name grows too long.
   */
  accountOf(name: string): string {
    const parents = this.#applied.filter(({ kind }) => kind === 'account');
    let account = [...parents.map(({ value }) => value), name].join(':');
    for (const [from, to] of this.#aliases) {
      if (account === from) account = to;
      else if (account.startsWith(`${from}:`)) account = to + account.slice(from.length);
      if (account.length > MAX_NAME_LENGTH) {
        throw new Refusal(`Account is longer than ${MAX_NAME_LENGTH} characters`);
      }
    }
    return account;
  }

  /** The amount, in the default commodity if it has none. */
  withDefault(amount: Amount): Amount {
    const commodity = this.defaultCommodity;
    if (commodity === null) return amount;
    const fill = (quantity: Quantity | null): Quantity | null =>
      quantity?.commodity === '' ? { ...quantity, commodity } : quantity;
    const { cost, price } = amount;
    return {
      ...amount,
      quantity: fill(amount.quantity),
      balance: fill(amount.balance),
      cost: cost === null ? null : { ...cost, quantity: fill(cost.quantity) },
      price: price === null ? null : { ...price, quantity: fill(price.quantity) },
    };
  }
}

/** The mark of a `decimal-mark` directive. */
export function decimalMark(text: string): Decimal | null {
  return text === '.' ? 'point' : text === ',' ? 'comma' : null;
}
