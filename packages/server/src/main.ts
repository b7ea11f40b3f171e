import { parsePrivateTargets } from './config.ts';
import type { DatabaseConfig, SqliteConfig } from './config.ts';
import type { CredentialProblem } from './connectors/credentials.ts';
import { createBankReader } from './connectors/bank-reader.ts';
import type { PrivateTargets } from './connectors/guarded-request.ts';
import { createWebhookSender } from './connectors/webhooks/webhook-sender.ts';
import type { WebhookSender } from './connectors/webhooks/webhook-sender.ts';
import { commandBusyTimeoutMs } from './database.ts';
import type { Engine } from './db/engine.ts';
import type { Connection } from './resources/connections/actions.ts';
import type { BankCredentials } from './resources/connections/rules.ts';
import type { SavedReading } from './resources/connections/save-reading.ts';
import type { CryptoCredentials } from './resources/crypto/rules.ts';
import { copyFiles } from './files/content.ts';
import type { CopiedFiles } from './files/content.ts';
import type { FileStore } from './files/store.ts';
import type { WholeBackup } from './maintenance/backup-files.ts';
import { backUpWhole, filesInDatabase, filesOfBackup } from './maintenance/backup-files.ts';
import { lockDatabase } from './db/sqlite/database-lock.ts';
import type { MoveOptions, MoveSummary } from './maintenance/move/move.ts';
import type { RestoreOptions, RestoreSummary } from './maintenance/restore.ts';
import { privateTargetsOf } from './webhook-targets.ts';

export { isCurrencyCode } from './wire/currencies.ts';
export { maxAccountNameLength, maxCategoryNameLength } from './wire/limits.ts';
export { ConfigError, parseDatabase, readConfig, readEncryptionKey } from './config.ts';
export { settings, type FlagName } from './settings.ts';
export type { Config, DatabaseConfig, SqliteConfig } from './config.ts';
export { cryptoProviders, cryptoRecord } from './resources/crypto/rules.ts';
export type { CryptoCredentials, CryptoProvider } from './resources/crypto/rules.ts';
export type { SyncedCryptoAccount } from './resources/crypto/schema.ts';
export {
  linkCryptoAccount,
  listAccounts as listCryptoAccounts,
  unlinkCryptoAccount,
} from './resources/crypto/actions.ts';
export { addConnection, findConnection, listConnections } from './resources/connections/actions.ts';
export { removeConnection } from './resources/connections/actions.ts';
export type { Connection } from './resources/connections/actions.ts';
export type { BankCredentials } from './resources/connections/rules.ts';
export type { SavedReading } from './resources/connections/save-reading.ts';
export { listRules } from './resources/rules/actions.ts';
export { addRule, dropRule, namesForRules, putRulesFirst } from './resources/rules/commands.ts';
export type { RuleNames } from './resources/rules/commands.ts';
export { previewRules } from './resources/rules/examine.ts';
export type { Rule, RuleInsert, RulePreview } from './resources/rules/schema.ts';
export { exportBook } from './resources/transactions/export/export.ts';
export { csvRows } from './resources/transactions/export/csv-rows.ts';
export { exportFormats, inChunks } from './resources/transactions/export/file.ts';
export type { ExportFormat } from './resources/transactions/export/file.ts';
export { isAsOf } from './resources/transactions/earlier/version.ts';
export { archiveBook } from './resources/transactions/archive/write-archive.ts';
export type { MissingFile } from './resources/transactions/archive/write-archive.ts';
export { importBook } from './resources/transactions/archive/import-book.ts';
export type { ImportedBook } from './resources/transactions/archive/import-book.ts';
export { ArchiveError } from './resources/transactions/archive/read-archive.ts';
export type { ExportedTransaction } from './resources/transactions/export/export.ts';
export {
  booksOf,
  createToken,
  createUser,
  findBooks,
  hasNoUser,
  listTokens,
  revokeToken,
} from './resources/users/actions.ts';
export {
  contentsOf,
  createBook,
  findUser,
  listUsers,
  renameBook,
  renameToken,
  renameUser,
} from './resources/users/admin.ts';
export { removeBook, removeUser } from './resources/users/removal.ts';
export type { RemovalSummary } from './resources/users/removal.ts';
export { createLink } from './resources/sessions/actions.ts';
export { signInAddress } from './resources/sessions/rules.ts';
export { archiveAccount, listAccounts, renameAccount } from './resources/accounts/actions.ts';
export {
  importOf,
  importToWire,
  listImports,
  redoImport,
  undoImport,
} from './resources/imports/actions.ts';
export type { UndoneImport } from './resources/imports/actions.ts';
export {
  checkUndo,
  conflictText,
  lastOwnChange,
  shownConflicts,
  undoChange,
  undoLastChange,
} from './resources/undo/actions.ts';
export type { UndoMode, UndoneChange } from './resources/undo/actions.ts';
export {
  listAttempts,
  listWebhooks,
  moveCursor,
  positionIn,
} from './resources/webhooks/actions.ts';
export { removeWebhook, updateWebhook } from './resources/webhooks/actions.ts';
export {
  createWebhook,
  rotateWebhook,
  shown as shownWebhook,
} from './resources/webhooks/secrets.ts';
export { sendAgain, sendPing } from './resources/webhooks/send-once.ts';
export { webhookOf } from './resources/webhooks/stored.ts';
export { attemptToWire, webhookToWire } from './resources/webhooks/wire.ts';
export { changeKinds } from './resources/webhooks/rules.ts';
export { recordNames as webhookRecords } from './resources/webhooks/schema.ts';
export type { NewWebhook, Webhook, WebhookAttempt } from './resources/webhooks/schema.ts';
export type { PrivateTargets } from './connectors/guarded-request.ts';
export type { WebhookSender } from './connectors/webhooks/webhook-sender.ts';
export {
  describeVersion,
  getHistory,
  getVersion,
  shownRecords,
} from './resources/history/actions.ts';
export type {
  Actor,
  DescribedRecord,
  HistoryEntry,
  HistoryRecord,
  HistoryVersion,
  VersionDescription,
} from './resources/history/actions.ts';
export type { ManualAccount } from './resources/accounts/actions.ts';
export { listSyncedAccounts, mergeAccounts } from './resources/accounts/merge.ts';
export {
  listCurrencies,
  listRates,
  parseRates,
  RatesFileError,
} from './resources/currencies/actions.ts';
export type { RatesFile, RatesProblem } from './resources/currencies/actions.ts';
export { importRates } from './jobs/rates/import-rates.ts';
export type { RatesSummary } from './jobs/rates/import-rates.ts';
export { importEntries } from './imports/import.ts';
export { forgetImportSettings, keepImportSettings } from './imports/settings.ts';
export type { ImportSettings } from './imports/settings.ts';
export {
  fittingMemory,
  isEmpty,
  mapText,
  namesWithMemory,
  readingOptions,
  readWithMemory,
  settingsOf,
  settingsToKeep,
  usedSettings,
} from './imports/memory.ts';
export type { Memory } from './imports/memory.ts';
export {
  AccountNamesError,
  namesAccounts,
  planAccounts,
  readAccountNames,
  whatWins,
} from './imports/account-plan.ts';
export type { AccountNames, AccountPlan } from './imports/account-plan.ts';
export { isPacked } from './imports/packed-file.ts';
export { hashFile, statementFileOf } from './imports/statement-file.ts';
export type { StatementFile } from './imports/statement-file.ts';
export { fillDemo } from './demo/fill.ts';
export { parseFilesLocation } from './files/location.ts';
export type { S3Location } from './files/location.ts';
export { fetchBackup } from './maintenance/scheduled/fetch.ts';
export type { FetchedBackup } from './maintenance/scheduled/fetch.ts';
export { openFiles } from './files/open.ts';
export type { OpenedFiles } from './files/open.ts';
export type { FileStore } from './files/store.ts';
export { hasCategories, listCategories, renameCategory } from './resources/categories/actions.ts';
export { mergeCategories } from './resources/categories/merge.ts';
export * from './resources/recurring/commands.ts';
export { copyFiles } from './files/content.ts';
export type { CopiedFiles } from './files/content.ts';
export { checkFiles } from './maintenance/file-rules.ts';
export { filesFolderOf, filesInDatabase } from './maintenance/backup-files.ts';
export { checkDatabase } from './maintenance/doctor.ts';
export { logSizeOf } from './maintenance/log-size.ts';
export type { LogSize } from './maintenance/log-size.ts';
export { keyId } from './connectors/sealed-credentials.ts';
export { checkKey } from './maintenance/encryption-key.ts';
export { notesOf } from './maintenance/notes.ts';
export type { Finding } from './maintenance/finding.ts';
export { EmailTakenError } from './resources/users/identity.ts';
export type { Book, TokenRecord, User } from './resources/users/identity.ts';
export { ImportRefusedError } from './imports/entry.ts';
export type {
  DoubtfulEntry,
  EntryVerdict,
  ImportSummary,
  NumberedAccount,
} from './imports/entry.ts';
export type { Engine } from './db/engine.ts';
export { openDatabase } from './database.ts';
export { serve } from './server.ts';
export type { RunningServer } from './server.ts';
export { newToken } from './resources/users/token.ts';
export type { WholeBackup } from './maintenance/backup-files.ts';
export type { MoveProgress, MoveSummary } from './maintenance/move/move.ts';
export type { Migration } from './maintenance/open-sqlite.ts';
export type { RestoreSummary } from './maintenance/restore.ts';

const claimTimeoutMs = 30_000;

/**
 * Writes a backup of a database to `file`, and its attached files to a folder next to it, replacing it; others may use
 * the database meanwhile. `isBucket`: the attached files are not copied.
 */
export async function backUpDatabase(
  { path }: SqliteConfig,
  file: string,
  store: FileStore,
  isBucket: boolean,
): Promise<WholeBackup> {
  const lock = lockDatabase(path, 'command', commandBusyTimeoutMs);
  try {
    return await backUpWhole(path, file, isBucket ? null : store);
  } finally {
    lock.release();
  }
}

/** Replaces a database that is not in use by the database of a backup, with its attached files from `from`. */
export async function restoreDatabase(
  file: string,
  { path }: SqliteConfig,
  options: RestoreOptions,
  store: FileStore,
  from = filesOfBackup(file),
): Promise<RestoreSummary & { readonly files: CopiedFiles }> {
  const { startRestore } = await import('./maintenance/restore.ts');
  const started = startRestore(file, path, options);
  try {
    // First, so that the database never lacks files that the backup has.
    const files = await copyFiles(filesInDatabase(started.path), from, store);
    return { ...started.finish(), files };
  } finally {
    started.discard();
  }
}

/** Copies a whole database to an empty one on the same or the other engine, completely or not at all. */
export async function moveDatabase(
  from: DatabaseConfig,
  to: DatabaseConfig,
  options: MoveOptions,
): Promise<MoveSummary> {
  const { move } = await import('./maintenance/move/move.ts');
  return move(from, to, options);
}

/**
 * Returns all problems with the form of a synced crypto account's credentials, without the secrets themselves.
 *
 * Only the provider knows whether it accepts them.
 */
export async function checkCredentials(
  credentials: CryptoCredentials,
): Promise<readonly CredentialProblem[]> {
  const connectors = await import('./connectors/credentials.ts');
  return connectors.checkCredentials(credentials);
}

/** Encrypts credentials for a provider for one book, under a key of 32 bytes. */
export async function sealCredentials(
  key: Uint8Array,
  bookId: number,
  credentials: CryptoCredentials | BankCredentials,
): Promise<Uint8Array> {
  const connectors = await import('./connectors/sealed-credentials.ts');
  return connectors.sealCredentials(key, bookId, credentials);
}

/** Reads the setting with the private networks that requests may be sent to. Throws for an invalid one. */
export function readPrivateTargets(text: string): PrivateTargets {
  return privateTargetsOf(parsePrivateTargets(text));
}

/** Returns a sender to webhooks. */
export function openWebhookSender(
  encryptionKey: Uint8Array | null,
  privateTargets: PrivateTargets,
): WebhookSender {
  return createWebhookSender({ encryptionKey, privateTargets });
}

/** Exchanges the setup token of a SimpleFIN bridge for credentials. A token can be used once. */
export async function claimBankCredentials(
  setupToken: string,
  privateTargets: PrivateTargets,
): Promise<BankCredentials> {
  const { claimAccess } = await import('./connectors/simplefin/simplefin.ts');
  const accessUrl = await claimAccess(setupToken, {
    signal: AbortSignal.timeout(claimTimeoutMs),
    privateTargets,
  });
  return { provider: 'simplefin', accessUrl };
}

/** How a connection is read by a command. */
export interface ConnectionSource {
  readonly encryptionKey: Uint8Array;
  readonly privateTargets: PrivateTargets;
  readonly now: () => number;
  /** Whether transactions that a user deleted, or moved to another account, are stored again. */
  readonly keepsGone: boolean;
}

/** Reads a connection to banks now, and stores what it returned; null while a server is reading it. */
export async function readConnection(
  engine: Engine,
  connection: Connection,
  { encryptionKey, privateTargets, now, keepsGone }: ConnectionSource,
): Promise<SavedReading | null> {
  const { synchronise } = await import('./resources/connections/synchronise.ts');
  const reader = createBankReader({ encryptionKey, privateTargets, now });
  return synchronise({ engine, reader, connection, range: null, nowMs: now(), keepsGone });
}
