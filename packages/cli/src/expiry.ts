import { Misuse } from './failure.ts';
import { quote } from './printable.ts';

const dayMs = 86_400_000;
const maxDays = 36_500;

/**
 * Reads when a token ends: the first instant at which it is dead, ISO 8601 in UTC.
 *
 * `90d` is so many days of 24 hours from now, 1 to 36,500; `2027-01-31` is the first instant of that day in UTC.
 * Throws {@link Misuse} for anything else and for a day that is not to come.
 */
export function readExpiry(text: string, now: Date): string {
  const days = /^([1-9][0-9]{0,4})d$/.exec(text);
  if (days !== null && Number(days[1]) <= maxDays) {
    return new Date(now.getTime() + Number(days[1]) * dayMs).toISOString();
  }
  const instant = readDay(text);
  if (instant === null) {
    throw new Misuse(
      `--expires: ${quote(text)} is neither a number of days (90d) nor a date (2027-01-31)`,
    );
  }
  if (instant <= now.toISOString()) throw new Misuse(`--expires: ${quote(text)} is over already`);
  return instant;
}

/** The first instant of a calendar day in UTC, or null when there is no such day. */
function readDay(text: string): string | null {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return null;
  const day = new Date(`${text}T00:00:00.000Z`);
  // A day such as 31 April would be read as one of the next month.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  return isDay ? day.toISOString() : null;
}
