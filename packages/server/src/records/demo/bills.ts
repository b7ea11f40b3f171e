import { payingAccount } from './accounts.ts';
import { priceIn, type Bill } from './bill.ts';
import { dayAt, dayIn, monthCount, monthOf, type MonthName } from './calendar.ts';
import { minorUnit } from './currencies.ts';
import { draftTransaction, type DraftTransaction, type DraftUnit } from './draft-transaction.ts';
import { householdBills } from './household-bills.ts';
import { income } from './income.ts';
import type { Random } from './random.ts';
import { subscriptions } from './subscriptions.ts';

/** Every bill, subscription and payment of income in the ten years, each a unit of its own. */
export function draftBills(random: Random): DraftUnit[] {
  return [
    ...[...householdBills, ...subscriptions].flatMap((bill) => draftBill(bill, 1, random)),
    ...income.flatMap((bill) => draftBill(bill, -1, random)),
  ];
}

function draftBill(bill: Bill, sign: 1 | -1, random: Random): DraftUnit[] {
  const start = monthOf(Object.keys(bill.prices)[0] as MonthName);
  const end = bill.until === undefined ? monthCount - 1 : monthOf(bill.until);
  const units: DraftUnit[] = [];
  for (let month = start; month <= end; month += bill.everyMonths ?? 1) {
    for (const due of [bill.due].flat()) {
      units.push([draftOne(bill, sign, dayIn(month, due), random)]);
    }
  }
  return units;
}

function draftOne(bill: Bill, sign: 1 | -1, day: number, random: Random): DraftTransaction {
  const currency = bill.currency ?? 'usd';
  return draftTransaction({
    day,
    amount: sign * priceOn(bill, day, random) * minorUnit(currency),
    currency,
    payee: bill.payee,
    category: bill.category,
    account: payingAccount(bill.account, day),
    notes: bill.notes ?? null,
    tags: bill.tag === undefined ? [] : [bill.tag],
  });
}

function priceOn(bill: Bill, day: number, random: Random): number {
  const { monthName, month } = dayAt(day);
  const price = priceIn(bill.prices, monthOf(monthName));
  const season = bill.seasons?.[month - 1] ?? 100;
  const waver = random.integer(-10 * (bill.waver ?? 0), 10 * (bill.waver ?? 0));
  return Math.max(1, Math.round((price * season * (1000 + waver)) / 100_000));
}
