/** One day of the demo book's ten years. */
export interface Day {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** `YYYY-MM`. */
  readonly monthName: string;
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 0 for Sunday to 6 for Saturday. */
  readonly weekday: number;
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Every day in order: index 0 is 2016-11-01, the last one 2026-10-31. Other files refer to days by this index. */
export const days: readonly Day[] = Array.from({ length: 120 }, (_, at) => listMonth(at + 10))
  .flat()
  // 2016-11-01 was a Tuesday.
  .map((day, index) => ({ ...day, weekday: (index + 2) % 7 }));

export const lastDay = days.length - 1;

const indexes = Map.groupBy(days.keys(), (index) => days[index]!.monthName);

/** `YYYY-MM` of every month, in order. */
export const monthNames: readonly string[] = [...indexes.keys()];

/** Returns the day with this index. Throws a RangeError outside the ten years. */
export function dayAt(index: number): Day {
  const day = days[index];
  if (day === undefined) throw new RangeError(`Day "${index}" is outside the demo book`);
  return day;
}

/** Returns the index of the day `YYYY-MM-DD`; a day past the end of a month means its last day. */
export function dayOn(date: string): number {
  const month = indexes.get(date.slice(0, 7));
  if (month === undefined) throw new RangeError(`Day "${date}" is outside the demo book`);
  return month[Math.min(Number(date.slice(8)), month.length) - 1]!;
}

/** Months are counted from January 2016. In these years every fourth year is a leap year. */
function listMonth(at: number): Omit<Day, 'weekday'>[] {
  const [year, month] = [2016 + Math.floor(at / 12), (at % 12) + 1];
  const monthName = `${year}-${String(month).padStart(2, '0')}`;
  const length = month === 2 && year % 4 === 0 ? 29 : daysInMonth[month - 1]!;
  return Array.from({ length }, (_, day) => {
    return { date: `${monthName}-${String(day + 1).padStart(2, '0')}`, monthName, year, month };
  });
}
