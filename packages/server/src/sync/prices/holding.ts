/** The quantity of one asset in an account. */
export interface CryptoHolding {
  /** Lower-case letters and digits, 1 to 25 characters, unique within a reading: `btc`. */
  readonly symbol: string;
  /** The name in responses, 1 to 45 characters: `BTC`. */
  readonly name: string;
  /** A decimal text with exactly 18 decimals, such as `0.100020003000400050`. */
  readonly quantity: string;
  /** The id of the asset at the price source; null when unknown. */
  readonly coingeckoId: string | null;
}

/** A holding with its value. */
export interface CryptoBalance extends CryptoHolding {
  /** Ten-thousandths of the book's primary currency, an integer within ±(2^53 − 1); null without a price. */
  readonly toBase: number | null;
  /** The time of the price, ISO 8601 in UTC; null without a price. */
  readonly priceAsOfIso: string | null;
}

/** The price of one unit of an asset in a currency that the context names. */
export interface AssetPrice {
  readonly coingeckoId: string;
  /** A number literal such as `65000.12` or `12e-9`. */
  readonly price: string;
  /** The time of the price, ISO 8601 in UTC. */
  readonly asOfIso: string;
}
