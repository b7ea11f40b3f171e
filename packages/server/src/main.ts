import { parsePrivateTargets } from './config.ts';
import type { DatabaseConfig, SqliteConfig } from './config.ts';
import type { CredentialProblem } from './sync/crypto/credentials.ts';
import { createBankReader } from './sync/banks/bank-reader.ts';
import type { PrivateTargets } from './outside/guarded-request.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';
import { commandBusyTimeoutMs } from './database.ts';
import type { Engine } from './db/engine.ts';
import type { Connection } from './sync/banks/actions.ts';
import type { BankCredentials } from './outside/credentials.ts';
import type { SavedReading } from './sync/banks/save-reading.ts';
import type { CryptoCredentials } from './outside/credentials.ts';
import { copyFiles } from './files/content.ts';
import type { CopiedFiles } from './files/content.ts';
import type { FileStore } from './files/store.ts';
import type { WholeBackup } from './maintenance/backup-files.ts';
import { backUpWhole, filesInDatabase, filesOfBackup } from './maintenance/backup-files.ts';
import { lockDatabase } from './db/sqlite/database-lock.ts';
import type { MoveOptions, MoveSummary } from './maintenance/move/move.ts';
import type { RestoreOptions, RestoreSummary } from './maintenance/restore.ts';
import { privateTargetsOf } from './webhook-targets.ts';

export { isCurrencyCode } from './operations/currencies.ts';
export { maxAccountNameLength, maxCategoryNameLength } from './operations/limits.ts';
export { ConfigError, parseDatabase, readConfig, readEncryptionKey } from './config.ts';
export { settings, type FlagName } from './settings.ts';
export type { Config, DatabaseConfig, SqliteConfig } from './config.ts';
export { cryptoProviders, cryptoRecord } from './sync/crypto/rules.ts';
export type { CryptoProvider } from './sync/crypto/rules.ts';
export type { CryptoCredentials } from './outside/credentials.ts';
export type { SyncedCryptoAccount } from './sync/crypto/schema.ts';
export {
  linkCryptoAccount,
  listAccounts as listCryptoAccounts,
  unlinkCryptoAccount,
} from './sync/crypto/actions.ts';
export { addConnection, findConnection, listConnections } from './sync/banks/actions.ts';
export { removeConnection } from './sync/banks/actions.ts';
export type { Connection } from './sync/banks/actions.ts';
export type { BankCredentials } from './outside/credentials.ts';
export type { SavedReading } from './sync/banks/save-reading.ts';
export { listRules } from './ledger/rules/actions.ts';
export { addRule, dropRule, namesForRules, putRulesFirst } from './ledger/rules/commands.ts';
export type { RuleNames } from './ledger/rules/commands.ts';
export { previewRules } from './ledger/rules/examine.ts';
export type { Rule, RuleInsert, RulePreview } from './ledger/rules/schema.ts';
export { exportBook } from './exports/lists/export.ts';
export { csvRows } from './exports/lists/csv-rows.ts';
export { exportFormats, inChunks } from './exports/lists/file.ts';
export type { ExportFormat } from './exports/lists/file.ts';
export { isAsOf } from './ledger/transactions/earlier/version.ts';
export { archiveBook } from './exports/archive/write-archive.ts';
export type { MissingFile } from './exports/archive/write-archive.ts';
export { importBook } from './exports/archive/import-book.ts';
export type { ImportedBook } from './exports/archive/import-book.ts';
export { ArchiveError } from './exports/archive/read-archive.ts';
export type { ExportedTransaction } from './exports/lists/export.ts';
export {
  booksOf,
  createToken,
  createUser,
  findBooks,
  hasNoUser,
  listTokens,
  revokeToken,
} from './identity/users/actions.ts';
export {
  contentsOf,
  createBook,
  findUser,
  listUsers,
  renameBook,
  renameToken,
  renameUser,
} from './identity/users/admin.ts';
export { removeBook, removeUser } from './maintenance/user-removal.ts';
export type { RemovalSummary } from './maintenance/user-removal.ts';
export { createLink } from './identity/sessions/actions.ts';
export { signInAddress } from './identity/sessions/rules.ts';
export { archiveAccount, listAccounts, renameAccount } from './ledger/accounts/actions.ts';
export {
  importOf,
  importToWire,
  listImports,
  redoImport,
  undoImport,
} from './imports/operations/actions.ts';
export type { UndoneImport } from './imports/operations/actions.ts';
export { lastOwnChange, undoChange, undoLastChange } from './history/undo/actions.ts';
export type { UndoneChange } from './history/undo/actions.ts';
export { checkUndo, conflictText, shownConflicts } from './history/undo/conflicts.ts';
export type { UndoMode } from './book/undo.ts';
export { listAttempts, listWebhooks, moveCursor, positionIn } from './webhooks/actions.ts';
export { removeWebhook, updateWebhook } from './webhooks/actions.ts';
export { createWebhook, rotateWebhook, shown as shownWebhook } from './webhooks/secrets.ts';
export { sendAgain, sendPing } from './webhooks/send-once.ts';
export { webhookOf } from './webhooks/stored.ts';
export { attemptToWire, webhookToWire } from './webhooks/wire.ts';
export { changeKinds } from './webhooks/rules.ts';
export { recordNames as webhookRecords } from './webhooks/schema.ts';
export type { NewWebhook, Webhook, WebhookAttempt } from './webhooks/schema.ts';
export type { PrivateTargets } from './outside/guarded-request.ts';
export type { WebhookSender } from './webhooks/webhook-sender.ts';
export { describeVersion, getHistory, getVersion, shownRecords } from './history/actions.ts';
export type {
  Actor,
  DescribedRecord,
  HistoryEntry,
  HistoryRecord,
  HistoryVersion,
  VersionDescription,
} from './history/actions.ts';
export type { ManualAccount } from './ledger/accounts/actions.ts';
export { listSyncedAccounts, mergeAccounts } from './ledger/merge.ts';
export {
  listCurrencies,
  listRates,
  parseRates,
  RatesFileError,
} from './ledger/currencies/actions.ts';
export type { RatesFile, RatesProblem } from './ledger/currencies/actions.ts';
export { importRates } from './ledger/rerate.ts';
export type { RatesSummary } from './ledger/rerate.ts';
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
export { hasCategories, listCategories, renameCategory } from './ledger/categories/actions.ts';
export { mergeCategories } from './ledger/merge.ts';
export * from './ledger/recurring/commands.ts';
export { copyFiles } from './files/content.ts';
export type { CopiedFiles } from './files/content.ts';
export { checkFiles } from './maintenance/file-rules.ts';
export { filesFolderOf, filesInDatabase } from './maintenance/backup-files.ts';
export { checkDatabase } from './maintenance/doctor.ts';
export { logSizeOf } from './maintenance/log-size.ts';
export type { LogSize } from './maintenance/log-size.ts';
export { keyId } from './outside/sealed-credentials.ts';
export { checkKey } from './maintenance/encryption-key.ts';
export { notesOf } from './maintenance/notes.ts';
export type { Finding } from './maintenance/finding.ts';
export { EmailTakenError } from './identity/users/identity.ts';
export type { TokenRecord } from './identity/users/identity.ts';
export type { Book, User } from './operations/caller.ts';
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
export { newToken } from './identity/users/token.ts';
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
  const connectors = await import('./sync/crypto/credentials.ts');
  return connectors.checkCredentials(credentials);
}

/** Encrypts credentials for a provider for one book, under a key of 32 bytes. */
export async function sealCredentials(
  key: Uint8Array,
  bookId: number,
  credentials: CryptoCredentials | BankCredentials,
): Promise<Uint8Array> {
  const connectors = await import('./outside/sealed-credentials.ts');
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
  const { claimAccess } = await import('./sync/banks/simplefin.ts');
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
  const { synchronise } = await import('./sync/banks/synchronise.ts');
  const reader = createBankReader({ encryptionKey, privateTargets, now });
  return synchronise({ engine, reader, connection, range: null, nowMs: now(), keepsGone });
}
