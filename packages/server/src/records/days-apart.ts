/** How many days lie between two days of the calendar, `YYYY-MM-DD`: 0 for the same day, never less. */
export function daysApart(one: string, other: string): number {
  return Math.abs(dayNumber(one) - dayNumber(other));
}

/** Days since a day that is the same for all, in the Gregorian calendar. The year begins in March: leap days end it. */
function dayNumber(date: string): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const monthsSinceMarch = (month + 9) % 12;
  // Five months in turn of 31, 30, 31, 30 and 31 days have 153.
  return years * 365 + leapDays + Math.floor((153 * monthsSinceMarch + 2) / 5) + day;
}
