import { isFiat } from './assets.ts';

/** Codes that differ from the symbol in general use. */
const symbols: Readonly<Record<string, string>> = {
  ETH2: 'eth',
  LUNA: 'lunc',
  LUNA2: 'luna',
  REPV2: 'rep',
  UST: 'ustc',
  XBT: 'btc',
  XDG: 'doge',
  XETC: 'etc',
  XETH: 'eth',
  XLTC: 'ltc',
  XMLN: 'mln',
  XREP: 'rep',
  XXBT: 'btc',
  XXDG: 'doge',
  XXLM: 'xlm',
  XXMR: 'xmr',
  XXRP: 'xrp',
  XZEC: 'zec',
};
/** Credits for fees, which are not an asset. */
const credits = 'KFEE';
/** Extensions of the same asset: staked, opted in, earning, yield-bearing, parachain, on hold. */
const sameAsset = /^(.+)\.(?:S|M|F|B|P|HOLD)$/;
/** An asset bonded for a number of days, as in `DOT28.S`. */
const bonded = /^([A-Z]{3,})\d{2}\.S$/;

/**
 * Returns the lower-case symbol of a Kraken asset code; null for fiat money and for credits.
 *
 * `XXBT` -> `btc`, `ETH2.S` -> `eth`, `DOT28.S` -> `dot`, `ZUSD` -> null. A code with any other extension is another
 * asset: `TSLA.T` -> `tslat`.
 *
 * Source: Kraken's list of assets, and its article on extensions.
 */
export function krakenSymbol(code: string): string | null {
  const base = bonded.exec(code)?.[1] ?? sameAsset.exec(code)?.[1] ?? code;
  if (base === credits || isFiat(base) || isFiat(base.replace(/^Z(?=[A-Z]{3}$)/, ''))) return null;
  if (Object.hasOwn(symbols, base)) return symbols[base]!;
  return base.replaceAll('.', '').toLowerCase();
}
