import type { AddressInfo } from 'node:net';
import type { Config, DatabaseConfig, SqliteConfig } from './config.ts';
import type { CredentialProblem } from './connectors/credentials.ts';
import { createAssetSource } from './connectors/prices/asset-source.ts';
import { createBankReader } from './connectors/bank-reader.ts';
import { createCryptoReader } from './connectors/reader.ts';
import type { Engine } from './db/engine.ts';
import { createApp } from './http/app.ts';
import { openFiles } from './files/open.ts';
import { readableLog } from './http/health/readable-log.ts';
import { jobsOf } from './jobs/index.ts';
import { startJobs } from './jobs/scheduler.ts';
import type { RunningJobs } from './jobs/scheduler.ts';
import { createLimiter } from './limiter/create-limiter.ts';
import type { Connection } from './resources/connections/actions.ts';
import type { BankCredentials } from './resources/connections/rules.ts';
import type { SavedReading } from './resources/connections/save-reading.ts';
import type { CryptoCredentials } from './resources/crypto/rules.ts';
import type { Services } from './resources/services.ts';
import { backUp, type BackupSummary } from './maintenance/backup.ts';
import { lockDatabase } from './db/sqlite/database-lock.ts';
import type { MoveOptions, MoveSummary } from './maintenance/move/move.ts';
import { openSqliteDatabase, type Migration } from './maintenance/open-sqlite.ts';
import type { PostgresOptions } from './db/postgres/postgres.ts';
import type { RestoreOptions, RestoreSummary } from './maintenance/restore.ts';

export { isCurrencyCode } from './wire/currencies.ts';
export { maxAccountNameLength, maxCategoryNameLength } from './wire/limits.ts';
export { ConfigError, parseDatabase, readConfig, readEncryptionKey } from './config.ts';
export { settings, type FlagName } from './settings.ts';
export type { Config, DatabaseConfig, SqliteConfig } from './config.ts';
export { cryptoProviders } from './resources/crypto/rules.ts';
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
export { exportBook } from './resources/transactions/export.ts';
export type { BookExport, ExportedTransaction } from './resources/transactions/export.ts';
export {
  createToken,
  createUser,
  findBooks,
  hasNoUser,
  listTokens,
  revokeToken,
} from './resources/users/actions.ts';
export {
  booksOf,
  contentsOf,
  createBook,
  findUser,
  listUsers,
  removeBook,
  removeUser,
  renameBook,
  renameToken,
  renameUser,
} from './resources/users/admin.ts';
export { archiveAccount, listAccounts, renameAccount } from './resources/accounts/actions.ts';
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
export { fillDemo } from './demo/fill.ts';
export { hasCategories, listCategories, renameCategory } from './resources/categories/actions.ts';
export { mergeCategories } from './resources/categories/merge.ts';
export * from './resources/recurring/commands.ts';
export { checkDatabase } from './maintenance/doctor.ts';
export { notesOf } from './maintenance/notes.ts';
export type { Finding } from './maintenance/finding.ts';
export { EmailTakenError } from './resources/users/identity.ts';
export type { Book, TokenRecord, User } from './resources/users/identity.ts';
export { ImportRefusedError } from './imports/entry.ts';
export type { ImportSummary } from './imports/entry.ts';
export type { Engine } from './db/engine.ts';
export { newToken } from './resources/users/token.ts';
export type { BackupSummary } from './maintenance/backup.ts';
export type { MoveProgress, MoveSummary } from './maintenance/move/move.ts';
export type { Migration } from './maintenance/open-sqlite.ts';
export type { RestoreSummary } from './maintenance/restore.ts';

/** A command waits for other writers. A request fails earlier, with 503 and Retry-After. */
const commandBusyTimeoutMs = 30_000;
const serverBusyTimeoutMs = 2000;
const claimTimeoutMs = 30_000;

/** A command has no time limit. A server refuses requests that it cannot serve soon. */
const commandPool = {
  poolSize: 2,
  maxWaiting: 100,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  lockTimeoutMs: commandBusyTimeoutMs,
};
const serverPool = {
  poolSize: 10,
  maxWaiting: 200,
  connectTimeoutMs: 1500,
  statementTimeoutMs: 3000,
  lockTimeoutMs: serverBusyTimeoutMs,
};

/** A listening server. */
export interface RunningServer {
  /** The address to call, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The database of the server. */
  readonly engine: Engine;
  /** Finishes current requests, accepts no new ones, and closes the database. */
  close(): Promise<void>;
}

/** How a command opens a database. */
export interface OpenOptions {
  readonly onMigration?: (migration: Migration) => void;
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number;
}

/**
 * Opens a database for a command and brings its schema up to date.
 *
 * Before it changes an older database, it writes a backup; then it calls `onMigration`. Throws for a database that is
 * newer, that is being restored, or that cannot be backed up.
 */
export async function openDatabase(
  database: DatabaseConfig,
  { onMigration, now }: OpenOptions = {},
): Promise<Engine> {
  if (database.engine === 'postgres')
    return openServed({ url: database.url, ...commandPool, ...(now && { now }) });
  return openSqliteDatabase(database.path, {
    occupation: 'command',
    busyTimeoutMs: commandBusyTimeoutMs,
    openTimeoutMs: commandBusyTimeoutMs,
    onMigration,
    ...(now && { now }),
  });
}

/** Writes a backup of a database to `file`, replacing it; others may use the database meanwhile. */
export function backUpDatabase({ path }: SqliteConfig, file: string): BackupSummary {
  const lock = lockDatabase(path, 'command', commandBusyTimeoutMs);
  try {
    return backUp(path, file);
  } finally {
    lock.release();
  }
}

/** Replaces a database that is not in use by the database of a backup. */
export async function restoreDatabase(
  file: string,
  { path }: SqliteConfig,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { restore } = await import('./maintenance/restore.ts');
  return restore(file, path, options);
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

/** Exchanges the setup token of a SimpleFIN bridge for credentials. A token can be used once. */
export async function claimBankCredentials(setupToken: string): Promise<BankCredentials> {
  const { claimAccess } = await import('./connectors/simplefin/simplefin.ts');
  const accessUrl = await claimAccess(setupToken, AbortSignal.timeout(claimTimeoutMs));
  return { provider: 'simplefin', accessUrl };
}

/** Reads a connection to banks now, and stores what it returned; null while a server is reading it. */
export async function readConnection(
  engine: Engine,
  connection: Connection,
  { encryptionKey, now }: { readonly encryptionKey: Uint8Array; readonly now: () => number },
): Promise<SavedReading | null> {
  const { synchronise } = await import('./resources/connections/synchronise.ts');
  const reader = createBankReader({ encryptionKey, now });
  return synchronise({ engine, reader, connection, range: null, nowMs: now() });
}

/** Starts the service with `config` and resolves when it listens. */
export async function serve(config: Config): Promise<RunningServer> {
  const migrations: Migration[] = [];
  const warnings: string[] = [];
  const engine = await openServerDatabase(config.database, {
    onMigration: (migration) => migrations.push(migration),
    onWarning: (sentence) => warnings.push(sentence),
  });
  const { rateLimit, cofferRateLimit, redis } = config;
  const limiter = await createLimiter({
    ...{ rateLimit, redis },
    onStateChange: ({ isShared, reason }, server) => {
      if (isShared) app.log.info({ redis: server }, 'The rate limit is shared over Redis');
      else app.log.warn({ redis: server, reason }, 'The rate limit is counted by this node alone');
    },
  });
  // It loses and finds the same Redis, so the log has the changes of the other limiter only.
  const cofferLimiter = await createLimiter({ rateLimit: cofferRateLimit, redis, space: 'own' });
  const path = config.database.engine === 'sqlite' ? config.database.path : null;
  const files = await openFiles(config.files, path);
  const cryptoReader = createCryptoReader({
    providers: config.providers,
    log: { warn: (details, message) => app.log.warn(details, message) },
  });
  const services: Services = {
    cryptoReader,
    assetSource: createAssetSource(config.providers),
    files: files.store,
    bankReader: createBankReader({ encryptionKey: config.providers.encryptionKey }),
  };
  const app = createApp({
    engine,
    services,
    limiter,
    cofferLimiter,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    metricsReaders: config.metricsReaders,
    logLevel: config.logLevel,
    logStream: process.stderr.isTTY ? readableLog(process.stderr) : process.stderr,
    limits: { stopDelayMs: config.stopDelayMs },
  });
  for (const warning of warnings) app.log.warn(warning);
  for (const migration of migrations) app.log.info(migration, 'The schema was brought up to date');
  let jobs: RunningJobs | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([app.close(), jobs?.close()]);
    await limiter.close();
    await cofferLimiter.close();
    await engine.close();
    await files.close();
  };
  try {
    if (redis === null) app.log.info('The rate limit is counted in the memory of this process');
    await Promise.all([limiter.open?.(), cofferLimiter.open?.()]);
    await app.listen({ host: config.host, port: config.port });
    jobs = startJobs({ engine, jobs: jobsOf(config, services, app.log), log: app.log });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urlOf(app.server.address() as AddressInfo), engine, close };
}

/** Called while a server opens its database, with what belongs in its log. */
interface StartListeners {
  readonly onMigration: (migration: Migration) => void;
  readonly onWarning: (sentence: string) => void;
}

async function openServerDatabase(
  database: DatabaseConfig,
  { onMigration, onWarning }: StartListeners,
): Promise<Engine> {
  if (database.engine === 'postgres')
    return openServed({ url: database.url, ...serverPool }, onWarning);
  return openSqliteDatabase(database.path, {
    occupation: 'server',
    busyTimeoutMs: serverBusyTimeoutMs,
    openTimeoutMs: serverBusyTimeoutMs,
    onMigration,
  });
}

/** Loads the code for PostgreSQL only when it is needed. */
async function openServed(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Engine> {
  const { openPostgresDatabase } = await import('./db/postgres/open.ts');
  return openPostgresDatabase(options, onWarning);
}

function urlOf(address: AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
