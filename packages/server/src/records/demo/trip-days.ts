import { payingAccount, type AccountName } from './accounts.ts';
import { dayOn } from './calendar.ts';
import type { CategoryName } from './categories.ts';
import { minorUnit } from './currencies.ts';
import { draftTransaction, type DraftTransaction, type DraftUnit } from './draft-transaction.ts';
import { runningSums, type Random } from './random.ts';
import { trips, type Trip } from './trips.ts';

/** How often one goes there, compared with a shop of any other kind. */
const visits: Partial<Record<CategoryName, number>> = {
  Restaurants: 5,
  'Coffee Shops': 4,
  'Public Transit': 4,
  Groceries: 3,
  Sightseeing: 2,
};

const tripsByDay = new Map<number, Trip>(trips.flatMap(daysOf));

/** The trip that the household is on that day, if any. */
export function tripOn(day: number): Trip | undefined {
  return tripsByDay.get(day);
}

/** The flights, paid two months ahead, and the bills for lodging on the last morning. */
export function draftTripBookings(): DraftUnit[] {
  return trips.flatMap((trip) => {
    const start = dayOn(trip.start);
    const [airline, cents] = trip.flight;
    const [host, amount] = trip.lodging;
    const common = { account: 'travelCard', tags: [trip.tag] } as const;
    const flight = { day: start - 61, amount: cents * 100, payee: airline } as const;
    const lodging = { day: start + trip.nights, payee: host, currency: trip.currency } as const;
    return [
      [draftTransaction({ ...common, ...flight, category: 'Flights' })],
      [
        draftTransaction({
          ...common,
          ...lodging,
          amount: amount * minorUnit(trip.currency),
          category: 'Lodging',
        }),
      ],
    ];
  });
}

/** One purchase abroad, in the local money. */
export function draftAbroad(trip: Trip, day: number, random: Random): DraftTransaction {
  const sums = runningSums(trip.merchants.map((merchant) => visits[merchant[1]] ?? 1));
  const [payee, category, least, most] = trip.merchants[random.pickWeighted(sums)]!;
  const price = random.skewedInteger(least, most);
  return draftTransaction({
    day,
    amount: (price - (price % roundness(trip))) * minorUnit(trip.currency),
    currency: trip.currency,
    payee,
    category,
    account: payingAccount(payerAbroad(trip, random), day),
    tags: [trip.tag],
  });
}

/** Yen prices end in 0. Every price is well above that. */
function roundness(trip: Trip): number {
  return trip.currency === 'jpy' ? 10 : 1;
}

function payerAbroad(trip: Trip, random: Random): AccountName | null {
  const hasLocalAccount = trip.currency === 'eur' && trip.start >= '2018';
  const draw = random.integer(0, hasLocalAccount ? 9 : 7);
  return draw < 5 ? 'travelCard' : draw < 7 ? null : hasLocalAccount ? 'euro' : 'travelCard';
}

function daysOf(trip: Trip): [number, Trip][] {
  const start = dayOn(trip.start);
  return Array.from({ length: trip.nights + 1 }, (_, night) => [start + night, trip]);
}
