import { currencyCodes } from '../../currencies.ts';
import type { components } from '../../../resources/index.ts';

/** Our name of a schema, and theirs. */
export const pairs = {
  Transaction: 'transactionObject',
  ChildTransaction: 'childTransactionObject',
  TransactionAttachment: 'transactionAttachmentObject',
  Category: 'categoryObject',
  ChildCategory: 'childCategoryObject',
  SyncedCryptoListResponse: 'cryptoSyncedListResponseObject',
  SyncedCryptoAccount: 'syncedCryptoAccount',
  SyncedCryptoBalance: 'cryptoSyncedBalance',
  Tag: 'tagObject',
  TagInsert: 'createTagRequestObject',
  TagUpdate: 'updateTagRequestObject',
  TagDependents: 'deleteTagResponseWithDependencies',
  CategoryInsert: 'createCategoryRequestObject',
  CategoryUpdate: 'updateCategoryRequestObject',
  CategoryDependents: 'deleteCategoryResponseWithDependencies',
  Me: 'userObject',
  ErrorBody: 'errorResponseObject',
  Currency: 'currencyEnum',
  ManualAccount: 'manualAccountObject',
  ManualAccountInsert: 'createManualAccountRequestObject',
  ManualAccountUpdate: 'updateManualAccountRequestObject',
  PlaidAccount: 'plaidAccountObject',
  ManualSource: 'balanceHistorySourceManual',
  PlaidSource: 'balanceHistorySourcePlaid',
  ManualCryptoSource: 'balanceHistorySourceCryptoManual',
  SyncedCryptoSource: 'balanceHistorySourceCryptoSynced',
  DeletedSource: 'balanceHistorySourceDeleted',
  AccountHistory: 'balanceHistoryAccountObject',
  BalanceHistoryEntryUpdate: 'balanceHistoryUpdateItemObject',
  DeletedAccountDetails: 'updateBalanceHistoryDetailsResponseObject',
  DeletedAccountUpdate: 'updateBalanceHistoryDetailsRequestObject',
  BalanceHistoryUpdate: 'upsertBalanceHistoryRequestObject',
  BalanceHistoryListResponse: 'balanceHistoryListResponseObject',
  TransactionInsert: 'insertTransactionObject',
  TransactionUpdate: 'updateTransactionObject',
  SplitPart: 'splitTransactionObject',
  InsertedTransactions: 'insertTransactionsResponseObject',
  SkippedTransaction: 'skippedExistingExternalIdObject',
  RecurringItem: 'recurringObject',
  Budget: 'budgetUpsertResponseObject',
  BudgetUpsert: 'upsertBudgetRequestObject',
  BudgetSettings: 'budgetSettingsResponseObject',
  BudgetSummary: 'summaryResponseObject',
  ManualCryptoAccountListResponse: 'cryptoManualListResponseObject',
  ManualCryptoAccount: 'cryptoManualObject',
  ManualCryptoInsert: 'createCryptoManualRequestObject',
  ManualCryptoUpdate: 'updateCryptoManualRequestObject',
  CryptocurrencyListResponse: 'cryptoCurrencyResponseObject',
  Cryptocurrency: 'cryptoCurrencyObject',
  CryptocurrencyInsert: 'createCryptocurrencyRequestObject',
} as const satisfies Partial<Record<keyof typeof components, string>>;

/** Objects with no more keys than these, about which their document says nothing. */
export const closedHere: readonly string[] = ['Budget', 'RecurringItem'];

/** Keys that our schema has and theirs lacks: a client may send back a whole transaction. */
export const moreKeys: Readonly<Record<string, readonly string[]>> = {
  TransactionUpdate: ['files'],
};

/** Ignored properties of requests, which may have any value. */
const ignored: Readonly<Record<string, string>> = {
  BalanceHistoryEntryUpdate: 'id to_base',
  CategoryUpdate: 'created_at id updated_at',
  ManualAccountUpdate: 'created_at created_by_name id to_base updated_at',
  ManualCryptoUpdate:
    'balance_as_of coingecko_id created_at created_by_name exchange_rate_as_of id symbol to_base updated_at',
  TagUpdate: 'created_at id updated_at',
  TransactionUpdate:
    'children created_at group_parent_id id is_group_parent is_pending is_split_parent original_name plaid_metadata source split_parent_id to_base updated_at',
};

/** All differences, as `place: ours, not theirs`, with their reasons. */
export const knownDifferences: readonly string[] = [
  // Always sent by the live service, though its document leaves them optional.
  'Transaction.original_name: required true, not false',
  'Transaction.is_split_parent: required true, not false',
  'ChildTransaction.original_name: required true, not false',
  'ChildTransaction.is_split_parent: required true, not false',
  // Their document requires no key of an attachment; its samples have them all.
  'TransactionAttachment.created_at: required true, not false',
  'TransactionAttachment.id: required true, not false',
  'TransactionAttachment.name: required true, not false',
  'TransactionAttachment.notes: required true, not false',
  'TransactionAttachment.size: required true, not false',
  'TransactionAttachment.type: required true, not false',
  'TransactionAttachment.uploaded_by: required true, not false',
  // Our accounts always have a creator and the time of the last reading; a balance exists because it was read.
  'SyncedCryptoAccount.created_by_name: nullable false, not true',
  'SyncedCryptoAccount.last_import: required true, not false',
  'SyncedCryptoBalance.balance_as_of: nullable false, not true',
  // Their document requires no key of these; the live service always sends them.
  'Budget.amount: required true, not false',
  'Budget.category_id: required true, not false',
  'Budget.currency: required true, not false',
  'Budget.notes: required true, not false',
  'Budget.start_date: required true, not false',
  'Budget.to_base: required true, not false',
  'SkippedTransaction.existing_transaction_id: required true, not false',
  'SkippedTransaction.reason: required true, not false',
  'SkippedTransaction.request_transaction: required true, not false',
  'SkippedTransaction.request_transactions_index: required true, not false',
  // Numbers of periods are whole.
  'BudgetSettings.budget_period_quantity: type integer, not number',
  // A status that the service sends may be sent back.
  'TransactionUpdate.status: words delete_pending,reviewed,unreviewed, not reviewed,unreviewed',
  ...Object.entries(ignored).flatMap(([name, keys]) =>
    keys.split(' ').map((key) => `${name}.${key}: any value`),
  ),
  // Null means false, as in an update.
  'CategoryInsert.is_group: nullable true, not false',
  // Their client allows null.
  'ManualCryptoInsert.display_name: nullable true, not false',
  'ManualCryptoInsert.institution_name: nullable true, not false',
  'SplitPart.category_id: nullable true, not false',
  'SplitPart.notes: nullable true, not false',
  'TransactionInsert.payee: nullable true, not false',
  'ManualAccountInsert.display_name: nullable true, not false',
  'ManualAccountInsert.institution_name: nullable true, not false',
  'ManualAccountInsert.subtype: nullable true, not false',
  'ManualAccountUpdate.subtype: nullable true, not false',
  // Always sent, so that clients see it.
  'ManualAccount.custom_metadata: required true, not false',
  // Their document has the lengths only in requests, and no words of this currency.
  'Budget.notes: length 0..350, not 0..',
  `Budget.currency: words ${currencyCodes.join()}, not `,
  'ManualCryptoAccount.display_name: length 1..45, not 0..',
  'Tag.description: length 0..200, not 0..',
  'Tag.name: length 1..100, not 0..',
  // In their document `source` may be null, but the list of its words lacks null.
  'Transaction.source: enum has null',
  'ChildTransaction.source: enum has null',
];
