const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,100}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const daysInMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const minuteMs = 60_000;
const firstInstantMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastInstantMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether the text is a day of the calendar, `YYYY-MM-DD`, from 0001-01-01 to 9999-12-31, both inclusive. */
export function isCalendarDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return year >= 1 && day >= 1 && day <= daysIn(year, month);
}

/** Whether {@link toInstant} can read the text as a date-time; a date alone is none. */
export function isDateTime(text: string): boolean {
  return dateTimeToInstant(text) !== null;
}

/**
 * The instant that a date or a date-time means: ISO 8601 in UTC with milliseconds, `2024-02-29T12:00:00.000Z`.
 *
 * A date means its first instant in UTC. A date-time is one of RFC 3339: seconds and `Z` or an offset are
 * required, `T` and `Z` may be lower case. Digits of the second after the third are cut, never rounded. Hour 24,
 * leap seconds and instants that in UTC fall outside the years 0001 to 9999 are not taken. Equal instants give
 * equal texts, and texts compare as the instants do.
 *
 * Returns null for anything else.
 */
export function toInstant(text: string): string | null {
  return isCalendarDate(text) ? `${text}T00:00:00.000Z` : dateTimeToInstant(text);
}

function dateTimeToInstant(text: string): string | null {
  const match = dateTimePattern.exec(text);
  if (match === null) return null;
  const [, date = '', hour, minute, second, fraction = '', sign, offsetHour = 0, offsetMinute = 0] =
    match;
  if (!isCalendarDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return null;
  }
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const localMs = Date.parse(`${date}T${hour}:${minute}:${second}.${milliseconds}Z`);
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * minuteMs;
  return instantAt(sign === '-' ? localMs + offsetMs : localMs - offsetMs);
}

function instantAt(ms: number): string | null {
  return ms < firstInstantMs || ms > lastInstantMs ? null : new Date(ms).toISOString();
}

/** 0 for a month that is not 1 to 12. */
function daysIn(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeapYear ? 29 : (daysInMonths[month - 1] ?? 0);
}
