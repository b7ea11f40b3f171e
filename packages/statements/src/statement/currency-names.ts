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
