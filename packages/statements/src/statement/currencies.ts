import data from '../../currencies.json' with { type: 'json' };

const CODES = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Signs and abbreviations of one currency. */
const UNITS = unitsOf(data.units);

/** Abbreviations in Arabic. They are written with a point at the end or without. */
export const ARABIC_UNITS: ReadonlyMap<string, string> = unitsOf(data.arabic);
for (const [unit, code] of ARABIC_UNITS) UNITS.set(unit, code).set(`${unit}.`, code);

/** Signs of several currencies: the one that is meant most often first. */
const SHARED_UNITS = new Map<string, readonly string[]>(Object.entries(data.shared));

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

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** What banks write instead of a code: names in several languages, and the numbers of ISO 4217. */
const BY_NAME = unitsOf(data.names, fold);

/** The currency of a name such as `Euro` or `人民币`, or of a number such as `978`; null for any other text. */
export function namedCurrency(text: string): string | null {
  return text.length > 30 ? null : (BY_NAME.get(fold(text)) ?? null);
}

/** ISO codes of signs, and of codes in use before or next to ISO 4217. */
const SIGNS = unitsOf(data.signs);
const NO_MONEY = new Set(['XDR', 'XSU']);

/** The lower-case ISO code of a commodity that is a currency; null for shares, hours, points and the like. */
export function currencyOf(commodity: string): string | null {
  const sign = SIGNS.get(commodity);
  if (sign !== undefined) return sign;
  if (!/^(?:[A-Z]{3}|[a-z]{3})$/.test(commodity)) return null;
  const code = commodity.toUpperCase();
  return CODES.has(code.toLowerCase()) && !NO_MONEY.has(code) ? code.toLowerCase() : null;
}

/** The code of each unit of a table. */
function unitsOf(
  table: Readonly<Record<string, readonly string[]>>,
  keyOf = (unit: string) => unit,
): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([code, units]) => units.map((unit) => [keyOf(unit), code])),
  );
}
