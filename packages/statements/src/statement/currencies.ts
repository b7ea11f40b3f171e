import { namedCurrency } from './currency-names.ts';

const CODES = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Signs and abbreviations of one currency. */
const UNITS = new Map(
  Object.entries({
    '€': 'eur',
    '£': 'gbp',
    '₹': 'inr',
    '₽': 'rub',
    '₴': 'uah',
    '₺': 'try',
    '₪': 'ils',
    '₩': 'krw',
    '฿': 'thb',
    '₫': 'vnd',
    '₦': 'ngn',
    '₱': 'php',
    '₸': 'kzt',
    '₾': 'gel',
    '₼': 'azn',
    '₡': 'crc',
    '₲': 'pyg',
    '₵': 'ghs',
    r$: 'brl',
    us$: 'usd',
    'us $': 'usd',
    a$: 'aud',
    au$: 'aud',
    c$: 'cad',
    ca$: 'cad',
    nz$: 'nzd',
    hk$: 'hkd',
    s$: 'sgd',
    mx$: 'mxn',
    nt$: 'twd',
    zł: 'pln',
    kč: 'czk',
    ft: 'huf',
    rs: 'inr',
    'rs.': 'inr',
    руб: 'rub',
    'руб.': 'rub',
    'р.': 'rub',
    rur: 'rub',
    грн: 'uah',
    'грн.': 'uah',
    лв: 'bgn',
    'лв.': 'bgn',
    lei: 'ron',
    'fr.': 'chf',
    fr: 'chf',
    sfr: 'chf',
    'sfr.': 'chf',
    tl: 'try',
    rm: 'myr',
    rp: 'idr',
    元: 'cny',
    円: 'jpy',
    원: 'krw',
    'ש"ח': 'ils',
    din: 'rsd',
  }),
);

/** Abbreviations in Arabic. They are written with a point at the end or without. */
export const ARABIC_UNITS: readonly (readonly [unit: string, code: string])[] = [
  ['د.إ', 'aed'],
  ['ر.س', 'sar'],
  ['ج.م', 'egp'],
  ['د.ك', 'kwd'],
  ['ر.ق', 'qar'],
  ['د.ب', 'bhd'],
  ['ر.ع', 'omr'],
  ['د.أ', 'jod'],
  ['د.ا', 'jod'],
  ['ل.ل', 'lbp'],
  ['د.ت', 'tnd'],
  ['د.م', 'mad'],
  ['د.ج', 'dzd'],
  ['ل.س', 'syp'],
  ['د.ع', 'iqd'],
  ['ر.ي', 'yer'],
  ['د.ل', 'lyd'],
  ['ج.س', 'sdg'],
];
for (const [unit, code] of ARABIC_UNITS) UNITS.set(unit, code).set(`${unit}.`, code);

/** Signs of several currencies: the one that is meant most often first. */
const SHARED_UNITS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    $: 'usd cad aud nzd sgd hkd mxn twd clp cop ars uyu'.split(' '),
    '¥': ['jpy', 'cny'],
    '￥': ['cny', 'jpy'],
    kr: ['sek', 'nok', 'dkk', 'isk'],
    'kr.': ['dkk', 'nok', 'sek', 'isk'],
  }),
);

/** The currency of a sign, an abbreviation or an ISO 4217 code; null if it is unknown or shared by several. */
export function unitCurrency(unit: string): string | null {
  const lower = unit.toLowerCase();
  return UNITS.get(lower) ?? (CODES.has(lower) ? lower : null);
}

/** The currencies that share a sign, such as `$`; empty for other texts. */
export function sharingCurrencies(unit: string): readonly string[] {
  return SHARED_UNITS.get(unit.toLowerCase()) ?? [];
}

/** The sign, abbreviation or code in an amount, such as `USD` in `12.00 USD`; null if there is none. */
export function unitOfAmount(text: string): string | null {
  const isSigned = text.charCodeAt(0) === 45 || text.charCodeAt(0) === 43;
  if (isBare(text.charCodeAt(isSigned ? 1 : 0)) && isBare(text.charCodeAt(text.length - 1)))
    return null;
  const unit = text
    .replace(/[\p{Cf}]/gu, '')
    .replace(/[\p{Nd}\s+\-\u2212\u2013()]|[.,'’٫٬](?=\p{Nd})|(?<!\p{L})[CD]R$/giu, '')
    .replace(/^[.,]+/, '');
  return unit === '' ? null : unit;
}

/** An amount without a unit begins and ends with a digit or a point, apart from its sign. */
function isBare(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46 || code === 44;
}

/**
 * A currency by its code, sign or name, as three lower-case letters; null if the cell is blank, has only a dash, or is
 * `kr`, which four countries use; undefined if it is not a currency.
 */
export function parseCurrency(cell: string): string | null | undefined {
  if (cell === '') return null;
  const code = cell.toLowerCase();
  if (/^[a-z]{3}$/.test(code)) return UNITS.get(code) ?? namedCurrency(code) ?? code;
  if (/^kr\.?$/.test(code)) return null;
  const known = UNITS.get(code) ?? SHARED_UNITS.get(code)?.[0] ?? namedCurrency(cell);
  if (known !== null) return known;
  if (/^[-\u2013\u2014]{1,3}$/.test(cell)) return null;
  const first = /^([a-z]{3})(?: ?[-(/:]|$)/.exec(code)?.[1];
  return first !== undefined && CODES.has(first) ? first : undefined;
}
