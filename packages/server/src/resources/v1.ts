import { budgetRoutesV1 } from './budgets/v1/routes.ts';
import { budgetComponentsV1 } from './budgets/v1/schema.ts';
import { categoryRoutesV1 } from './categories/v1/routes.ts';
import { categoryComponentsV1 } from './categories/v1/schema.ts';
import { accountComponentsV1, accountRoutesV1 } from './accounts/v1.ts';
import { cryptoComponentsV1, cryptoRoutesV1 } from './crypto-manual/v1.ts';
import { MeV1, meRoutesV1 } from './me/v1.ts';
import { recurringRoutesV1 } from './recurring/v1/routes.ts';
import { recurringComponentsV1 } from './recurring/v1/schema.ts';
import { plaidAccountComponentsV1, plaidAccountRoutesV1 } from './plaid-accounts/v1.ts';
import { tagComponentsV1, tagRoutesV1 } from './tags/v1.ts';
import { transactionRoutesV1 } from './transactions/v1/routes.ts';
import { transactionComponentsV1 } from './transactions/v1/schema.ts';
import type { Operation } from './operation.ts';
import type { Services } from './services.ts';

/** Returns the operations of v1, in the order of their document. */
export function operationsV1(_services: Services): readonly Operation[] {
  return [
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
}

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
