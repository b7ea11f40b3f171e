import { AMOUNTS, type Decimal } from '../../statement/amounts.ts';
import { ConventionFinder, type Conventions } from '../../statement/convention.ts';
import { DATES, GIVEN_DATES, parseDate, type DateOrder } from '../../statement/dates.ts';

const MAX_DATE_LENGTH = 64;
/** Blanks and separators between the parts of a date, as in ` 1/ 3'04`. */
const SEPARATOR = /(?<=\w) {0,4}([-/.']) {0,4}(?=\w)/g;

/**
 * Writes a date of Quicken as the parser of dates expects it: `1/ 3'04` is 1/3/2004, because a year after an
 * apostrophe is of this century, and `1/31.04` is 1/31/04. Other dates are returned unchanged.
 */
export function plainDate(text: string): string {
  if (text.length > MAX_DATE_LENGTH) return text;
  const parts = /^(\d{1,4})([-/.'])(\d{1,2})([-/.'])(\d{1,4})(?=$|[T ])/.exec(
    text.trim().replace(SEPARATOR, '$1'),
  );
  if (parts === null) return text.trim().replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})\.$/, '$1.$2.$3');
  const [whole, first, sign, second, yearSign, last = ''] = parts;
  const rest = text.trim().replace(SEPARATOR, '$1').slice(whole.length);
  const year = last.length === 1 ? `0${last}` : last;
  const isCentury = yearSign === "'" && year.length === 2;
  const separator = sign === "'" ? '/' : sign;
  if (first!.length > 2) return `${first}${separator}${second}${separator}${last}${rest}`;
  return `${first}${separator}${second}${separator}${isCentury ? '20' : ''}${year}${rest}`;
}

const QIF_DATES: Conventions<DateOrder, string> = {
  ...DATES,
  read: (text, order) => DATES.read(plainDate(text), order),
};
const GIVEN_QIF_DATES: Conventions<DateOrder, string> = {
  ...GIVEN_DATES,
  read: (text, order) => parseDate(plainDate(text), order),
};

/** Finds the order of the dates of a file, or checks the dates against a given order. */
export function dateFinder(given: DateOrder | undefined): ConventionFinder<DateOrder, string> {
  return new ConventionFinder(given === undefined ? QIF_DATES : GIVEN_QIF_DATES, given);
}

/** Parses a date in the given order; null if it is none. */
export function readDate(text: string, order: DateOrder): string | null {
  return parseDate(plainDate(text), order);
}

const QIF_AMOUNTS: Conventions<Decimal, number> = {
  ...AMOUNTS,
  read: (text, decimal) => AMOUNTS.read(plainAmount(text), decimal),
  fault: (text) => AMOUNTS.fault(plainAmount(text)),
};

/** Finds the decimal sign of the amounts of a file, or checks the amounts against a given one. */
export function amountFinder(given: Decimal | undefined): ConventionFinder<Decimal, number> {
  return new ConventionFinder(QIF_AMOUNTS, given);
}

/** Parses an amount in ten-thousandths; null if it is none. */
export function readQifAmount(text: string, decimal: Decimal): number | null {
  return AMOUNTS.read(plainAmount(text), decimal);
}

/** Whether a text is an amount with either decimal sign. */
export function isAmount(text: string): boolean {
  return AMOUNTS.all.some((decimal) => readQifAmount(text, decimal) !== null);
}

/** Removes a decimal sign without decimals: `5.` is 5. */
function plainAmount(text: string): string {
  return text.replace(/(?<=\d)[.,]$/, '');
}
