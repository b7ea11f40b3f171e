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

/** The same difference of several keys, by their schemas. */
const differing = (
  difference: string,
  keys: Partial<Record<keyof typeof pairs, string>>,
): readonly string[] =>
  Object.entries(keys).flatMap(([name, all]) =>
    all.split(' ').map((key) => `${name}.${key}: ${difference}`),
  );

/** All differences, as `place: ours, not theirs`, with their reasons. */
export const knownDifferences: readonly string[] = [
  ...differing('required true, not false', {
    // Always sent by the live service, though its document leaves them optional.
    Transaction: 'original_name is_split_parent',
    ChildTransaction: 'original_name is_split_parent',
    // Their document requires no key of these; their samples and the live service have them all.
    TransactionAttachment: 'created_at id name notes size type uploaded_by',
    Budget: 'amount category_id currency notes start_date to_base',
    SkippedTransaction:
      'existing_transaction_id reason request_transaction request_transactions_index',
    // Our accounts always have the time of the last reading.
    SyncedCryptoAccount: 'last_import',
    // Always sent, so that clients see it.
    ManualAccount: 'custom_metadata',
  }),
  ...differing('nullable false, not true', {
    // Our accounts always have a creator; a balance exists because it was read.
    SyncedCryptoAccount: 'created_by_name',
    SyncedCryptoBalance: 'balance_as_of',
  }),
  ...differing('nullable true, not false', {
    // Null means false, as in an update.
    CategoryInsert: 'is_group',
    // Their client allows null.
    ManualCryptoInsert: 'display_name institution_name',
    SplitPart: 'category_id notes',
    TransactionInsert: 'payee',
    ManualAccountInsert: 'display_name institution_name subtype',
    ManualAccountUpdate: 'subtype',
  }),
  // Ignored properties of requests may have any value.
  ...differing('any value', {
    BalanceHistoryEntryUpdate: 'id to_base',
    CategoryUpdate: 'created_at id updated_at',
    ManualAccountUpdate: 'created_at created_by_name id to_base updated_at',
    ManualCryptoUpdate:
      'balance_as_of coingecko_id created_at created_by_name exchange_rate_as_of id symbol to_base updated_at',
    TagUpdate: 'created_at id updated_at',
    TransactionUpdate:
      'children created_at group_parent_id id is_group_parent is_pending is_split_parent original_name plaid_metadata source split_parent_id to_base updated_at',
  }),
  // In their document `source` may be null, but the list of its words lacks null.
  ...differing('enum has null', { Transaction: 'source', ChildTransaction: 'source' }),
  // Numbers of periods are whole.
  'BudgetSettings.budget_period_quantity: type integer, not number',
  // A status that the service sends may be sent back.
  'TransactionUpdate.status: words delete_pending,reviewed,unreviewed, not reviewed,unreviewed',
  // Their document has the lengths only in requests, and no words of this currency.
  'Budget.notes: length 0..350, not 0..',
  `Budget.currency: words ${currencyCodes.join()}, not `,
  'ManualCryptoAccount.display_name: length 1..45, not 0..',
  'Tag.description: length 0..200, not 0..',
  'Tag.name: length 1..100, not 0..',
];
