import { interfaceOf, type Interface } from './operations/document/openapi.ts';
import { aboutCoffer, aboutV1, aboutV2 } from './operations/document/overview.ts';
import { allOf, type Area, type Operation } from './operations/operation.ts';
import type { OperationThreads } from './operations/threads.ts';
import { categoryRoutes } from './ledger/categories/routes.ts';
import { cryptoRoutes } from './sync/crypto/routes.ts';
import { meRoutes } from './identity/me/routes.ts';
import { tagRoutes } from './ledger/tags/routes.ts';
import { transactionRoutes } from './ledger/transactions/routes.ts';
import { accountRemovalRoutes, tagRemovalRoutes, categoryRemovalRoutes } from './ledger/remove.ts';
import { categoryMergeRoutes, accountMergeRoutes } from './ledger/merge.ts';
import { proofRoutes } from './ledger/accounts/proof-routes.ts';
import { accountRoutes, plaidAccountRoutes } from './ledger/accounts/routes.ts';
import { attachmentRoutes } from './ledger/transactions/attachments/routes.ts';
import { balanceHistoryRoutes } from './ledger/balance-history/routes.ts';
import { budgetRoutes } from './ledger/budgets/routes.ts';
import { manualCryptoRoutes } from './sync/crypto-manual/routes.ts';
import { changeRoutes } from './history/feed/routes.ts';
import { cryptocurrencyRoutes } from './sync/prices/routes.ts';
import { historyRoutes, earlierRoutes } from './history/routes.ts';
import { importRoutes } from './imports/operations/routes.ts';
import { plaidFetchRoutes } from './sync/banks/fetch-routes.ts';
import { recurringRoutes } from './ledger/recurring/routes.ts';
import { passkeyRoutes } from './identity/passkeys/routes.ts';
import { ruleRoutes } from './ledger/rules/routes.ts';
import { sessionRoutes } from './identity/sign-in/routes.ts';
import { netWorthRoutes } from './ledger/net-worth.ts';
import { summaryRoutes } from './ledger/summary/routes.ts';
import { backupRoutes } from './maintenance/scheduled/routes.ts';
import { tokenRoutes } from './identity/tokens/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { groupRoutes, splitRoutes } from './ledger/transactions/split-group-routes.ts';
import { selectionRoutes } from './ledger/transactions/selection/routes.ts';
import { transactionWriteRoutes } from './ledger/transactions/requests/routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { undoRoutes } from './history/undo/routes.ts';
import { noServices, type Services } from './services.ts';
import { plaidAccountRoutesV1, accountRoutesV1 } from './v1/accounts.ts';
import { budgetRoutesV1 } from './v1/budgets.ts';
import { categoryRoutesV1 } from './v1/categories.ts';
import { cryptoRoutesV1 } from './v1/crypto.ts';
import { meRoutesV1 } from './v1/me.ts';
import { recurringRoutesV1 } from './v1/recurring.ts';
import { tagRoutesV1 } from './v1/tags.ts';
import { transactionRoutesV1 } from './v1/transactions/routes.ts';
import { transferRoutes } from './ledger/transactions/transfers/routes.ts';
import { bulkRoutes } from './ledger/transactions/bulk/routes.ts';
import { currencyChangeRoutes } from './ledger/currency-change.ts';
import { bookRoutes } from './identity/book-routes.ts';
import { connectionRoutes } from './sync/banks/routes.ts';
import { bookRemovalRoutes } from './maintenance/user-removal.ts';

/** Declares operations, and the beginnings of their paths. Braces are any segment. */
type Declared = readonly [
  declare: (services: Services) => readonly Operation[],
  ...paths: readonly string[],
];

/**
 * Every operation, in the order of the document: those of v2, Coffer's own below /coffer/, then v1.
 *
 * Functions, because the bundle loads a room when a name of it is used, and to declare all takes a third of a start.
 */
const declared: readonly Declared[] = [
  [() => transactionRoutes, '/v2/transactions'],
  [() => transactionWriteRoutes, '/v2/transactions', '/coffer/transactions'],
  [() => groupRoutes, '/v2/transactions/group'],
  [() => splitRoutes, '/v2/transactions/split'],
  [
    (services) => attachmentRoutes(services),
    '/v2/transactions/{}/attachments',
    '/v2/transactions/attachments',
  ],
  [() => categoryRoutes, '/v2/categories', '/coffer/category_settings'],
  [() => categoryRemovalRoutes, '/v2/categories/{}'],
  [() => categoryMergeRoutes, '/coffer/categories'],
  [() => tagRoutes, '/v2/tags'],
  [() => tagRemovalRoutes, '/v2/tags/{}'],
  [() => accountRoutes, '/v2/manual_accounts'],
  [() => proofRoutes, '/coffer/accounts', '/coffer/balance_anchors'],
  [() => accountRemovalRoutes, '/v2/manual_accounts/{}'],
  [() => accountMergeRoutes, '/coffer/manual_accounts'],
  [() => plaidAccountRoutes, '/v2/plaid_accounts', '/coffer/plaid_accounts'],
  [() => plaidFetchRoutes, '/v2/plaid_accounts/fetch'],
  [(services) => connectionRoutes(services), '/coffer/connections'],
  [() => recurringRoutes, '/v2/recurring_items', '/coffer/recurring_items'],
  [() => budgetRoutes, '/v2/budgets', '/coffer/budgets', '/coffer/budget_settings'],
  [() => summaryRoutes, '/v2/summary', '/coffer/budget_rollover'],
  [() => netWorthRoutes, '/coffer/net_worth'],
  [(services) => cryptocurrencyRoutes(services), '/v2/cryptocurrencies'],
  [(services) => manualCryptoRoutes(services), '/v2/crypto/manual'],
  [({ cryptoReader }) => cryptoRoutes(cryptoReader), '/v2/crypto/synced'],
  [() => balanceHistoryRoutes, '/v2/balance_history'],
  [() => transferRoutes, '/coffer/transfers'],
  [() => ruleRoutes, '/coffer/rules'],
  [(services) => importRoutes(services), '/coffer/imports'],
  [(services) => exportRoutes(services), '/coffer/export'],
  [() => historyRoutes, '/coffer/history', '/coffer/transactions/{}/history'],
  [(services) => webhookRoutes(services), '/coffer/webhooks'],
  [(services) => changeRoutes(services), '/coffer/changes'],
  [() => selectionRoutes, '/coffer/transactions', '/coffer/sums', '/coffer/payees'],
  [() => bulkRoutes, '/coffer/transactions/bulk'],
  [() => earlierRoutes, '/coffer/transactions/{}'],
  [(services) => undoRoutes(services), '/coffer/history/{}/undo', '/coffer/undo'],
  [() => sessionRoutes, '/coffer/session', '/coffer/sessions', '/coffer/password'],
  [() => passkeyRoutes, '/coffer/session/passkey', '/coffer/passkeys'],
  [() => bookRoutes, '/coffer/book'],
  [() => currencyChangeRoutes, '/coffer/book/currency'],
  [() => bookRemovalRoutes, '/coffer/book'],
  [() => tokenRoutes, '/coffer/tokens'],
  [(services) => backupRoutes(services), '/coffer/backups', '/coffer/sources'],
  [() => meRoutes, '/v2/me'],
  [() => transactionRoutesV1, '/v1/transactions'],
  [() => categoryRoutesV1, '/v1/categories'],
  [() => tagRoutesV1, '/v1/tags'],
  [() => recurringRoutesV1, '/v1/recurring_expenses', '/v1/recurring_items'],
  [() => budgetRoutesV1, '/v1/budgets'],
  [() => accountRoutesV1, '/v1/assets'],
  [() => plaidAccountRoutesV1, '/v1/plaid_accounts'],
  [() => cryptoRoutesV1, '/v1/crypto'],
  [() => meRoutesV1, '/v1/me'],
];

/** Returns the operations with these services by areas; `threads` do the work of unbounded ones, if there are some. */
function areasOf(services: Services, threads: OperationThreads | null): readonly Area[] {
  return declared.map(([declare, ...paths]) => {
    let operations: readonly Operation[] | undefined;
    const wrap = (each: Operation): Operation => threads?.wrap(each) ?? each;
    return { paths, operations: () => (operations ??= declare(services).map(wrap)) };
  });
}

/** Returns every operation, in the order of the document. */
export function operations(services: Services): readonly Operation[] {
  return allOf(areasOf(services, null));
}

/** What http serves. */
interface Served {
  readonly services: Services;
  readonly areas: readonly Area[];
}

/** Returns what http serves with these services; `threads` do the work of unbounded operations, if there are some. */
export function apiOf(services: Services, threads: OperationThreads | null = null): Served {
  return { services, areas: areasOf(services, threads) };
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
