import { draftBills } from './bills.ts';
import type { DraftUnit } from './draft-transaction.ts';
import { draftGroups } from './groups.ts';
import { draftOneOffs } from './one-offs.ts';
import type { Random } from './random.ts';
import { reviewStatus } from './review.ts';
import { draftSplits } from './splits.ts';
import { draftTransfers } from './transfers.ts';
import { draftTripBookings } from './trip-days.ts';

/** The size at which every bill of the household is in the book, neither thinned nor outnumbered. */
const naturalSize = 12_000;
const naturalSplits = 40;
const naturalGroups = 30;

/**
 * Everything in a book of that many rows but the everyday purchases, in no particular order.
 *
 * A smaller book than the natural 12,000 rows has only a share of the bills, evenly chosen; a larger one has each of
 * them once. Splits and groups are in proportion, at least one of each.
 */
export function draftSchedule(size: number, random: Random): DraftUnit[] {
  const share = size / naturalSize;
  const calendar = [
    ...draftBills(random.fork('bills')),
    ...draftTransfers(random.fork('transfers')),
    ...draftOneOffs(),
    ...draftTripBookings(),
  ];
  const units = [
    ...thinned(calendar, share, random.fork('thinning')),
    ...draftSplits(Math.max(1, Math.round(naturalSplits * share)), random.fork('splits')),
    ...draftGroups(Math.max(1, Math.round(naturalGroups * share)), random.fork('groups')),
  ];
  const review = random.fork('review');
  return units.map((unit) => reviewed(unit, review));
}

/** That share of the units, one out of each stretch of time, always with the first and the last. */
function thinned(units: DraftUnit[], share: number, random: Random): DraftUnit[] {
  if (share >= 1) return units;
  const ordered = units.toSorted((a, b) => firstDay(a) - firstDay(b));
  const count = Math.floor(units.length * share);
  return Array.from({ length: count }, (_, at) => {
    const start = Math.floor((at * units.length) / count);
    const end = Math.floor(((at + 1) * units.length) / count) - 1;
    const chosen = at === 0 ? start : at === count - 1 ? end : random.integer(start, end);
    return ordered[chosen]!;
  });
}

/** The rows of a unit are reviewed together or not at all, by the age of the last. */
function reviewed(unit: DraftUnit, random: Random): DraftUnit {
  const status = reviewStatus(unit.at(-1)?.day ?? 0, random);
  for (const draft of unit) draft.status = status;
  return unit;
}

function firstDay(unit: DraftUnit): number {
  return unit[0]?.day ?? 0;
}
