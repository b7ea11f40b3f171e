import type { CallOptions } from '../sending/options.ts';
import type { BudgetSettings, Category } from './book.ts';
import type { SyncedAccount } from './accounts.ts';
import {
  objectShape,
  recordShape,
  listShape,
  recordMethods,
  nothing,
  type Call,
  type QueryOf,
  type Schema,
  type Shape,
  type RecordMethods,
} from './resource.ts';
import { readChanges, type ChangePage, type ChangeQuery } from './changes.ts';
import { makeTransactionLists, type Transaction, type TransactionLists } from './transactions.ts';

/** New values for settings of budgets. */
export type BudgetSettingsUpdate = Schema<'BudgetSettingsUpdate'>;
/** Which account to merge into: one of the two ids. */
export type AccountMerge = Schema<'AccountMerge'>;
/** The account that is left of a merge, and how many transactions moved to it. */
export type MergedAccount = Schema<'MergedAccount'>;
/** In which format to export the book, and as it was when. */
export type ExportQuery = QueryOf<'exportBook'>;

/** Sums of transactions. */
export type TransactionSums = Schema<'TransactionSums'>;
/** Which months to sum, and what the sums are divided by. */
export type SumsQuery = QueryOf<'getTransactionSums'>;
/** Payees of transactions. */
export type PayeeList = Schema<'PayeeList'>;
/** Which payees to list. */
export type PayeesQuery = QueryOf<'getPayees'>;

/** Coffer's own API, under `/coffer/`. Other services respond with 404. */
export interface CofferApi {
  /** Rules that change transactions. */
  readonly rules: Rules;
  /** Recurring items: create, change, delete. */
  readonly recurringItems: RecurringDefinitions;
  /** Imports of files: list, undo, redo. */
  readonly imports: Imports;
  /** What happened in the book: changes, and records before and after. */
  readonly history: History;
  /** Searches of transactions, and transactions as they were at a version or a time. */
  readonly transactions: EarlierTransactions;
  /** Webhooks: create, change, test, deliver again. */
  readonly webhooks: Webhooks;
  /** One page of changes of the book; `client.changes()` follows them. */
  changes(query?: ChangeQuery, options?: CallOptions): Promise<ChangePage>;
  /**
   * The whole book as a file, as of one version: CSV by default. A file that is not whole is an error. The time limits
   * of the call include the download.
   */
  export(query?: ExportQuery, options?: CallOptions): Promise<File>;
  /** Sums of transactions by month, category and account. */
  sums(query?: SumsQuery, options?: CallOptions): Promise<TransactionSums>;
  /** Payees of transactions: those that begin with the words first, then the most used. */
  payees(query?: PayeesQuery, options?: CallOptions): Promise<PayeeList>;
  /** Settings of budgets. */
  readonly budgetSettings: {
    /** The settings; `budgets.settings` reads the same. */
    get(options?: CallOptions): Promise<BudgetSettings>;
    /** Changes the given settings and resolves to all. */
    update(changes: BudgetSettingsUpdate, options?: CallOptions): Promise<BudgetSettings>;
  };
  /** Moves all records of a category to the one with `into_id`, deletes it, and resolves to the other. */
  mergeCategory(
    id: number,
    merge: Schema<'CategoryMerge'>,
    options?: CallOptions,
  ): Promise<Category>;
  /** Locks or unlocks a synced account: whether its transactions may be changed. */
  updateSyncedAccount(
    id: number,
    changes: Schema<'PlaidAccountUpdate'>,
    options?: CallOptions,
  ): Promise<SyncedAccount>;
  /** Moves all records of a manual account to another account, and deletes it. */
  mergeAccount(id: number, merge: AccountMerge, options?: CallOptions): Promise<MergedAccount>;
}

const settings = objectShape<BudgetSettings>('the settings of budgets');
const category = recordShape<Category>('a category');
const syncedAccount = recordShape<SyncedAccount>('a synced account');
const file: Shape<File> = {
  name: 'a file',
  read: (body) => (body instanceof File ? body : null),
};
const sums = objectShape<TransactionSums>('sums of transactions');
const payees = objectShape<PayeeList>('payees');
const mergedAccount = objectShape<MergedAccount>('a merged account');

/** Coffer's own API of a client; `call` is that of this API. */
export function makeCofferApi(call: Call): CofferApi {
  return {
    rules: makeRules(call),
    recurringItems: makeRecurringDefinitions(call),
    imports: makeImports(call),
    history: makeHistory(call),
    transactions: makeEarlierTransactions(call),
    webhooks: makeWebhooks(call),
    changes: (query, options) => readChanges(call, query, options),
    export: (query, options) => call(file, ['export'], { ...options, query, isFile: true }),
    sums: (query, options) => call(sums, ['sums'], { ...options, query }),
    payees: (query, options) => call(payees, ['payees'], { ...options, query }),
    budgetSettings: {
      get: (options) => call(settings, ['budget_settings'], options),
      update: (body, options) =>
        call(settings, ['budget_settings'], { ...options, method: 'PUT', body }),
    },
    updateSyncedAccount: (id, body, options) =>
      call(syncedAccount, ['plaid_accounts', { id }], { ...options, method: 'PUT', body }),
    mergeCategory: (id, body, options) =>
      call(category, ['categories', { id }, 'merge'], { ...options, method: 'POST', body }),
    mergeAccount: (id, body, options) => {
      const path = ['manual_accounts', { id }, 'merge'];
      return call(mergedAccount, path, { ...options, method: 'POST', body });
    },
  };
}

/** A rule that changes transactions. */
export type Rule = Schema<'Rule'>;
/** A new rule. */
export type RuleInsert = Schema<'RuleInsert'>;
/** New values for properties of a rule; a complete record is accepted too. */
export type RuleUpdate = Schema<'RuleUpdate'>;
/** Which rules to apply to which transactions. */
export type RuleScope = Schema<'RuleScope'>;
/** Which rules to preview; `rule` is one that does not exist yet. */
export type RulePreviewRequest = Schema<'RulePreviewRequest'>;
/** The effect that rules would have. */
export type RulePreview = Schema<'RulePreview'>;
/** How many transactions were examined and changed. */
export type RuleApplication = Schema<'RuleApplication'>;

/** Methods of rules. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Rules extends RecordMethods<
  Rule,
  RuleInsert,
  RuleUpdate,
  Readonly<Record<string, never>>
> {
  /** All rules, in the order in which they are applied. */
  list(options?: CallOptions): Promise<readonly Rule[]>;
  /** Puts the rules in another order, by all their ids, and resolves to them. */
  order(ids: readonly number[], options?: CallOptions): Promise<readonly Rule[]>;
  /** Shows what rules would do to existing transactions. Changes nothing. */
  preview(request?: RulePreviewRequest, options?: CallOptions): Promise<RulePreview>;
  /** Applies rules to existing transactions. */
  apply(scope?: RuleScope, options?: CallOptions): Promise<RuleApplication>;
}

const rule = recordShape<Rule>('a rule');
const rules = listShape<Rule>('rules');
const preview = objectShape<RulePreview>('a preview');
const application = objectShape<RuleApplication>('the result of rules');

/** The rules of a client; `call` is that of Coffer's own API. */
function makeRules(call: Call): Rules {
  return {
    ...recordMethods(call, ['rules'], rule),
    list: (options) => call(rules, ['rules'], options),
    order: (rule_ids, options) =>
      call(rules, ['rules', 'order'], { ...options, method: 'PUT', body: { rule_ids } }),
    preview: (body = {}, options) =>
      call(preview, ['rules', 'preview'], { ...options, method: 'POST', body }),
    apply: (body = {}, options) =>
      call(application, ['rules', 'apply'], { ...options, method: 'POST', body }),
  };
}

/** A recurring item with everything that decides which transactions belong to it, without its occurrences. */
export type RecurringDefinition = Schema<'RecurringItemDetails'>;
/** A new recurring item. */
export type RecurringInsert = Schema<'RecurringItemInsert'>;
/** New values for properties of a recurring item; a complete record is accepted too. */
export type RecurringUpdate = Schema<'RecurringItemUpdate'>;

type Methods = RecordMethods<
  RecurringDefinition,
  RecurringInsert,
  RecurringUpdate,
  QueryOf<'deleteRecurringItem'>
>;

/** Methods that write recurring items. All reject with an error of this library, or with the reason of a signal. */
export interface RecurringDefinitions extends Omit<Methods, 'get'> {
  /** All recurring items, also suggested and dismissed ones. */
  list(options?: CallOptions): Promise<readonly RecurringDefinition[]>;
}

const definition = recordShape<RecurringDefinition>('a recurring item');
const definitions = listShape<RecurringDefinition>('recurring_items');

/** The {@link RecurringDefinitions} of a client; `call` is that of Coffer's own API. */
function makeRecurringDefinitions(call: Call): RecurringDefinitions {
  const path = ['recurring_items'];
  return {
    list: (options) => call(definitions, path, options),
    create: (body, options) => call(definition, path, { ...options, method: 'POST', body }),
    update: (id, body, options) =>
      call(definition, [...path, { id }], { ...options, method: 'PUT', body }),
    delete: (id, query, options) =>
      call(nothing, [...path, { id }], { ...options, method: 'DELETE', query }),
  };
}

/** One import of a file. */
export type ImportRecord = Schema<'ImportRecord'>;
/** A page of imports, the newest first. */
export type ImportList = Schema<'ImportList'>;
/** An import after an undo, and why records were kept. */
export type ImportUndo = Schema<'ImportUndo'>;
/** Which imports to list. */
export type ImportQuery = QueryOf<'getAllImports'>;
/** What an undo does with records that were changed since the import. */
export type UndoQuery = QueryOf<'undoImport'>;

/** What an import of a file would do. */
export type ImportPreview = Schema<'ImportPreview'>;
/** Rows of a preview. */
export type ImportPreviewRows = Schema<'ImportPreviewRows'>;
/** Changed options, and choices for rows. */
export type ImportCommit = Schema<'ImportCommit'>;
/** How to read a file, and its name. */
export type UploadQuery = QueryOf<'previewImport'>;
/** Which rows to list. */
export type RowsQuery = QueryOf<'getImportRows'>;

/** Methods of imports. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Imports {
  /** The imports of the book, the newest first. */
  list(query?: ImportQuery, options?: CallOptions): Promise<ImportList>;
  /** One import. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<ImportRecord>;
  /**
   * Removes what an import created, and restores what it changed. ApiError 400: it is undone already, or created
   * nothing. ApiError 409: records were changed since; nothing is undone then.
   */
  undo(id: number, query?: UndoQuery, options?: CallOptions): Promise<ImportUndo>;
  /** Restores what an undo removed. ApiError 400: the import is not undone. ApiError 409 as for `undo`. */
  redo(id: number, options?: CallOptions): Promise<ImportUndo>;
  /**
   * Sends a file of at most 50 MB, and shows what an import of it would do. A large file is read in the background:
   * `get` its id until `preview.status` is not `reading`. ApiError 400: the file or an option is not valid.
   */
  preview(file: Blob, query?: UploadQuery, options?: CallOptions): Promise<ImportPreview>;
  /** Rows of a preview, in the order of the file. */
  rows(id: number, query?: RowsQuery, options?: CallOptions): Promise<ImportPreviewRows>;
  /**
   * Imports a preview. Resolves to the import, or to the preview of a large file, which is imported in the background:
   * `get` its id until `preview` is null. ApiError 409: rows have other verdicts now; nothing is imported.
   */
  commit(
    id: number,
    body?: ImportCommit,
    options?: CallOptions,
  ): Promise<ImportRecord | ImportPreview>;
  /** Deletes a preview. */
  discard(id: number, options?: CallOptions): Promise<void>;
}

const importList = objectShape<ImportList>('a list of imports');
const record = recordShape<ImportRecord>('an import');
const undoneImport = objectShape<ImportUndo>('an undone import');

const importPreview = recordShape<ImportPreview>('a preview of an import');
const rows = objectShape<ImportPreviewRows>('rows of a preview');
const committed = recordShape<ImportRecord | ImportPreview>('an import');

/** The imports of a client; `call` is that of Coffer's own API. */
function makeImports(call: Call): Imports {
  return {
    list: (query, options) => call(importList, ['imports'], { ...options, query }),
    get: (id, options) => call(record, ['imports', { id }], options),
    undo: (id, query, options) =>
      call(undoneImport, ['imports', { id }, 'undo'], { ...options, method: 'POST', query }),
    redo: (id, options) =>
      call(undoneImport, ['imports', { id }, 'redo'], { ...options, method: 'POST' }),
    preview: (file, query, options) => {
      const body = new FormData();
      body.set('file', file);
      return call(importPreview, ['imports'], { ...options, method: 'POST', query, body });
    },
    rows: (id, query, options) => call(rows, ['imports', { id }, 'rows'], { ...options, query }),
    commit: (id, body = {}, options) =>
      call(committed, ['imports', { id }, 'commit'], { ...options, method: 'POST', body }),
    discard: (id, options) => call(nothing, ['imports', { id }], { ...options, method: 'DELETE' }),
  };
}

/** A page of changes, the newest first. */
export type HistoryList = Schema<'HistoryList'>;
/** A change of the book, with a part of its records. */
export type HistoryVersion = Schema<'HistoryVersion'>;
/** A page of the changes of a transaction, the newest first. */
export type TransactionHistory = Schema<'TransactionHistory'>;
/** Which changes to list. */
export type HistoryQuery = QueryOf<'getHistory'>;
/** Which records of a change to list. */
export type VersionQuery = QueryOf<'getHistoryVersion'>;
/** Which changes of a transaction to list. */
export type TransactionHistoryQuery = QueryOf<'getTransactionHistory'>;

/** The undo of a change. */
export type ChangeUndo = Schema<'ChangeUndo'>;

/** Methods of the history. All reject with an error of this library, or with the reason of an aborted signal. */
export interface History {
  /** Changes of the book, the newest first. For the next page, send the last `version` as `before`. */
  list(query?: HistoryQuery, options?: CallOptions): Promise<HistoryList>;
  /** A change, with its records before and after. ApiError 404: it does not exist. ApiError 410: it was pruned. */
  get(version: number, query?: VersionQuery, options?: CallOptions): Promise<HistoryVersion>;
  /** Changes of a transaction, also of a deleted one. ApiError 404: the book never had it. */
  ofTransaction(
    id: number,
    query?: TransactionHistoryQuery,
    options?: CallOptions,
  ): Promise<TransactionHistory>;
  /**
   * Undoes a change of any kind, as a new change. To redo, undo its `version`. ApiError 404 or 410: the book does not
   * have the change, or no longer. ApiError 409: records were changed since, or it is undone already; nothing is undone
   * then.
   */
  undoChange(version: number, query?: UndoQuery, options?: CallOptions): Promise<ChangeUndo>;
  /**
   * Undoes the last change by the same access token that is not undone, as a new change. ApiError 404: there is none.
   * ApiError 409: records were changed since; nothing is undone then.
   */
  undoLastChange(query?: UndoQuery, options?: CallOptions): Promise<ChangeUndo>;
}

const list = objectShape<HistoryList>('a list of changes');
const version = objectShape<HistoryVersion>('a change');
const undone = objectShape<ChangeUndo>('the undo of a change');
const ofTransaction = objectShape<TransactionHistory>('the history of a transaction');

/** The history of a client; `call` is that of Coffer's own API. */
function makeHistory(call: Call): History {
  return {
    list: (query, options) => call(list, ['history'], { ...options, query }),
    get: (id, query, options) => call(version, ['history', { id }], { ...options, query }),
    ofTransaction: (id, query, options) =>
      call(ofTransaction, ['transactions', { id }, 'history'], { ...options, query }),
    undoChange: (id, query, options) =>
      call(undone, ['history', { id }, 'undo'], { ...options, method: 'POST', query }),
    undoLastChange: (query, options) =>
      call(undone, ['undo'], { ...options, method: 'POST', query }),
  };
}

/**
 * The filters of a list, `limit` and `offset`; and either `as_of`, a version, a date or a date-time, or the filters
 * that only this list has, such as `q`.
 */
export type EarlierTransactionQuery = QueryOf<'getTransactionsAsOf'>;
/** A page of transactions, and the number of all that match. */
export type TransactionSelection = Schema<'TransactionSelection'>;
/** The filters of the months. */
export type MonthsQuery = QueryOf<'getTransactionMonths'>;
/** How many transactions match in each month, and their sums. */
export type TransactionMonths = Schema<'TransactionMonths'>;
/** As of when to read a transaction. */
export type EarlierQuery = QueryOf<'getTransactionAsOf'>;

/**
 * Methods that search transactions, or read them as they were, with `as_of` in their queries. ApiError 400: the book
 * does not have that version yet. ApiError 410: its changes since were pruned.
 */
export interface EarlierTransactions extends TransactionLists<EarlierTransactionQuery> {
  /** One transaction, also one that was deleted since. ApiError 404: the book did not have it. */
  get(id: number, query?: EarlierQuery, options?: CallOptions): Promise<Transaction>;
  /** One page with its `total`, which is absent with `as_of`. */
  search(query?: EarlierTransactionQuery, options?: CallOptions): Promise<TransactionSelection>;
  /** The months with matching transactions, newest first, with their totals. */
  months(query?: MonthsQuery, options?: CallOptions): Promise<TransactionMonths>;
}

const selection = objectShape<TransactionSelection>('a page of transactions');
const months = objectShape<TransactionMonths>('months of transactions');
const transaction = recordShape<Transaction>('a transaction');

/** The searches and earlier transactions of a client; `call` is that of Coffer's own API. */
function makeEarlierTransactions(call: Call): EarlierTransactions {
  return {
    ...makeTransactionLists<EarlierTransactionQuery>(call),
    search: (query, options) => call(selection, ['transactions'], { ...options, query }),
    months: (query, options) => call(months, ['transactions', 'months'], { ...options, query }),
    get: (id, query, options) => call(transaction, ['transactions', { id }], { ...options, query }),
  };
}

/** Where the changes of the book are sent. */
export type Webhook = Schema<'Webhook'>;
/** A webhook with its secret, which is not shown again. */
export type NewWebhook = Schema<'NewWebhook'>;
/** A webhook to create. */
export type WebhookInsert = Schema<'WebhookInsert'>;
/** Properties of a webhook to change. */
export type WebhookUpdate = Schema<'WebhookUpdate'>;
/** An attempt to deliver a message. */
export type WebhookAttempt = Schema<'WebhookAttempt'>;
/** A page of attempts, the latest first. */
export type WebhookAttemptList = Schema<'WebhookAttemptList'>;
/** What to deliver again. */
export type WebhookRedelivery = Schema<'WebhookRedelivery'>;
/** What a redelivery began or did. */
export type WebhookRedelivered = Schema<'WebhookRedelivered'>;
/** Which attempts to list. */
export type AttemptQuery = QueryOf<'getWebhookAttempts'>;

/** Methods of webhooks. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Webhooks {
  /** All webhooks of the book. */
  list(options?: CallOptions): Promise<readonly Webhook[]>;
  /** One webhook. ApiError 404: it does not exist. */
  get(id: number, options?: CallOptions): Promise<Webhook>;
  /**
   * Creates a webhook and resolves to it with its secret. ApiError 400: the URL is not allowed. ApiError 409: the
   * server has no encryption key.
   */
  create(webhook: WebhookInsert, options?: CallOptions): Promise<NewWebhook>;
  /** Changes the given properties. ApiError 410: it cannot continue where it was disabled. */
  update(id: number, changes: WebhookUpdate, options?: CallOptions): Promise<Webhook>;
  /** Deletes a webhook with its log. */
  delete(id: number, options?: CallOptions): Promise<void>;
  /** Replaces the secret; the old one signs too for `keep_hours`, by default 24. */
  rotate(
    id: number,
    rotation?: Partial<Schema<'WebhookRotation'>>,
    options?: CallOptions,
  ): Promise<NewWebhook>;
  /** Sends a test message now, and resolves to what happened. */
  ping(id: number, options?: CallOptions): Promise<WebhookAttempt>;
  /** Delivers events again: from a position on, or one now. ApiError 410: they are no longer in the log. */
  redeliver(
    id: number,
    what: WebhookRedelivery,
    options?: CallOptions,
  ): Promise<WebhookRedelivered>;
  /** Attempts of a webhook, the latest first. */
  attempts(id: number, query?: AttemptQuery, options?: CallOptions): Promise<WebhookAttemptList>;
}

const webhook = recordShape<Webhook>('a webhook');
const created = recordShape<NewWebhook>('a webhook');
const webhooks = listShape<Webhook>('webhooks');
const attempt = objectShape<WebhookAttempt>('an attempt');
const redelivered = objectShape<WebhookRedelivered>('a redelivery');
const attempts = objectShape<WebhookAttemptList>('a list of attempts');

/** The webhooks of a client; `call` is that of Coffer's own API. */
function makeWebhooks(call: Call): Webhooks {
  const of = (id: number, ...rest: readonly string[]) => ['webhooks', { id }, ...rest];
  return {
    list: (options) => call(webhooks, ['webhooks'], options),
    get: (id, options) => call(webhook, of(id), options),
    create: (body, options) => call(created, ['webhooks'], { ...options, method: 'POST', body }),
    update: (id, body, options) => call(webhook, of(id), { ...options, method: 'PUT', body }),
    delete: (id, options) => call(nothing, of(id), { ...options, method: 'DELETE' }),
    rotate: (id, body = {}, options) =>
      call(created, of(id, 'rotate'), { ...options, method: 'POST', body }),
    ping: (id, options) => call(attempt, of(id, 'ping'), { ...options, method: 'POST' }),
    redeliver: (id, body, options) =>
      call(redelivered, of(id, 'redeliver'), { ...options, method: 'POST', body }),
    attempts: (id, query, options) => call(attempts, of(id, 'attempts'), { ...options, query }),
  };
}
