/*
 * A client for Coffer and for every service with the same API.
 */
export { createClient } from './client.ts';
export type { Client } from './client.ts';
export type { CallOptions, ClientOptions } from './sending/options.ts';
export type { QueryValue, RequestOptions } from './sending/requests.ts';
export type {
  Account,
  AccountDeletion,
  AccountFetch,
  AccountInsert,
  AccountUpdate,
  Accounts,
  SyncedAccount,
  SyncedAccounts,
} from './resources/accounts.ts';
export type {
  AccountHistory,
  BalanceHistory,
  BalanceHistoryQuery,
  BalanceUpdate,
  DeletedAccountDetails,
  DeletedAccountUpdate,
  HistoryAccount,
} from './resources/balance-history.ts';
export type {
  Budget,
  BudgetSettings,
  BudgetSummary,
  BudgetSummaryQuery,
  BudgetUpsert,
  Budgets,
  Summary,
} from './resources/budgets.ts';
export type {
  Categories,
  Category,
  CategoryDeletion,
  CategoryInsert,
  CategoryQuery,
  CategoryUpdate,
} from './resources/categories.ts';
export type {
  AccountMerge,
  BudgetSettingsUpdate,
  CofferApi,
  ExportQuery,
  MergedAccount,
  PayeeList,
  PayeesQuery,
  SumsQuery,
  TransactionSums,
} from './resources/coffer/coffer.ts';
export type {
  EarlierQuery,
  EarlierTransactionQuery,
  EarlierTransactions,
  MonthsQuery,
  TransactionMonths,
  TransactionSelection,
} from './resources/coffer/earlier-transactions.ts';
export type {
  ChangeUndo,
  History,
  HistoryList,
  HistoryQuery,
  HistoryVersion,
  TransactionHistory,
  TransactionHistoryQuery,
  VersionQuery,
} from './resources/coffer/history.ts';
export type {
  ChangePage,
  ChangeQuery,
  Changes,
  FollowOptions,
  RecordChange,
} from './resources/coffer/changes.ts';
export type {
  ImportCommit,
  ImportList,
  ImportPreview,
  ImportPreviewRows,
  ImportQuery,
  ImportRecord,
  Imports,
  ImportUndo,
  RowsQuery,
  UndoQuery,
  UploadQuery,
} from './resources/coffer/imports.ts';
export type {
  RecurringDefinition,
  RecurringDefinitions,
  RecurringInsert,
  RecurringUpdate,
} from './resources/coffer/recurring-definitions.ts';
export type {
  Rule,
  RuleApplication,
  RuleInsert,
  RulePreview,
  RulePreviewRequest,
  RuleScope,
  RuleUpdate,
  Rules,
} from './resources/coffer/rules.ts';
export type {
  AttemptQuery,
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookAttemptList,
  WebhookInsert,
  WebhookRedelivered,
  WebhookRedelivery,
  Webhooks,
  WebhookUpdate,
} from './resources/coffer/webhooks.ts';
export type {
  Crypto,
  Cryptocurrencies,
  Cryptocurrency,
  ManualCrypto,
  ManualCryptoDeletion,
  ManualCryptoInsert,
  ManualCryptoUpdate,
  ManualCryptos,
  SyncedCrypto,
  SyncedCryptoBalance,
  SyncedCryptos,
} from './resources/crypto.ts';
export type { Me } from './resources/me.ts';
export type {
  RecurringItem,
  RecurringItemQuery,
  RecurringItems,
} from './resources/recurring-items.ts';
export type { Tag, TagDeletion, TagInsert, TagUpdate, Tags } from './resources/tags.ts';
export type {
  AttachmentInsert,
  TransactionAttachment,
  TransactionAttachmentLink,
  TransactionAttachments,
} from './resources/transactions/attachments.ts';
export type {
  ArrayOptions,
  Place,
  Transaction,
  TransactionLists,
  TransactionPage,
  TransactionQuery,
} from './resources/transactions/lists.ts';
export type { Transactions } from './resources/transactions/transactions.ts';
export type {
  InsertedTransactions,
  SplitPart,
  TransactionGroupInsert,
  TransactionInsert,
  TransactionInsertFlags,
  TransactionUpdate,
  TransactionUpdateWithId,
  TransactionWrites,
} from './resources/transactions/writes.ts';
export type { RetryNotice } from './sending/retry.ts';
export type { Clock } from './sending/timing.ts';
export type { Fetch, FetchInit } from './sending/transport.ts';
export {
  ApiError,
  ArgumentError,
  CofferError,
  DependentsError,
  EndlessListError,
  GoneError,
  IncompleteError,
  MalformedResponseError,
  NetworkError,
  RateLimitError,
  RequestError,
  TimeoutError,
  TooManyRowsError,
} from './sending/errors.ts';
export type { ApiErrorDetail, Dependents, RequestSummary } from './sending/errors.ts';
