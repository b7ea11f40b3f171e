const CODES = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Signs and abbreviations of one currency. */
const UNITS = unitsOf({
  eur: '€',
  gbp: '£',
  inr: '₹|rs|rs.',
  rub: '₽|руб|руб.|р.|rur',
  uah: '₴|грн|грн.',
  try: '₺|tl',
  ils: '₪|ש"ח',
  krw: '₩|원',
  thb: '฿',
  vnd: '₫',
  ngn: '₦',
  php: '₱',
  kzt: '₸',
  gel: '₾',
  azn: '₼',
  crc: '₡',
  pyg: '₲',
  ghs: '₵',
  brl: 'r$',
  usd: 'us$|us $',
  aud: 'a$|au$',
  cad: 'c$|ca$',
  nzd: 'nz$',
  hkd: 'hk$',
  sgd: 's$',
  mxn: 'mx$',
  twd: 'nt$',
  pln: 'zł',
  czk: 'kč',
  huf: 'ft',
  bgn: 'лв|лв.',
  ron: 'lei',
  chf: 'fr.|fr|sfr|sfr.',
  myr: 'rm',
  idr: 'rp',
  cny: '元',
  jpy: '円',
  rsd: 'din',
});

/** Abbreviations in Arabic. They are written with a point at the end or without. */
export const ARABIC_UNITS: ReadonlyMap<string, string> = unitsOf({
  aed: 'د.إ',
  sar: 'ر.س',
  egp: 'ج.م',
  kwd: 'د.ك',
  qar: 'ر.ق',
  bhd: 'د.ب',
  omr: 'ر.ع',
  jod: 'د.أ|د.ا',
  lbp: 'ل.ل',
  tnd: 'د.ت',
  mad: 'د.م',
  dzd: 'د.ج',
  syp: 'ل.س',
  iqd: 'د.ع',
  yer: 'ر.ي',
  lyd: 'د.ل',
  sdg: 'ج.س',
});
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

/** What banks write instead of a code, by code: names in several languages, and the numbers of ISO 4217. */
const NAMES: Record<string, string> = {
  eur: '978|euro|euros|euroa|eurot|eura|eur.|evro|евро|євро|欧元|歐元|ユーロ|유로|ευρω|אירו|يورو',
  usd: '840|us dollar|us dollars|u.s. dollar|dollar us|dolar|dolares|dolar americano|dollaro usa|доллар сша|долар сша|美元|美金|米ドル|달러|דולר|دولار',
  gbp: '826|pound sterling|pounds sterling|british pound|pound|sterling|фунт стерлингов|英镑|英鎊|イギリスポンド',
  chf: '756|swiss franc|schweizer franken|franken|franc suisse|瑞士法郎|スイスフラン',
  jpy: '392|yen|japanese yen|日元|日圓|日圆|円|엔',
  cny: '156|rmb|renminbi|yuan|人民币|人民币元|人民幣|cnh|인민폐',
  hkd: '344|hong kong dollar|港币|港元|港幣',
  twd: '901|新台币|新臺幣|新台幣|臺幣|台幣|ntd',
  krw: '410|won|원화|韩元|韓元',
  sgd: '702|singapore dollar|新加坡元|新币',
  aud: '036|australian dollar|australian dollars|澳元|澳大利亚元',
  cad: '124|canadian dollar|canadian dollars|dollar canadien|加元|加拿大元',
  nzd: '554|new zealand dollar|新西兰元',
  rub: '643|810|рубль|рубли|российский рубль|российские рубли|руб. рф|rubel|卢布',
  uah: '980|гривня|гривна|hryvnia|українська гривня',
  kzt: '398|тенге|теңге|tenge',
  byn: '933|белорусский рубль',
  pln: '985|zloty|zlote|polski zloty',
  czk: '203|ceska koruna|koruna ceska|koruna',
  huf: '348|forint|magyar forint',
  sek: '752|svenska kronor|svensk krona|swedish krona',
  nok: '578|norske kroner|norwegian krone',
  dkk: '208|danske kroner|danish krone',
  ron: '946|leu|leu romanesc|lei noi',
  bgn: '975|lev|лев|лева',
  try: '949|turk lirasi|lira|trl|ytl',
  inr: '356|rupee|rupees|indian rupee|indian rupees',
  brl: '986|real|reais|real brasileiro',
  mxn: '484|peso mexicano|pesos mexicanos|m.n.|mxp',
  ils: '376|שקל|שקל חדש|nis|₪ שקל|ש״ח|ש"ח',
  zar: '710|rand|south african rand',
  thb: '764|baht|บาท|泰铢',
  idr: '360|rupiah',
  vnd: '704|dong|đồng',
};

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const BY_NAME: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([code, list]) =>
    list.split('|').map((name) => [fold(name), code] as const),
  ),
);

/** The currency of a name such as `Euro` or `人民币`, or of a number such as `978`; null for any other text. */
export function namedCurrency(text: string): string | null {
  return text.length > 30 ? null : (BY_NAME.get(fold(text)) ?? null);
}

/** ISO codes of signs, and of codes in use before or next to ISO 4217. */
const SIGNS = unitsOf({
  usd: '$|US$|USD$',
  aud: 'A$|AU$',
  cad: 'C$|CA$',
  nzd: 'NZ$',
  hkd: 'HK$',
  sgd: 'S$',
  brl: 'R$',
  mxn: 'MX$',
  twd: 'NT$',
  eur: '€|euro|EUROS|Euro',
  gbp: '£',
  jpy: '¥|￥|円',
  cny: '元|CN¥|RMB',
  inr: '₹|Rs.|Rs',
  rub: '₽|руб|руб.|р.',
  krw: '₩',
  ils: '₪',
  vnd: '₫',
  uah: '₴|грн',
  try: '₺|TL',
  ngn: '₦',
  thb: '฿',
  php: '₱',
  crc: '₡',
  pyg: '₲',
  kzt: '₸',
  azn: '₼',
  gel: '₾',
  ghs: '₵',
  pln: 'zł',
  czk: 'Kč',
  huf: 'Ft',
  bgn: 'лв|лв.',
  chf: 'Fr.|SFr|sFr.',
  ron: 'lei',
});
const NO_MONEY = new Set(['XDR', 'XSU']);

/** The lower-case ISO code of a commodity that is a currency; null for shares, hours, points and the like. */
export function currencyOf(commodity: string): string | null {
  const sign = SIGNS.get(commodity);
  if (sign !== undefined) return sign;
  if (!/^(?:[A-Z]{3}|[a-z]{3})$/.test(commodity)) return null;
  const code = commodity.toUpperCase();
  return CODES.has(code.toLowerCase()) && !NO_MONEY.has(code) ? code.toLowerCase() : null;
}

/** The code of each unit of a table, in which units are separated by `|`. */
function unitsOf(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([code, units]) =>
      units.split('|').map((unit) => [unit, code] as const),
    ),
  );
}
