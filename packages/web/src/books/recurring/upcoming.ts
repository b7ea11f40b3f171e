import type { Schemas } from '../types.ts';

type Item = Schemas['RecurringItem'];

/** A recurring item with what it expects in a range of dates. */
export interface ExpectingItem extends Pick<Item, 'id' | 'description'> {
  readonly transaction_criteria: Pick<
    Item['transaction_criteria'],
    'payee' | 'amount' | 'currency'
  >;
  readonly overrides: Pick<Item['overrides'], 'payee'>;
  readonly matches: Pick<NonNullable<Item['matches']>, 'missing_transaction_dates'> | null;
}

/** A transaction that is expected. */
export interface Upcoming {
  readonly itemId: number;
  readonly date: string;
  /** Empty if the item has none. */
  readonly name: string;
  readonly amount: string;
  readonly currency: string;
}

/** Returns the transactions that are expected from a day on, the next first. */
export function upcomingOf(items: readonly ExpectingItem[], today: string): Upcoming[] {
  const all = items.flatMap(({ id, description, transaction_criteria: what, overrides, matches }) =>
    (matches?.missing_transaction_dates ?? [])
      .filter((date) => date >= today)
      .map((date) => ({
        itemId: id,
        date,
        amount: what.amount,
        currency: what.currency,
        name: overrides.payee ?? what.payee ?? description ?? '',
      })),
  );
  return all.toSorted((one, other) => (one.date < other.date ? -1 : 1));
}
