/** How dates are written. */
export interface DateFormat {
  /** A BCP 47 tag; empty for that of the browser. */
  readonly locale: string;
  /** `iso` writes 2026-11-23 everywhere. */
  readonly dates: 'locale' | 'iso';
}

const formatters = new Map<string, Intl.DateTimeFormat>();
const options = {
  /** 23 Nov 2026 */
  medium: { day: 'numeric', month: 'short', year: 'numeric' },
  /** 23 Nov, in lists below the heading of a year. */
  short: { day: 'numeric', month: 'short' },
  /** November 2026 */
  month: { month: 'long', year: 'numeric' },
  /** Nov */
  monthShort: { month: 'short' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** The forms of a date. */
export type DateStyle = keyof typeof options;

/** Formats a date (`2026-11-23`) or a month (`2026-11`). Other texts are returned as they are. */
export function formatDate(date: string, style: DateStyle, format: DateFormat): string {
  if (format.dates === 'iso' && style !== 'month' && style !== 'monthShort') return date;
  const [year, month, day = '01'] = date.split('-');
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number.isNaN(time)) return date;
  const key = `${format.locale} ${style}`;
  const known = formatters.get(key);
  const locale = format.locale === '' ? undefined : format.locale;
  const made = known ?? new Intl.DateTimeFormat(locale, { ...options[style], timeZone: 'UTC' });
  if (known === undefined) formatters.set(key, made);
  return made.format(time);
}

/** Formats a time (ISO 8601) in the zone of the browser. */
export function formatTime(time: string, { locale }: DateFormat): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  const style = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(locale === '' ? undefined : locale, style).format(ms);
}

/** Formats the time of day of an instant (ISO 8601) in the zone of the browser. */
export function clockTime(time: string, { locale }: DateFormat): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  return new Intl.DateTimeFormat(locale === '' ? undefined : locale, { timeStyle: 'short' }).format(
    ms,
  );
}

/** Today's date in the zone of the browser, at a time in milliseconds since 1970. */
export function dateAt(ms: number): string {
  const date = new Date(ms);
  const pad = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Returns the month that is `count` months after one (`2026-11`). */
export function addMonths(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number);
  const months = (year ?? 0) * 12 + (number ?? 1) - 1 + count;
  const index = ((months % 12) + 12) % 12;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String(index + 1).padStart(2, '0')}`;
}

/** The last day of a month (`2026-02`), such as `2026-02-28`. */
export function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  const day = new Date(Date.UTC(year ?? 0, number ?? 1, 0)).getUTCDate();
  return `${month}-${String(day).padStart(2, '0')}`;
}
