import type { CryptoHolding } from '../prices/holding.ts';
import { coingeckoIdOf } from './assets.ts';
import { nonsense } from '../../outside/bounded-fetch.ts';
import { formatQuantity, isQuantity } from '@coffer/core/quantities';

const maxHoldings = 1000;
const symbolPattern = /^[a-z0-9]{1,25}$/;

/** Adds up the amounts that a provider lists, asset by asset. */
export class Holdings {
  readonly #who: string;
  readonly #sums = new Map<string, bigint>();

  /** `who` is the provider's name in error messages. */
  constructor(who: string) {
    this.#who = who;
  }

  /**
   * Adds an amount in 10^-18 units of an asset; zero adds no asset.
   *
   * @throws CryptoRefreshError (`nonsense`) for a symbol that is not 1 to 25 letters and digits, for more than 1,000
   *   assets, and for a sum that is not a valid quantity
   */
  add(symbol: string, quantity: bigint): void {
    if (quantity === 0n) return;
    const key = symbol.toLowerCase();
    if (!symbolPattern.test(key))
      throw nonsense(this.#who, 'a symbol that is not 1 to 25 letters and digits');
    const sum = (this.#sums.get(key) ?? 0n) + quantity;
    if (!isQuantity(sum)) throw nonsense(this.#who, 'an amount of 10^18 units or more');
    this.#sums.set(key, sum);
    if (this.#sums.size > maxHoldings) throw nonsense(this.#who, 'more than 1,000 assets');
  }

  /** All assets that were added, ordered by symbol. */
  list(): CryptoHolding[] {
    return Array.from(this.#sums, ([symbol, sum]) => ({
      symbol,
      name: symbol.toUpperCase(),
      quantity: formatQuantity(sum),
      coingeckoId: coingeckoIdOf(symbol),
    })).sort((one, other) => (one.symbol < other.symbol ? -1 : 1));
  }
}
