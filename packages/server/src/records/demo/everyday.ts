import { isPlaid, payingAccount, type AccountName } from './accounts.ts';
import { dayAt, days, lastDay, type Day } from './calendar.ts';
import { draftTransaction, type DraftTransaction } from './draft-transaction.ts';
import { shopBankName } from './bank-names.ts';
import { everydayFlows, type EverydayFlow } from './everyday-flows.ts';
import type { Merchant } from './merchants.ts';
import { runningSums, type Random } from './random.ts';
import { reviewStatus } from './review.ts';
import { draftAbroad, tripOn } from './trip-days.ts';

/** Purchases on synced accounts of the last so many days are still pending. */
const pendingDays = 4;

/** Prices in per cent of those of 2016, from 2016 to 2026. */
const priceLevels = [100, 102, 104, 106, 107, 112, 121, 127, 130, 134, 137];

/**
 * Spreads `total` purchases over the ten years and returns how many fall on each day.
 *
 * More on weekends, in December and on trips, fewer in the lockdown; the last days are busy, so that something is
 * pending.
 */
export function purchasesPerDay(total: number, random: Random): number[] {
  const weights = days.map((day, index) => dayWeight(day, index));
  const perDay = days.map(() => 0);
  const step = weights.reduce((sum, weight) => sum + weight, 0) / total;
  let day = 0;
  let reached = weights[0]!;
  for (let purchase = 0; purchase < total; purchase += 1) {
    const at = (purchase + random.fraction()) * step;
    while (at >= reached && day < lastDay) reached += weights[(day += 1)]!;
    perDay[day] = perDay[day]! + 1;
  }
  return perDay;
}

/** Drafts one day's everyday purchases, at home or abroad. */
export function draftPurchases(day: number, count: number, random: Random): DraftTransaction[] {
  if (count === 0) return [];
  const trip = tripOn(day);
  const sums = flowSums(dayAt(day));
  return Array.from({ length: count }, () => {
    const draft =
      trip === undefined
        ? draftAtHome(everydayFlows[random.pickWeighted(sums)]!, day, random)
        : draftAbroad(trip, day, random);
    return withReview(draft, random);
  });
}

function dayWeight({ isSaturday, isSunday, month, year }: Day, index: number): number {
  if (index > lastDay - pendingDays) return 210;
  if (tripOn(index) !== undefined) return 180;
  const weekday = isSaturday ? 145 : isSunday ? 115 : 92;
  const season = month === 12 ? 125 : year === 2020 && month > 3 ? 85 : 100;
  return Math.floor((weekday * season) / 100) + (year - 2016) * 2;
}

/** The flows' weights are the same on all weekdays and on all weekend days of a month. */
const sumsByKindOfDay = new Map<string, readonly number[]>();

function flowSums(day: Day): readonly number[] {
  const key = `${day.monthName} ${day.isSaturday || day.isSunday}`;
  const sums =
    sumsByKindOfDay.get(key) ?? runningSums(everydayFlows.map((flow) => flowWeight(flow, day)));
  sumsByKindOfDay.set(key, sums);
  return sums;
}

function flowWeight(flow: EverydayFlow, day: Day): number {
  const { monthName } = day;
  if (flow.from !== undefined && monthName < flow.from) return 0;
  const isLockdown = monthName >= '2020-04' && monthName <= '2021-03';
  const lockdown = isLockdown ? (flow.lockdown ?? 100) : 100;
  const weekend = day.isSaturday || day.isSunday ? (flow.weekend ?? 100) : 100;
  const season = flow.seasons?.[day.month - 1] ?? 100;
  return Math.ceil((flow.weight * weekend * season * lockdown) / 1_000_000);
}

function draftAtHome(flow: EverydayFlow, day: number, random: Random): DraftTransaction {
  const [payee, least, most] = random.pick<Merchant>(flow.merchants);
  const level = priceLevels[dayAt(day).year - 2016]!;
  const cents = Math.floor((random.skewedInteger(least, most) * level) / 100);
  const noted = flow.notes !== undefined && random.chance(7);
  const tagged = flow.tag !== undefined && random.chance(flow.tag[1]);
  return draftTransaction({
    day,
    amount: cents * (flow.isCredit === true ? -100 : 100),
    payee,
    category: flow.category,
    account: payingAccount(payer(flow, random), day),
    bankName: shopBankName(payee, random),
    notes: noted ? random.pick(flow.notes) : null,
    tags: tagged ? [flow.tag[0]] : [],
  });
}

function payer({ paidBy }: EverydayFlow, random: Random): AccountName | null {
  return paidBy[random.integer(0, paidBy.length - 1)] ?? null;
}

/** The newest rows wait for review; some have not even a category yet. */
function withReview(draft: DraftTransaction, random: Random): DraftTransaction {
  const isPending = isPlaid(draft.account) && draft.day > lastDay - pendingDays;
  const status = isPending ? 'unreviewed' : reviewStatus(draft.day, random);
  if (random.chance(status === 'unreviewed' ? 25 : 1)) draft.category = null;
  draft.status = status;
  draft.isPending = isPending;
  return draft;
}
