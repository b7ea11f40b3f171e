import { addDays } from '@coffer/core/dates';

/** Day 0 of the two calendars of workbooks. */
const DAY_ZERO = { of1900: '1899-12-30', of1904: '1904-01-01' } as const;
/** The first day after 29 February 1900, which the calendar of 1900 has although the year has none. */
const FIRST_TRUE_DAY = 61;
/** 31 December 9998 in the calendar of 1904. */
const LAST_DAY = 2_956_637;
const DAY_SECONDS = 86_400;
const NUMBER = /^[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][-+]?\d{1,3})?$/;

/**
 * The number of a cell as people see it: 15 significant digits, which removes what binary fractions add, such as
 * 12.299999999999999 for 12.3. A fraction never has three digits, which could be taken for thousands.
 * Edges: the text itself if it is not a number.
 */
export function numberText(text: string): string {
  if (!NUMBER.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  const [mantissa = '', exponent = '0'] = value.toExponential(14).split('e');
  const isNegative = mantissa.startsWith('-');
  const digits = mantissa.replace(/\D/g, '');
  const point = 1 + Number(exponent);
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, '0') || '0';
  const fraction = '0'.repeat(Math.max(0, -point)) + digits.slice(Math.max(0, point));
  const shown = fraction.replace(/(?<!0)0+$/, '');
  const size =
    shown === '' ? whole : `${whole}.${shown.length === 3 ? `${shown}0` : shown.padEnd(2, '0')}`;
  return isNegative && /[1-9]/.test(size) ? `-${size}` : size;
}

/** The date of a serial number, with its time if it has one; null if the number is not one of a date. */
export function dateText(text: string, is1904: boolean): string | null {
  const serial = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!(serial >= 0 && serial < LAST_DAY)) return null;
  const seconds = Math.round(serial * DAY_SECONDS);
  const days = Math.floor(seconds / DAY_SECONDS);
  const time = timeText(seconds % DAY_SECONDS);
  if (days === 0 && !is1904) return time;
  const shift = !is1904 && days < FIRST_TRUE_DAY ? 1 : 0;
  const date = addDays(is1904 ? DAY_ZERO.of1904 : DAY_ZERO.of1900, days + shift);
  return time === '00:00:00' ? date : `${date} ${time}`;
}

function timeText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Whether a number format shows dates. Source: ECMA-376, 18.8.30 and 18.8.31. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) {
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  }
  const [positive = ''] = code.replace(/"[^"]{0,255}"|\\.|_.|\*./g, '').split(';');
  // A length of time, such as `[h]:mm`.
  if (/\[[hms]{1,9}\]/i.test(positive)) return false;
  // Colours and conditions are in brackets, too.
  return /[dmy]/i.test(positive.replace(/\[[^[\]]{0,255}\]/g, '').replace(/general/i, ''));
}
