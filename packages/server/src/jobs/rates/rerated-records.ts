import { accountValues } from '../../resources/accounts/rerate.ts';
import { historyValues } from '../../resources/balance-history/rerate.ts';
import { budgetValues } from '../../resources/budgets/rerate.ts';
import type { Rerated } from '../../resources/currencies/actions.ts';
import { recurringValues } from '../../resources/recurring/rerate.ts';

/** All records that are updated after new rates, in addition to transactions. One change updates those of a book. */
export const reratedRecords: readonly Rerated[] = [
  accountValues,
  historyValues,
  budgetValues,
  recurringValues,
];
