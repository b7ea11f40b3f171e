import { dayNumber, daysApart } from '@coffer/core/dates';
import { isSimilarPayee, moneyKey, isEqualPayee } from './comparison.ts';
import type { Form, ExistingRow } from './comparison.ts';
import { noPayee } from './entry.ts';

/** Days between the date of a pending transaction and the one with which it is posted. */
export const mostDaysPending = 7;

/** A tip raises the amount by at most this part of it, in percent. */
const mostTip = 30n;

/**
 * Finds for each entry the row that it is in another state: a pending row that is posted now, or the other way round.
 *
 * The dates are at most a week apart. The amount is the same, or raised by a tip of up to 30 % that is then paid to a
 * similar payee. A similar payee decides; without one, the row must be the only one for the only entry. Otherwise the
 * entry is in doubt, as with a tip if the payees cannot be compared.
 */
export function pairStates<Entry extends Form>(
  rows: readonly ExistingRow[],
  entries: readonly Entry[],
): Map<Entry, Pairing<ExistingRow>> {
  const pairs = new Map<Entry, Pairing<ExistingRow>>();
  const free = new Set(rows);
  const take = (entry: Entry, row: ExistingRow, isCertain: boolean): void => {
    pairs.set(entry, { row, isCertain });
    if (isCertain) free.delete(row);
  };
  for (const entry of entries) {
    const row = nearest(
      [...free].filter((each) => isEqualAmount(each, entry) && isSimilar(each, entry)),
      entry,
    );
    if (row !== null) take(entry, row, true);
  }
  for (const pair of [pairByAmount, pairTips]) {
    const left = entries.filter((entry) => !pairs.has(entry));
    pair(free, left, take);
  }
  return pairs;
}

/** Pairs entries with rows from which they differ by a tip: certainly, if no other entry or row is possible. */
function pairTips<Entry extends Form>(
  free: ReadonlySet<ExistingRow>,
  entries: readonly Entry[],
  take: (entry: Entry, row: ExistingRow, isCertain: boolean) => void,
): void {
  const possible = entries.flatMap((entry) => {
    const tipped = [...free].filter((row) => isTipped(row, entry) && isNear(row, entry));
    const similar = tipped.filter((row) => isSimilar(row, entry));
    const rows = similar.length > 0 ? similar : tipped.filter(isIncomparable(entry));
    return rows.length > 0 ? [{ entry, rows, isSimilar: similar.length > 0 }] : [];
  });
  const entriesOf = Map.groupBy(
    possible.flatMap(({ rows }) => rows),
    (row) => row,
  );
  for (const each of possible) {
    const isOnly = each.rows.length === 1 && entriesOf.get(each.rows[0]!)!.length === 1;
    const row = nearest(each.rows, each.entry)!;
    // Another visit to the same payee must not be taken for one that is posted already.
    take(each.entry, row, each.isSimilar && isOnly && row.isPending);
  }
}

/** Pairs entries with rows of the same amount, whatever the payee. */
function pairByAmount<Entry extends Form>(
  free: ReadonlySet<ExistingRow>,
  entries: readonly Entry[],
  take: (entry: Entry, row: ExistingRow, isCertain: boolean) => void,
): void {
  const byMoney = Map.groupBy(free, moneyKey);
  for (const [money, alike] of Map.groupBy(entries, moneyKey))
    for (const cluster of clustersOf(byMoney.get(money) ?? [], alike, mostDaysPending)) {
      const isOnly = cluster.rows.length === 1 && cluster.entries.length === 1;
      for (const entry of cluster.entries) {
        const row = nearest(
          cluster.rows.filter((each) => free.has(each)),
          entry,
        );
        if (row !== null) take(entry, row, isOnly);
      }
    }
}

/** How files of this format have a row, or else how the book has it. */
function shown(row: ExistingRow): Form {
  return row.relation === 'same' ? (row.forms[0] ?? row) : row;
}

function isEqualAmount(row: ExistingRow, entry: Form): boolean {
  return row.amount === entry.amount && row.currency === entry.currency;
}

/** Whether one of two amounts, both money out, is the other one with a tip: the posted one is higher. */
function isTipped(row: ExistingRow, entry: Form): boolean {
  if (row.currency !== entry.currency) return false;
  const [pending, posted] = row.isPending ? [row, entry] : [entry, row];
  if (pending.amount >= 0 || posted.amount >= pending.amount) return false;
  return BigInt(posted.amount) * 100n >= BigInt(pending.amount) * (100n + mostTip);
}

function isSimilar(row: ExistingRow, entry: Form): boolean {
  const { payee } = shown(row);
  if (payee === noPayee || !isNear(row, entry)) return false;
  return isSimilarPayee(payee, entry.payee);
}

/** Whether the dates can be those of one transaction: it is posted on the day on which it was pending, or later. */
function isNear(row: ExistingRow, entry: Form): boolean {
  if (daysApart(shown(row).date, entry.date) > mostDaysPending) return false;
  const [pending, posted] = row.isPending ? [shown(row), entry] : [entry, shown(row)];
  // Other formats have other dates, and both may be pending.
  return row.relation !== 'same' || pending.date <= posted.date;
}

/** Payees of other formats, and missing ones, say nothing. */
function isIncomparable(entry: Form): (row: ExistingRow) => boolean {
  return (row) =>
    row.relation !== 'same' || [shown(row), entry].some(({ payee }) => payee === noPayee);
}

function nearest(rows: readonly ExistingRow[], entry: Form): ExistingRow | null {
  const near = rows.filter((row) => isNear(row, entry));
  const days = near.map((row) => daysApart(shown(row).date, entry.date));
  return near[days.indexOf(Math.min(...days))] ?? null;
}

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
export interface DateAgreement {
  equal: number;
  different: number;
}

/** Counts a cluster in which only one pairing is possible. */
export function noteDates(
  agreement: DateAgreement,
  { rows, entries }: Cluster<Dated, Dated>,
): void {
  if (rows.length !== 1 || entries.length !== 1) return;
  if (rows[0]!.date === entries[0]!.date) agreement.equal += 1;
  else agreement.different += 1;
}

/** Whether the dates of one transaction are the same in both formats. */
export function isProven({ equal, different }: DateAgreement): boolean {
  return equal >= enoughEqualDates && different === 0;
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
    const row = nearestDate(left.rows, entry);
    const isNear = daysApart(row.date, entry.date) <= mostDaysBetweenFormats;
    if (isNear || !isProven(agreement)) pairs.set(entry, { row, isCertain: false });
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
    ({ date }, at) => daysApart(date, rows[at]!.date) <= mostDaysBetweenFormats,
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

function nearestDate<Row extends Dated>(rows: readonly Row[], { date }: Dated): Row {
  return rows.reduce((best, row) =>
    daysApart(row.date, date) < daysApart(best.date, date) ? row : best,
  );
}
