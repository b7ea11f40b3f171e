import { dayNumber } from '@coffer/core/dates';
import { isEqualPayee } from './forms.ts';
import type { Form } from './forms.ts';

/** Days by which dates of one transaction differ between formats: a booking date and a value date, say. */
const mostDaysBetweenFormats = 5;

/** Entries of which two formats agree about the date, before they are believed to agree about all dates. */
const enoughEqualDates = 5;

/** What was decided about an entry: the row that it is, or may be. */
export interface Pairing<Row> {
  readonly row: Row;
  readonly isCertain: boolean;
}

/** The first and the last date of the entries of an account in a file. */
export interface DateRange {
  first: string;
  last: string;
}

interface Dated {
  readonly date: string;
}

/** Rows and entries with the same amount and currency whose dates are near each other. */
export interface Cluster<Row extends Dated, Entry extends Dated> {
  readonly rows: readonly Row[];
  readonly entries: readonly Entry[];
}

/**
 * Divides rows and entries with the same amount and currency into clusters: two are in one cluster if a chain of rows
 * and entries, each near the next, connects them. Rows without an entry nearby are left out.
 */
export function clustersOf<Row extends Dated, Entry extends Dated>(
  rows: readonly Row[],
  entries: readonly Entry[],
  mostDays = mostDaysBetweenFormats,
): Cluster<Row, Entry>[] {
  const all = [
    ...rows.map((row) => ({ day: dayNumber(row.date), row, entry: null })),
    ...entries.map((entry) => ({ day: dayNumber(entry.date), row: null, entry })),
  ].sort((a, b) => a.day - b.day);
  const clusters: { rows: Row[]; entries: Entry[] }[] = [];
  let lastDay = -Infinity;
  for (const { day, row, entry } of all) {
    if (day - lastDay > mostDays) clusters.push({ rows: [], entries: [] });
    lastDay = day;
    const cluster = clusters.at(-1)!;
    if (row !== null) cluster.rows.push(row);
    if (entry !== null) cluster.entries.push(entry);
  }
  return clusters.filter((each) => each.rows.length > 0 && each.entries.length > 0);
}

/** Counts, over a whole file, how often two formats agree about a date where only one pairing is possible. */
export class DateAgreement {
  #equal = 0;
  #different = 0;

  note({ rows, entries }: Cluster<Dated, Dated>): void {
    if (rows.length !== 1 || entries.length !== 1) return;
    if (rows[0]!.date === entries[0]!.date) this.#equal += 1;
    else this.#different += 1;
  }

  /** Whether the dates of one transaction are the same in both formats. */
  get isProven(): boolean {
    return this.#equal >= enoughEqualDates && this.#different === 0;
  }
}

/**
 * Decides which entries of a cluster are which rows of another format. Entries that are missing in the result are new.
 *
 * A file is taken to have everything between its first and its last date. Rows and entries of one day are one
 * transaction, as many as there are of both. If entries remain and rows remain, too, dates differ. They are then paired
 * in order, if there are as many rows as entries and the file must have all the rows. Otherwise the remaining entries
 * are in doubt.
 */
export function pairCluster<Row extends Form, Entry extends Form>(
  { rows, entries }: Cluster<Row, Entry>,
  range: DateRange,
  agreement: DateAgreement,
): Map<Entry, Pairing<Row>> {
  const pairs = new Map<Entry, Pairing<Row>>();
  const left = pairEqualDates(rows, entries, pairs);
  if (left.entries.length === 0 || left.rows.length === 0) return pairs;
  const inOrder = pairsInOrder(rows, entries);
  const isWhole = rows.every(({ date }) => isInside(date, range));
  if (inOrder !== null && isWhole) return inOrder;
  for (const entry of left.entries) {
    const row = nearest(left.rows, entry);
    const isNear = Math.abs(dayNumber(row.date) - dayNumber(entry.date)) <= mostDaysBetweenFormats;
    if (isNear || !agreement.isProven) pairs.set(entry, { row, isCertain: false });
  }
  return pairs;
}

/** Pairs rows and entries of the same day, first those with the same payee. Returns what is left. */
function pairEqualDates<Row extends Form, Entry extends Form>(
  rows: readonly Row[],
  entries: readonly Entry[],
  pairs: Map<Entry, Pairing<Row>>,
): { rows: Row[]; entries: Entry[] } {
  const free = new Set(rows);
  let left = [...entries];
  for (const isLike of [isEqualPayee, () => true])
    left = left.filter((entry) => {
      const row = [...free].find((each) => each.date === entry.date && isLike(each, entry));
      if (row === undefined) return true;
      free.delete(row);
      pairs.set(entry, { row, isCertain: true });
      return false;
    });
  return { rows: [...free], entries: left };
}

/** Pairs all rows and entries in the order of their dates; null if the numbers differ, or a pair is too far apart. */
function pairsInOrder<Row extends Dated, Entry extends Dated>(
  rows: readonly Row[],
  entries: readonly Entry[],
): Map<Entry, Pairing<Row>> | null {
  if (rows.length !== entries.length) return null;
  const isNear = entries.every(
    ({ date }, at) =>
      Math.abs(dayNumber(date) - dayNumber(rows[at]!.date)) <= mostDaysBetweenFormats,
  );
  if (!isNear) return null;
  return new Map(entries.map((entry, at) => [entry, { row: rows[at]!, isCertain: true }]));
}

/** Whether a file with this range has a transaction of the date, even if the file has another date for it. */
function isInside(date: string, { first, last }: DateRange): boolean {
  const day = dayNumber(date);
  return (
    day - mostDaysBetweenFormats >= dayNumber(first) &&
    day + mostDaysBetweenFormats <= dayNumber(last)
  );
}

function nearest<Row extends Dated>(rows: readonly Row[], { date }: Dated): Row {
  const day = dayNumber(date);
  return rows.reduce((best, row) =>
    Math.abs(dayNumber(row.date) - day) < Math.abs(dayNumber(best.date) - day) ? row : best,
  );
}
