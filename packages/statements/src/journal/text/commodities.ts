/** ISO codes of signs, and of codes in use before or next to ISO 4217. */
const SIGNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    $: 'usd',
    US$: 'usd',
    USD$: 'usd',
    A$: 'aud',
    AU$: 'aud',
    C$: 'cad',
    CA$: 'cad',
    NZ$: 'nzd',
    HK$: 'hkd',
    S$: 'sgd',
    R$: 'brl',
    MX$: 'mxn',
    NT$: 'twd',
    '€': 'eur',
    '£': 'gbp',
    '¥': 'jpy',
    '￥': 'jpy',
    円: 'jpy',
    元: 'cny',
    'CN¥': 'cny',
    RMB: 'cny',
    '₹': 'inr',
    'Rs.': 'inr',
    Rs: 'inr',
    '₽': 'rub',
    руб: 'rub',
    'руб.': 'rub',
    'р.': 'rub',
    '₩': 'krw',
    '₪': 'ils',
    '₫': 'vnd',
    '₴': 'uah',
    грн: 'uah',
    '₺': 'try',
    TL: 'try',
    '₦': 'ngn',
    '฿': 'thb',
    '₱': 'php',
    '₡': 'crc',
    '₲': 'pyg',
    '₸': 'kzt',
    '₼': 'azn',
    '₾': 'gel',
    '₵': 'ghs',
    zł: 'pln',
    Kč: 'czk',
    Ft: 'huf',
    лв: 'bgn',
    'лв.': 'bgn',
    'Fr.': 'chf',
    SFr: 'chf',
    'sFr.': 'chf',
    lei: 'ron',
    euro: 'eur',
    EUROS: 'eur',
    Euro: 'eur',
  }),
);
const CODES = new Set(Intl.supportedValuesOf('currency'));
const NO_MONEY = new Set(['XDR', 'XSU']);

/** The lower-case ISO code of a commodity that is a currency; null for shares, hours, points and the like. */
export function currencyOf(commodity: string): string | null {
  const sign = SIGNS.get(commodity);
  if (sign !== undefined) return sign;
  if (!/^(?:[A-Z]{3}|[a-z]{3})$/.test(commodity)) return null;
  const code = commodity.toUpperCase();
  return CODES.has(code) && !NO_MONEY.has(code) ? code.toLowerCase() : null;
}
