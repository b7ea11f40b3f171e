import { sharedComponents } from '../wire/components.ts';
import { interfaceOf } from '../wire/document/interface.ts';
import { aboutCoffer, aboutV1, aboutV2 } from '../wire/document/overview.ts';
import type { Operation } from './operation.ts';
import { CategoryDependents, CategoryInsert } from './categories/requests.ts';
import { CategoryMerge, CategoryUpdate } from './categories/requests.ts';
import { categoryRoutes } from './categories/routes.ts';
import { Category, CategoryListResponse, ChildCategory } from './categories/schema.ts';
import { cryptoRoutes } from './crypto/routes.ts';
import { SyncedCryptoAccount, SyncedCryptoBalance } from './crypto/schema.ts';
import { SyncedCryptoListResponse } from './crypto/schema.ts';
import { meRoutes } from './me/routes.ts';
import { Me } from './me/schema.ts';
import { tagRoutes } from './tags/routes.ts';
import { Tag, TagDependents, TagInsert, TagList, TagUpdate } from './tags/schema.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { ChildTransaction, Transaction, TransactionAttachment } from './transactions/schema.ts';
import { TransactionListResponse } from './transactions/schema.ts';

import { accountComponents } from './accounts/components.ts';
import { accountMergeComponents, accountMergeRoutes } from './accounts/merge-routes.ts';
import { accountRoutes } from './accounts/routes.ts';
import { attachmentComponents } from './attachments/components.ts';
import { attachmentRoutes } from './attachments/routes.ts';
import { balanceHistoryComponents } from './balance-history/components.ts';
import { balanceHistoryRoutes } from './balance-history/routes.ts';
import { budgetComponents } from './budgets/components.ts';
import { budgetRoutes } from './budgets/routes.ts';
import { manualCryptoComponents } from './crypto-manual/components.ts';
import { manualCryptoRoutes } from './crypto-manual/routes.ts';
import { changeComponents } from './changes/components.ts';
import { changeRoutes } from './changes/routes.ts';
import { cryptocurrencyComponents } from './cryptocurrencies/components.ts';
import { cryptocurrencyRoutes } from './cryptocurrencies/routes.ts';
import { historyComponents } from './history/components.ts';
import { historyRoutes } from './history/routes.ts';
import { importComponents } from './imports/components.ts';
import { importRoutes } from './imports/routes.ts';
import { plaidAccountComponents } from './plaid-accounts/components.ts';
import { plaidFetchRoutes } from './plaid-accounts/fetch-routes.ts';
import { plaidAccountRoutes } from './plaid-accounts/routes.ts';
import { recurringComponents } from './recurring/components.ts';
import { recurringRoutes } from './recurring/routes.ts';
import { passkeyComponents } from './passkeys/components.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { ruleComponents } from './rules/components.ts';
import { ruleRoutes } from './rules/routes.ts';
import { sessionComponents } from './sessions/components.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { summaryComponents } from './summary/components.ts';
import { summaryRoutes } from './summary/routes.ts';
import { backupRoutes } from './backups/routes.ts';
import { backupComponents } from './backups/schema.ts';
import { tokenComponents } from './tokens/components.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { earlierRoutes } from './transactions/earlier/routes.ts';
import { exportRoutes } from './transactions/export/routes.ts';
import { groupComponents } from './transactions/groups/components.ts';
import { groupRoutes } from './transactions/groups/routes.ts';
import { selectionComponents } from './transactions/selection/components.ts';
import { selectionRoutes } from './transactions/selection/routes.ts';
import { splitComponents } from './transactions/splits/components.ts';
import { splitRoutes } from './transactions/splits/routes.ts';
import { transactionWriteComponents } from './transactions/requests/components.ts';
import { transactionWriteRoutes } from './transactions/requests/routes.ts';
import { webhookComponents } from './webhooks/components.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { undoComponents } from './undo/components.ts';
import { undoRoutes } from './undo/routes.ts';
import { noServices } from './services.ts';
import type { Services } from './services.ts';
import { componentsV1, operationsV1 } from './v1.ts';

/** Returns every operation, in the order of the document: those of v2, Coffer's own below /coffer/, then v1. */
export function operations(services: Services): readonly Operation[] {
  return [
    ...transactionRoutes,
    ...transactionWriteRoutes,
    ...groupRoutes,
    ...splitRoutes,
    ...attachmentRoutes(services),
    ...categoryRoutes,
    ...tagRoutes,
    ...accountRoutes(services),
    ...accountMergeRoutes,
    ...plaidAccountRoutes(services),
    ...plaidFetchRoutes,
    ...recurringRoutes(services),
    ...budgetRoutes(services),
    ...summaryRoutes(services),
    ...cryptocurrencyRoutes(services),
    ...manualCryptoRoutes(services),
    ...cryptoRoutes(services.cryptoReader),
    ...balanceHistoryRoutes(services),
    ...ruleRoutes(services),
    ...importRoutes(services),
    ...exportRoutes(services),
    ...historyRoutes,
    ...webhookRoutes(services),
    ...changeRoutes(services),
    ...selectionRoutes,
    ...earlierRoutes,
    ...undoRoutes(services),
    ...sessionRoutes,
    ...passkeyRoutes,
    ...tokenRoutes,
    ...backupRoutes(services),
    ...meRoutes,
    ...operationsV1(services),
  ];
}

/** The schemas of the document's `components.schemas`, by the name that references use. */
export const components = {
  ...{ TransactionListResponse, Transaction, ChildTransaction, TransactionAttachment },
  ...transactionWriteComponents,
  ...groupComponents,
  ...splitComponents,
  ...selectionComponents,
  ...plaidAccountComponents,
  ...accountComponents,
  ...accountMergeComponents,
  ...recurringComponents,
  ...budgetComponents,
  ...summaryComponents,
  ...ruleComponents,
  ...importComponents,
  ...historyComponents,
  ...webhookComponents,
  ...changeComponents,
  ...undoComponents,
  ...sessionComponents,
  ...passkeyComponents,
  ...tokenComponents,
  ...backupComponents,
  ...attachmentComponents,
  ...manualCryptoComponents,
  ...cryptocurrencyComponents,
  ...balanceHistoryComponents,
  ...{ CategoryListResponse, Category, ChildCategory },
  ...{ CategoryInsert, CategoryUpdate, CategoryDependents, CategoryMerge },
  ...{ TagListResponse: TagList, Tag, TagInsert, TagUpdate, TagDependents },
  ...{ SyncedCryptoListResponse, SyncedCryptoAccount, SyncedCryptoBalance },
  Me,
  ...componentsV1,
  ...sharedComponents,
} as const;

const all = operations(noServices);

/** What the document of v2 is built from; it needs no provider. */
export const described = interfaceOf('/v2/', aboutV2, all, components);

/** What the document of v1 is built from. */
export const describedV1 = interfaceOf('/v1/', aboutV1, all, components);

/** What the document of Coffer's own operations is built from. */
export const describedCoffer = interfaceOf('/coffer/', aboutCoffer, all, components);
