const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,100}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const daysInMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** First supported date, inclusive. */
export const earliestDate = '0001-01-01';
/** Last supported date, inclusive. */
export const latestDate = '9999-12-31';

const firstInstantMs = Date.parse(`${earliestDate}T00:00:00.000Z`);
const lastInstantMs = Date.parse(`${latestDate}T23:59:59.999Z`);

/** Whether the text is a date of the Gregorian calendar, `YYYY-MM-DD`, from 0001-01-01 to 9999-12-31 inclusive. */
export function isCalendarDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  return year >= 1 && day >= 1 && day <= daysIn(year, month);
}

/** Whether {@link toInstant} accepts the text as a date-time; false for a date alone. */
export function isDateTime(text: string): boolean {
  return dateTimeToInstant(text) !== null;
}

/**
 * Converts a date or a date-time to an instant: ISO 8601 in UTC with milliseconds, `2024-02-29T12:00:00.000Z`.
 *
 * A date means its first instant in UTC. A date-time has the form of RFC 3339: seconds and `Z` or an offset are
 * required; `T` and `Z` may be lower case. Fractions of a second are truncated to milliseconds, never rounded.
 * Equal instants give equal texts, and the texts sort in the order of the instants.
 *
 * Returns null for any other text, for hour 24, for leap seconds, and for instants outside the years 0001 to 9999 in
 * UTC.
 */
export function toInstant(text: string): string | null {
  return isCalendarDate(text) ? `${text}T00:00:00.000Z` : dateTimeToInstant(text);
}

/** Converts a date or a date-time as {@link toInstant} does, but a date means its last instant in UTC. */
export function toLastInstant(text: string): string | null {
  return isCalendarDate(text) ? `${text}T23:59:59.999Z` : dateTimeToInstant(text);
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

/** Days in a month, 1 to 12, of the Gregorian calendar; 0 for any other month. */
export function daysIn(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeapYear ? 29 : (daysInMonths[month - 1] ?? 0);
}

/** Days between two calendar dates in either order, `YYYY-MM-DD`: 0 for the same date. */
export function daysApart(one: string, other: string): number {
  return Math.abs(Date.parse(one) - Date.parse(other)) / dayMs;
}

/**
 * Returns the date some days after a calendar date, or before it for a negative number; never a date before
 * {@link earliestDate} or after {@link latestDate}.
 */
export function addDays(date: string, days: number): string {
  const day = dayNumber(date) + days;
  return dateOfDay(Math.min(Math.max(day, dayNumber(earliestDate)), dayNumber(latestDate)));
}

/** Returns the number of a calendar date in days; 1970-01-01 is 0. */
export function dayNumber(date: string): number {
  return Date.parse(date) / dayMs;
}

/** Returns the calendar date with a number of {@link dayNumber}. */
export function dateOfDay(day: number): string {
  return dayOf(day * dayMs);
}

/** Returns the number of a month, `YYYY-MM`, or of that of a date; January of the year 0 is 0. */
export function monthNumber(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}

/** Returns the month, `YYYY-MM`, with a number of {@link monthNumber}, not before the year 0. */
export function monthOfNumber(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${twoDigits((month % 12) + 1)}`;
}

/** Returns a day of the month with a number, or its last day if it is shorter. */
export function dayOfMonth(month: number, day: number): string {
  const days = daysIn(Math.floor(month / 12), (month % 12) + 1);
  return `${monthOfNumber(month)}-${twoDigits(Math.min(day, days))}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** Returns the date in UTC of an instant in milliseconds since 1970. */
export function dayOf(ms: number): string {
  return instantOf(ms).slice(0, 10);
}

/** Returns milliseconds since 1970 as ISO 8601 in UTC, with milliseconds. */
export function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** By how much the clocks of two nodes may differ. */
export const clockSkewMs = 60_000;

/**
 * Whether somebody still has to wait until a stored time. A wait that would be longer than the longest one was stored
 * before the clock went back, and is over.
 */
export function hasToWait(untilMs: number, nowMs: number, longestMs: number): boolean {
  return untilMs > nowMs && untilMs - nowMs <= longestMs + clockSkewMs;
}

/** Returns the milliseconds since 1970 of an instant, such as `2026-01-02T03:04:05.678Z`. */
export function msOf(instant: string): number {
  return Date.parse(instant);
}
