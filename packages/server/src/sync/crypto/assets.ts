import { formatQuantity, isQuantity, parseQuantity } from '@coffer/core/quantities';
import { nonsense } from '../../outside/bounded-fetch.ts';
import { catalogue } from '../prices/catalogue.ts';
import type { CryptoHolding } from '../prices/worth.ts';

/*
 * Symbols that mean the same asset at all exchanges: that of the catalogue. Other symbols are shared by several coins,
 * and the price of another coin would be worse than no price.
 */
const knownSymbols: ReadonlySet<string> = new Set(
  `1inch aave ada algo ankr ape apt ar arb atom avax axs bal bat bch blur bnb bonk bsv btc cbeth celo chz comp cro
   crv cvx dai dash doge dot dydx egld enj ens eos etc eth ethw fet fil flow flr gala gno grt hbar icp icx imx inj
   jup kava ksm ldo link lpt lrc lsk ltc luna lunc mana matic mina mkr mln near ondo op paxg pepe pol pyth pyusd
   qnt qtum render rep rune sand sc sei shib snx sol steth storj strk stx sui sushi tao tia ton trx uni usdc usdt
   ustc wbtc wif wld xlm xmr xrp xtz yfi zec zrx`.split(/\s+/),
);
const coingeckoIds = new Map(
  catalogue
    .filter(({ symbol }) => knownSymbols.has(symbol))
    .map(({ symbol, coingecko_id }) => [symbol, coingecko_id]),
);

/*
 * Fiat money that exchanges hold in addition to crypto. The currencies of the API cannot be used here: some of their
 * codes (ERN, MNT, SOS) are symbols of coins.
 */
const fiatCodes = new Set(
  `AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KES KRW KZT MXN MYR NGN NOK NZD PEN PHP
   PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR`.split(/\s+/),
);

/** CoinGecko's id of the asset with this lower-case symbol; null when exchanges do not agree on it. */
export function coingeckoIdOf(symbol: string): string | null {
  return coingeckoIds.get(symbol) ?? null;
}

/** Whether the code, in capitals, is a fiat currency in which exchanges keep accounts. */
export function isFiat(code: string): boolean {
  return fiatCodes.has(code);
}

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

  /** Adds an amount that is decimal text. Throws as {@link add}, and for any other value. */
  addDecimal(symbol: string, value: unknown): void {
    const quantity = typeof value === 'string' ? parseQuantity(value) : null;
    if (quantity === null) throw nonsense(this.#who, 'an amount that is not a decimal number');
    this.add(symbol, quantity);
  }

  /** All assets that were added, ordered by symbol. */
  list(): CryptoHolding[] {
    return Array.from(this.#sums, ([symbol, sum]) => ({
      symbol,
      name: symbol.toUpperCase(),
      quantity: formatQuantity(sum),
      coingecko_id: coingeckoIdOf(symbol),
    })).sort((one, other) => (one.symbol < other.symbol ? -1 : 1));
  }
}
