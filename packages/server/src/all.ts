import { sharedComponents } from './operations/components.ts';
import { interfaceOf } from './operations/document/interface.ts';
import { aboutCoffer, aboutV1, aboutV2 } from './operations/document/overview.ts';
import type { Operation } from './operations/operation.ts';
import { CategoryDependents, CategoryInsert } from './ledger/categories/requests.ts';
import { CategoryMerge, CategoryUpdate } from './ledger/categories/requests.ts';
import { categoryRoutes } from './ledger/categories/routes.ts';
import { Category, CategoryListResponse, ChildCategory } from './ledger/categories/schema.ts';
import { cryptoRoutes } from './sync/crypto/routes.ts';
import { SyncedCryptoAccount, SyncedCryptoBalance } from './sync/crypto/schema.ts';
import { SyncedCryptoListResponse } from './sync/crypto/schema.ts';
import { meRoutes } from './identity/me/routes.ts';
import { Me } from './identity/me/schema.ts';
import { tagRoutes } from './ledger/tags/routes.ts';
import { Tag, TagDependents, TagInsert, TagList, TagUpdate } from './ledger/tags/schema.ts';
import { transactionRoutes } from './ledger/transactions/routes.ts';
import {
  ChildTransaction,
  Transaction,
  TransactionAttachment,
} from './ledger/transactions/schema.ts';
import { TransactionListResponse } from './ledger/transactions/schema.ts';

import { accountComponents } from './ledger/accounts/components.ts';
import { accountMergeComponents, accountMergeRoutes, categoryMergeRoutes } from './ledger/merge.ts';
import { accountRemovalRoutes, categoryRemovalRoutes, tagRemovalRoutes } from './ledger/remove.ts';
import { accountRoutes } from './ledger/accounts/routes.ts';
import { attachmentComponents } from './ledger/transactions/attachments/components.ts';
import { attachmentRoutes } from './ledger/transactions/attachments/routes.ts';
import { balanceHistoryComponents } from './ledger/balance-history/components.ts';
import { balanceHistoryRoutes } from './ledger/balance-history/routes.ts';
import { budgetComponents } from './ledger/budgets/components.ts';
import { budgetRoutes } from './ledger/budgets/routes.ts';
import { manualCryptoComponents } from './sync/crypto-manual/components.ts';
import { manualCryptoRoutes } from './sync/crypto-manual/routes.ts';
import { changeComponents } from './history/feed/components.ts';
import { changeRoutes } from './history/feed/routes.ts';
import { cryptocurrencyComponents } from './sync/prices/components.ts';
import { cryptocurrencyRoutes } from './sync/prices/routes.ts';
import { historyComponents } from './history/components.ts';
import { historyRoutes, earlierRoutes } from './history/routes.ts';
import { importComponents } from './imports/operations/components.ts';
import { importRoutes } from './imports/operations/routes.ts';
import { plaidAccountComponents } from './ledger/accounts/plaid-components.ts';
import { plaidFetchRoutes } from './sync/banks/fetch-routes.ts';
import { plaidAccountRoutes } from './ledger/accounts/plaid-routes.ts';
import { recurringComponents } from './ledger/recurring/components.ts';
import { recurringRoutes } from './ledger/recurring/routes.ts';
import { passkeyComponents } from './identity/passkeys/components.ts';
import { passkeyRoutes } from './identity/passkeys/routes.ts';
import { ruleComponents } from './ledger/rules/components.ts';
import { ruleRoutes } from './ledger/rules/routes.ts';
import { sessionComponents } from './identity/sign-in/components.ts';
import { sessionRoutes } from './identity/sign-in/routes.ts';
import { summaryComponents } from './ledger/summary/components.ts';
import { summaryRoutes } from './ledger/summary/routes.ts';
import { backupRoutes } from './maintenance/backup-routes.ts';
import { backupComponents } from './maintenance/backup-schema.ts';
import { tokenComponents } from './identity/tokens/components.ts';
import { tokenRoutes } from './identity/tokens/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { groupComponents } from './ledger/transactions/groups/components.ts';
import { groupRoutes } from './ledger/transactions/groups/routes.ts';
import { selectionComponents } from './ledger/transactions/selection/components.ts';
import { selectionRoutes } from './ledger/transactions/selection/routes.ts';
import { splitComponents } from './ledger/transactions/splits/components.ts';
import { splitRoutes } from './ledger/transactions/splits/routes.ts';
import { transactionWriteComponents } from './ledger/transactions/requests/components.ts';
import { transactionWriteRoutes } from './ledger/transactions/requests/routes.ts';
import { webhookComponents } from './webhooks/components.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { undoComponents } from './history/undo/components.ts';
import { undoRoutes } from './history/undo/routes.ts';
import { noServices } from './services.ts';
import type { Services } from './services.ts';
import { componentsV1, operationsV1, sharedComponentsV1 } from './all-v1.ts';

/** Returns every operation, in the order of the document: those of v2, Coffer's own below /coffer/, then v1. */
export function operations(services: Services): readonly Operation[] {
  return [
    ...transactionRoutes,
    ...transactionWriteRoutes,
    ...groupRoutes,
    ...splitRoutes,
    ...attachmentRoutes(services),
    ...categoryRoutes,
    ...categoryRemovalRoutes,
    ...categoryMergeRoutes,
    ...tagRoutes,
    ...tagRemovalRoutes,
    ...accountRoutes,
    ...accountRemovalRoutes,
    ...accountMergeRoutes,
    ...plaidAccountRoutes,
    ...plaidFetchRoutes,
    ...recurringRoutes,
    ...budgetRoutes,
    ...summaryRoutes,
    ...cryptocurrencyRoutes(services),
    ...manualCryptoRoutes(services),
    ...cryptoRoutes(services.cryptoReader),
    ...balanceHistoryRoutes,
    ...ruleRoutes,
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
    ...operationsV1,
  ];
}

/** The schemas of the document's `components.schemas`, by the name that references use. */
export const components = {
  TransactionListResponse,
  Transaction,
  ChildTransaction,
  TransactionAttachment,
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
  CategoryListResponse,
  Category,
  ChildCategory,
  CategoryInsert,
  CategoryUpdate,
  CategoryDependents,
  CategoryMerge,
  TagListResponse: TagList,
  Tag,
  TagInsert,
  TagUpdate,
  TagDependents,
  SyncedCryptoListResponse,
  SyncedCryptoAccount,
  SyncedCryptoBalance,
  Me,
  ...componentsV1,
  ...sharedComponents,
  ...sharedComponentsV1,
} as const;

/** What http serves. */
interface Served {
  readonly services: Services;
  readonly operations: readonly Operation[];
  readonly components: typeof components;
}

/** Returns what http serves with these services. */
export function apiOf(services: Services): Served {
  return { services, operations: operations(services), components };
}

const all = operations(noServices);

/** What the document of v2 is built from; it needs no provider. */
export const described = interfaceOf('/v2/', aboutV2, all, components);

/** What the document of v1 is built from. */
export const describedV1 = interfaceOf('/v1/', aboutV1, all, components);

/** What the document of Coffer's own operations is built from. */
export const describedCoffer = interfaceOf('/coffer/', aboutCoffer, all, components);
