import type { CryptoHolding } from '../records/crypto.ts';
import { coingeckoIdOf } from './assets.ts';
import { nonsense } from './bounded-fetch.ts';
import { formatQuantity, isQuantity } from './quantity.ts';

const maxHoldings = 1000;
const symbolPattern = /^[a-z0-9]{1,25}$/;

/** Adds up what a provider lists, asset by asset. */
export class Holdings {
  readonly #who: string;
  readonly #sums = new Map<string, bigint>();

  /** `who` begins the sentences that refuse. */
  constructor(who: string) {
    this.#who = who;
  }

  /**
   * Adds 10^-18 units of an asset; nothing of an asset is left out.
   *
   * @throws CryptoRefreshError (`nonsense`) for a symbol that is not 1 to 25 letters and digits, for more than 1,000
   *   assets, and for a sum that cannot be a quantity
   */
  add(symbol: string, quantity: bigint): void {
    if (quantity === 0n) return;
    const key = symbol.toLowerCase();
    if (!symbolPattern.test(key)) throw nonsense(this.#who, 'a symbol of an unknown form');
    const sum = (this.#sums.get(key) ?? 0n) + quantity;
    if (!isQuantity(sum)) throw nonsense(this.#who, 'an amount beyond all bounds');
    this.#sums.set(key, sum);
    if (this.#sums.size > maxHoldings) throw nonsense(this.#who, 'more than 1,000 assets');
  }

  /** Everything that was added, ordered by symbol. */
  list(): CryptoHolding[] {
    return Array.from(this.#sums, ([symbol, sum]) => ({
      symbol,
      name: symbol.toUpperCase(),
      quantity: formatQuantity(sum),
      coingeckoId: coingeckoIdOf(symbol),
    })).sort((one, other) => (one.symbol < other.symbol ? -1 : 1));
  }
}
