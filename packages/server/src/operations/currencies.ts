/** Codes by the decimals of their minor unit. */
const codesByDigits = [
  [0, 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf'],
  [
    2,
    `aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd btn bwp byn
    bzd cad cdf chf cny cop crc cuc cup cve czk dkk dop dzd egp ern etb eur fjd fkp gbp gel
    ggp ghs gip gmd gtq gyd hkd hnl hrk htg huf idr ils imp inr irr jep jmd kes kgs khr kpw
    kyd kzt lak lbp lkr lrd lsl ltl lvl mad mdl mga mkd mmk mnt mop mro mur mvr mwk mxn myr
    mzn nad ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sdg sek
    sgd shp sll sos srd std svc syp szl thb tjs tmt top try ttd twd tzs uah usd uyu uzs vef
    ves wst xcd yer zar zmw zwl`,
  ],
  [3, 'bhd iqd jod kwd lyd omr tnd'],
  [4, 'clf xag xau'],
  [8, 'btc'],
  [18, 'eth'],
] as const;

/**
 * The supported currencies by lower-case code, with the decimals of their minor unit.
 *
 * The decimals are those of ISO 4217. For codes that ISO 4217 does not have they are those of the coin (`btc` 8,
 * `eth` 18), of the currency it is pegged to (`ggp`, `imp`, `jep`), or the four of the API (`xag`, `xau`, in troy
 * ounces). Amounts in the API have four decimals in every currency. Withdrawn codes stay, for old records.
 */
export const currencies = Object.fromEntries(
  codesByDigits
    .flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, digits] as const))
    .sort(([one], [other]) => (one < other ? -1 : 1)),
) as Readonly<Record<CurrencyCode, number>>;

/** A lower-case currency code, such as `usd`. */
export type CurrencyCode = Words<(typeof codesByDigits)[number][1]>;

/** The words of a text, as a union of types. */
type Words<Text extends string> = Text extends `${infer First}\n${infer Rest}`
  ? Words<First> | Words<Rest>
  : Text extends `${infer First} ${infer Rest}`
    ? (First extends '' ? never : First) | Words<Rest>
    : Text;

/** Every currency code, in alphabetical order. */
export const currencyCodes: readonly CurrencyCode[] = Object.keys(currencies) as CurrencyCode[];

/** Returns whether a text is the lower-case code of a supported currency. Upper-case codes are not. */
export function isCurrencyCode(text: string): text is CurrencyCode {
  return Object.hasOwn(currencies, text);
}
