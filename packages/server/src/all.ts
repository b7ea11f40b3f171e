import { interfaceOf } from './operations/document/openapi.ts';
import { aboutCoffer, aboutV1, aboutV2 } from './operations/document/overview.ts';
import type { Operation } from './operations/operation.ts';
import type { OperationThreads } from './operations/threads.ts';
import { categoryRoutes } from './ledger/categories/routes.ts';
import { cryptoRoutes } from './sync/crypto/routes.ts';
import { meRoutes } from './identity/me/routes.ts';
import { tagRoutes } from './ledger/tags/routes.ts';
import { transactionRoutes } from './ledger/transactions/routes.ts';
import { accountRemovalRoutes, tagRemovalRoutes, categoryRemovalRoutes } from './ledger/remove.ts';
import { categoryMergeRoutes, accountMergeRoutes } from './ledger/merge.ts';
import { proofRoutes } from './ledger/accounts/proof-routes.ts';
import { accountRoutes } from './ledger/accounts/routes.ts';
import { attachmentRoutes } from './ledger/transactions/attachments/routes.ts';
import { balanceHistoryRoutes } from './ledger/balance-history/routes.ts';
import { budgetRoutes } from './ledger/budgets/routes.ts';
import { manualCryptoRoutes } from './sync/crypto-manual/routes.ts';
import { changeRoutes } from './history/feed/routes.ts';
import { cryptocurrencyRoutes } from './sync/prices/routes.ts';
import { historyRoutes, earlierRoutes } from './history/routes.ts';
import { importRoutes } from './imports/operations/routes.ts';
import { plaidFetchRoutes } from './sync/banks/fetch-routes.ts';
import { plaidAccountRoutes } from './ledger/accounts/plaid-routes.ts';
import { recurringRoutes } from './ledger/recurring/routes.ts';
import { passkeyRoutes } from './identity/passkeys/routes.ts';
import { ruleRoutes } from './ledger/rules/routes.ts';
import { sessionRoutes } from './identity/sign-in/routes.ts';
import { netWorthRoutes } from './ledger/net-worth/routes.ts';
import { summaryRoutes } from './ledger/summary/routes.ts';
import { backupRoutes } from './maintenance/scheduled/routes.ts';
import { tokenRoutes } from './identity/tokens/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { groupRoutes } from './ledger/transactions/groups/routes.ts';
import { selectionRoutes } from './ledger/transactions/selection/routes.ts';
import { splitRoutes } from './ledger/transactions/splits/routes.ts';
import { transactionWriteRoutes } from './ledger/transactions/requests/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { undoRoutes } from './history/undo/routes.ts';
import { noServices } from './services.ts';
import type { Services } from './services.ts';
import { accountRoutesV1 } from './v1/accounts.ts';
import { budgetRoutesV1 } from './v1/budgets.ts';
import { categoryRoutesV1 } from './v1/categories.ts';
import { cryptoRoutesV1 } from './v1/crypto.ts';
import { meRoutesV1 } from './v1/me.ts';
import { plaidAccountRoutesV1 } from './v1/plaid-accounts.ts';
import { recurringRoutesV1 } from './v1/recurring.ts';
import { tagRoutesV1 } from './v1/tags.ts';
import { transactionRoutesV1 } from './v1/transactions/routes.ts';
import { transferRoutes } from './ledger/transactions/transfers/routes.ts';
import { bulkRoutes } from './ledger/transactions/bulk/routes.ts';
import { bookRoutes } from './identity/book-routes.ts';
import { connectionRoutes } from './sync/banks/routes.ts';
import { bookRemovalRoutes } from './maintenance/removal-routes.ts';
import type { Interface } from './operations/document/openapi.ts';

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
    ...proofRoutes,
    ...accountRemovalRoutes,
    ...accountMergeRoutes,
    ...plaidAccountRoutes,
    ...plaidFetchRoutes,
    ...connectionRoutes(services),
    ...recurringRoutes,
    ...budgetRoutes,
    ...summaryRoutes,
    ...netWorthRoutes,
    ...cryptocurrencyRoutes(services),
    ...manualCryptoRoutes(services),
    ...cryptoRoutes(services.cryptoReader),
    ...balanceHistoryRoutes,
    ...transferRoutes,
    ...ruleRoutes,
    ...importRoutes(services),
    ...exportRoutes(services),
    ...historyRoutes,
    ...webhookRoutes(services),
    ...changeRoutes(services),
    ...selectionRoutes,
    ...bulkRoutes,
    ...earlierRoutes,
    ...undoRoutes(services),
    ...sessionRoutes,
    ...passkeyRoutes,
    ...bookRoutes,
    ...bookRemovalRoutes,
    ...tokenRoutes,
    ...backupRoutes(services),
    ...meRoutes,
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

/** What http serves. */
interface Served {
  readonly services: Services;
  readonly operations: readonly Operation[];
}

/** Returns what http serves with these services; `threads` do the work of unbounded operations, if there are some. */
export function apiOf(services: Services, threads: OperationThreads | null = null): Served {
  const all = operations(services);
  return { services, operations: all.map((each) => threads?.wrap(each) ?? each) };
}

/** Returns what the document of v2 is built from; it needs no provider. */
export function described(): Interface {
  return interfaceOf('/v2/', aboutV2, operations(noServices));
}

/** Returns what the document of v1 is built from. */
export function describedV1(): Interface {
  return interfaceOf('/v1/', aboutV1, operations(noServices));
}

/** Returns what the document of Coffer's own operations is built from. */
export function describedCoffer(): Interface {
  return interfaceOf('/coffer/', aboutCoffer, operations(noServices));
}
