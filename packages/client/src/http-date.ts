const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of RFC 9110, 5.6.7, newest first; a recipient takes all of them. */
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * Reads a date of a header: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two older forms.
 *
 * Returns milliseconds since the Unix epoch, or null for what is no such date. A year of two digits is the one nearest
 * to 2026.
 */
export function readHttpDate(text: string | null): number | null {
  for (const form of forms) {
    const found = form.exec(text?.trim() ?? '')?.groups;
    if (found !== undefined) return toMs(found);
  }
  return null;
}

function toMs({ day, month, year, time }: Record<string, string>): number | null {
  const [hour, minute, second] = time!.split(':').map(Number) as [number, number, number];
  const parts = [wholeYear(year!), months.indexOf(month!), Number(day)] as const;
  // A leap second is the first second of the next minute.
  const isTime = hour < 24 && minute < 60 && second <= 60;
  const midnight = new Date(Date.UTC(...parts));
  if (!isTime || midnight.getUTCMonth() !== parts[1] || midnight.getUTCDate() !== parts[2]) {
    return null;
  }
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

function wholeYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 76 ? 2000 + year : 1900 + year;
}
