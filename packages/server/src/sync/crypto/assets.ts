import { formatQuantity, isQuantity, parseQuantity } from '@coffer/core/quantities';
import { nonsense } from '../../outside/bounded-fetch.ts';
import type { CryptoHolding } from '../prices/worth.ts';

/*
 * The best known assets by symbol, with CoinGecko's id for each. A symbol that several coins share is listed only when
 * all exchanges use it for the same coin: the price of another coin would be worse than no price.
 */
const coingeckoIds = {
  '1inch': '1inch',
  aave: 'aave',
  ada: 'cardano',
  algo: 'algorand',
  ankr: 'ankr',
  ape: 'apecoin',
  apt: 'aptos',
  ar: 'arweave',
  arb: 'arbitrum',
  atom: 'cosmos',
  avax: 'avalanche-2',
  axs: 'axie-infinity',
  bal: 'balancer',
  bat: 'basic-attention-token',
  bch: 'bitcoin-cash',
  blur: 'blur',
  bnb: 'binancecoin',
  bonk: 'bonk',
  bsv: 'bitcoin-cash-sv',
  btc: 'bitcoin',
  cbeth: 'coinbase-wrapped-staked-eth',
  celo: 'celo',
  chz: 'chiliz',
  comp: 'compound-governance-token',
  cro: 'crypto-com-chain',
  crv: 'curve-dao-token',
  cvx: 'convex-finance',
  dai: 'dai',
  dash: 'dash',
  doge: 'dogecoin',
  dot: 'polkadot',
  dydx: 'dydx-chain',
  egld: 'elrond-erd-2',
  enj: 'enjincoin',
  ens: 'ethereum-name-service',
  eos: 'eos',
  etc: 'ethereum-classic',
  eth: 'ethereum',
  ethw: 'ethereum-pow-iou',
  fet: 'fetch-ai',
  fil: 'filecoin',
  flow: 'flow',
  flr: 'flare-networks',
  gala: 'gala',
  gno: 'gnosis',
  grt: 'the-graph',
  hbar: 'hedera-hashgraph',
  icp: 'internet-computer',
  icx: 'icon',
  imx: 'immutable-x',
  inj: 'injective-protocol',
  jup: 'jupiter-exchange-solana',
  kava: 'kava',
  ksm: 'kusama',
  ldo: 'lido-dao',
  link: 'chainlink',
  lpt: 'livepeer',
  lrc: 'loopring',
  lsk: 'lisk',
  ltc: 'litecoin',
  luna: 'terra-luna-2',
  lunc: 'terra-luna',
  mana: 'decentraland',
  matic: 'matic-network',
  mina: 'mina-protocol',
  mkr: 'maker',
  mln: 'melon',
  near: 'near',
  ondo: 'ondo-finance',
  op: 'optimism',
  paxg: 'pax-gold',
  pepe: 'pepe',
  pol: 'polygon-ecosystem-token',
  pyth: 'pyth-network',
  pyusd: 'paypal-usd',
  qnt: 'quant-network',
  qtum: 'qtum',
  render: 'render-token',
  rep: 'augur',
  rune: 'thorchain',
  sand: 'the-sandbox',
  sc: 'siacoin',
  sei: 'sei-network',
  shib: 'shiba-inu',
  snx: 'havven',
  sol: 'solana',
  steth: 'staked-ether',
  storj: 'storj',
  strk: 'starknet',
  stx: 'blockstack',
  sui: 'sui',
  sushi: 'sushi',
  tao: 'bittensor',
  tia: 'celestia',
  ton: 'the-open-network',
  trx: 'tron',
  uni: 'uniswap',
  usdc: 'usd-coin',
  usdt: 'tether',
  ustc: 'terrausd',
  wbtc: 'wrapped-bitcoin',
  wif: 'dogwifcoin',
  wld: 'worldcoin-wld',
  xlm: 'stellar',
  xmr: 'monero',
  xrp: 'ripple',
  xtz: 'tezos',
  yfi: 'yearn-finance',
  zec: 'zcash',
  zrx: '0x',
} as const satisfies Readonly<Record<string, string>>;

/*
 * Fiat money that exchanges hold in addition to crypto. The currencies of the API cannot be used here: some of their
 * codes (ERN, MNT, SOS) are symbols of coins.
 */
const fiatCodes = new Set(
  `AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KES KRW KZT MXN MYR NGN NOK NZD PEN PHP
   PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR`.split(/\s+/),
);

/** CoinGecko's id of the asset with this lower-case symbol; null when the table above does not list it. */
export function coingeckoIdOf(symbol: string): string | null {
  return Object.hasOwn(coingeckoIds, symbol)
    ? coingeckoIds[symbol as keyof typeof coingeckoIds]
    : null;
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
      coingeckoId: coingeckoIdOf(symbol),
    })).sort((one, other) => (one.symbol < other.symbol ? -1 : 1));
  }
}
