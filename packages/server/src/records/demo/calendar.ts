/** `YYYY-MM`. */
export type MonthName = `${number}-${number}`;

/** One day of the demo book's ten years. */
export interface Day {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly monthName: MonthName;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly isSaturday: boolean;
  readonly isSunday: boolean;
}

const firstYear = 2016;
const firstMonth = 11;
/** 2016-11-01 was a Tuesday; Sunday counts as 0. */
const firstWeekday = 2;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Months are counted from 0 (November 2016) to 119 (October 2026). */
export const monthCount = 120;

const monthStarts: number[] = [];

/** Every day in order: index 0 is 2016-11-01, the last one 2026-10-31. Days are spoken of by this index. */
export const days: readonly Day[] = listDays();

export const lastDay = days.length - 1;

/** The day with that index. Throws a RangeError outside the ten years. */
export function dayAt(index: number): Day {
  const day = days[index];
  if (day === undefined) throw new RangeError(`Day "${index}" is outside the demo book`);
  return day;
}

/** The month's index; below 0 or above 119 when it lies outside the ten years. */
export function monthOf(name: MonthName): number {
  const year = Number(name.slice(0, 4));
  return (year - firstYear) * 12 + Number(name.slice(5)) - firstMonth;
}

/** The day's index, where a day of the month past the month's end means its last day. */
export function dayIn(monthAt: number, dayOfMonth: number): number {
  const start = monthStarts[monthAt];
  if (start === undefined) throw new RangeError(`Month "${monthAt}" is outside the demo book`);
  const next = monthStarts[monthAt + 1] ?? days.length;
  return Math.min(start + dayOfMonth, next) - 1;
}

/** The index of the day `YYYY-MM-DD`. */
export function dayOn(date: string): number {
  return dayIn(monthOf(date.slice(0, 7) as MonthName), Number(date.slice(8)));
}

function listDays(): Day[] {
  const list: Day[] = [];
  for (let at = 0; at < monthCount; at += 1) {
    monthStarts.push(list.length);
    const year = firstYear + Math.floor((at + firstMonth - 1) / 12);
    const month = ((at + firstMonth - 1) % 12) + 1;
    list.push(...listMonth(year, month, list.length));
  }
  return list;
}

function listMonth(year: number, month: number, firstIndex: number): Day[] {
  const monthName = `${year}-${twoDigits(month)}` as MonthName;
  return Array.from({ length: monthLength(year, month) }, (_, at) => {
    const weekday = (firstWeekday + firstIndex + at) % 7;
    const date = `${monthName}-${twoDigits(at + 1)}`;
    return { date, monthName, year, month, isSaturday: weekday === 6, isSunday: weekday === 0 };
  });
}

/** No century year that skips its leap day falls into the ten years. */
function monthLength(year: number, month: number): number {
  return month === 2 && year % 4 === 0 ? 29 : daysInMonth[month - 1]!;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
