import { budgetRoutesV1 } from './v1/budgets.ts';
import { budgetComponentsV1 } from './v1/budget-schema.ts';
import { categoryRoutesV1 } from './v1/categories.ts';
import { categoryComponentsV1 } from './v1/category-schema.ts';
import { accountComponentsV1, accountRoutesV1 } from './v1/accounts.ts';
import { cryptoComponentsV1, cryptoRoutesV1 } from './v1/crypto.ts';
import { MeV1, meRoutesV1 } from './v1/me.ts';
import { recurringRoutesV1 } from './v1/recurring.ts';
import { recurringComponentsV1 } from './v1/recurring-schema.ts';
import { plaidAccountComponentsV1, plaidAccountRoutesV1 } from './v1/plaid-accounts.ts';
import { tagComponentsV1, tagRoutesV1 } from './v1/tags.ts';
import { transactionRoutesV1 } from './v1/transactions/routes.ts';
import { transactionComponentsV1 } from './v1/transactions/schema.ts';
import { errorComponentsV1, True } from './v1/refusals.ts';
import type { Operation } from './operations/operation.ts';

/** The operations of v1, in the order of their document. */
export const operationsV1: readonly Operation[] = [
  ...transactionRoutesV1,
  ...categoryRoutesV1,
  ...tagRoutesV1,
  ...recurringRoutesV1,
  ...budgetRoutesV1,
  ...accountRoutesV1,
  ...plaidAccountRoutesV1,
  ...cryptoRoutesV1,
  ...meRoutesV1,
];

/** The schemas of the document of v1. */
export const componentsV1 = {
  ...transactionComponentsV1,
  ...categoryComponentsV1,
  ...tagComponentsV1,
  ...recurringComponentsV1,
  ...budgetComponentsV1,
  ...accountComponentsV1,
  ...plaidAccountComponentsV1,
  ...cryptoComponentsV1,
  MeV1,
} as const;

/** Schemas of v1 that belong to no subject; they are the last ones. */
export const sharedComponentsV1 = { ...errorComponentsV1, TrueV1: True } as const;
