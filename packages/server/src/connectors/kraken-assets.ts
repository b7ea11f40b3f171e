import { isFiat } from './fiat.ts';

/** Codes that are not the symbol that everybody else uses. */
const odd: Readonly<Record<string, string>> = {
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
/** What is no asset: credits for fees. */
const credits = 'KFEE';
/** Staked, opted in, earning of itself, yield-bearing, parachain, on hold: the asset is the same. */
const sameAsset = /^(.+)\.(?:S|M|F|B|P|HOLD)$/;
/** An asset bonded for so many days, as in `DOT28.S`. */
const bonded = /^([A-Z]{3,})\d{2}\.S$/;

/**
 * The symbol, in lower case, of an asset code of Kraken's; null for money that is not crypto and for credits.
 *
 * `XXBT` -> `btc`, `ETH2.S` -> `eth`, `DOT28.S` -> `dot`, `ZUSD` -> null. An extension that is not known to mean the same
 * asset makes another one: `TSLA.T` -> `tslat`.
 *
 * Source: Kraken's list of assets, and its article on extensions.
 */
export function krakenSymbol(code: string): string | null {
  const base = bonded.exec(code)?.[1] ?? sameAsset.exec(code)?.[1] ?? code;
  if (base === credits || isFiat(base) || isFiat(base.replace(/^Z(?=[A-Z]{3}$)/, ''))) return null;
  if (Object.hasOwn(odd, base)) return odd[base]!;
  return base.replaceAll('.', '').toLowerCase();
}
