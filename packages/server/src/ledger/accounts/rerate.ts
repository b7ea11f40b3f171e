import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { manualAccounts, plaidAccounts } from '../../db/tables/tables.ts';
import type { Rating, Rerated } from '../currencies/actions.ts';

/** The values of balances, at the latest rate. */
export const accountValues: Rerated = {
  *rerate(change, rating) {
    let count = 0;
    for (const account of yield* select(manualAccounts, { book_id: change.bookId })) {
      const to_base = yield* valueOf(account, change, rating);
      if (to_base === account.to_base) continue;
      yield* change.update(manualAccounts, account, { to_base });
      count += 1;
    }
    for (const account of yield* select(plaidAccounts, { book_id: change.bookId })) {
      const to_base = yield* valueOf(account, change, rating);
      if (to_base === account.to_base) continue;
      yield* change.update(plaidAccounts, account, { to_base });
      count += 1;
    }
    return count;
  },
};

/** An account as far as its value is concerned. */
interface Valued {
  readonly balance: number;
  readonly currency: string;
  readonly to_base: number;
}

function* valueOf(
  { balance, currency, to_base }: Valued,
  { at }: Change,
  { rates, primaryCurrency }: Rating,
): Steps<number> {
  const value = yield* rates.convert(balance, currency, primaryCurrency, at.slice(0, 10));
  return value ?? to_base;
}
