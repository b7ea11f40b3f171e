import { accountValues } from './accounts/rerate.ts';
import { historyValues } from './balance-history/rerate.ts';
import { budgetValues } from './budgets/rerate.ts';
import type { Rerated } from './currencies/actions.ts';
import { recurringValues } from './recurring/rerate.ts';

/** All records that are updated after new rates, in addition to transactions. One change updates those of a book. */
export const reratedRecords: readonly Rerated[] = [
  accountValues,
  historyValues,
  budgetValues,
  recurringValues,
];
