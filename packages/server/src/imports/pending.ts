import { dayNumber } from '@coffer/core/dates';
import { clustersOf } from './between-formats.ts';
import type { Pairing } from './between-formats.ts';
import { noPayee } from './entry.ts';
import { isSimilarPayee, moneyKey } from './forms.ts';
import type { Form, KnownRow } from './forms.ts';

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
  rows: readonly KnownRow[],
  entries: readonly Entry[],
): Map<Entry, Pairing<KnownRow>> {
  const pairs = new Map<Entry, Pairing<KnownRow>>();
  const free = new Set(rows);
  const take = (entry: Entry, row: KnownRow, isCertain: boolean): void => {
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
  pairByAmount(
    free,
    entries.filter((entry) => !pairs.has(entry)),
    take,
  );
  pairTips(
    free,
    entries.filter((entry) => !pairs.has(entry)),
    take,
  );
  return pairs;
}

/** Pairs entries with rows from which they differ by a tip: certainly, if no other entry or row is possible. */
function pairTips<Entry extends Form>(
  free: ReadonlySet<KnownRow>,
  entries: readonly Entry[],
  take: (entry: Entry, row: KnownRow, isCertain: boolean) => void,
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
  free: ReadonlySet<KnownRow>,
  entries: readonly Entry[],
  take: (entry: Entry, row: KnownRow, isCertain: boolean) => void,
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
function shown(row: KnownRow): Form {
  return row.relation === 'same' ? (row.forms[0] ?? row) : row;
}

function isEqualAmount(row: KnownRow, entry: Form): boolean {
  return row.amount === entry.amount && row.currency === entry.currency;
}

/** Whether one of two amounts, both money out, is the other one with a tip: the posted one is higher. */
function isTipped(row: KnownRow, entry: Form): boolean {
  if (row.currency !== entry.currency) return false;
  const [pending, posted] = row.isPending ? [row, entry] : [entry, row];
  if (pending.amount >= 0 || posted.amount >= pending.amount) return false;
  return BigInt(posted.amount) * 100n >= BigInt(pending.amount) * (100n + mostTip);
}

function isSimilar(row: KnownRow, entry: Form): boolean {
  const { payee } = shown(row);
  if (payee === noPayee || !isNear(row, entry)) return false;
  return isSimilarPayee(payee, entry.payee);
}

/** Whether the dates can be those of one transaction: it is posted on the day on which it was pending, or later. */
function isNear(row: KnownRow, entry: Form): boolean {
  if (daysBetween(shown(row), entry) > mostDaysPending) return false;
  const [pending, posted] = row.isPending ? [shown(row), entry] : [entry, shown(row)];
  // Other formats have other dates, and both may be pending.
  return row.relation !== 'same' || pending.date <= posted.date;
}

/** Payees of other formats, and missing ones, say nothing. */
function isIncomparable(entry: Form): (row: KnownRow) => boolean {
  return (row) =>
    row.relation !== 'same' || [shown(row), entry].some(({ payee }) => payee === noPayee);
}

function nearest(rows: readonly KnownRow[], entry: Form): KnownRow | null {
  const near = rows.filter((row) => isNear(row, entry));
  const days = near.map((row) => daysBetween(shown(row), entry));
  return near[days.indexOf(Math.min(...days))] ?? null;
}

function daysBetween(one: Form, other: Form): number {
  return Math.abs(dayNumber(one.date) - dayNumber(other.date));
}
