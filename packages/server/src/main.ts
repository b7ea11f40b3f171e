import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Config, DatabaseConfig } from './config.ts';
import type { CredentialProblem } from './connectors/credentials.ts';
import { createCryptoRefresher } from './connectors/refresh.ts';
import { createApp } from './http/app.ts';
import { createMemoryLimiter } from './limiter/memory.ts';
import type { CryptoCredentials } from './records/crypto.ts';
import type { Store } from './records/store.ts';
import { backUp, type BackupSummary } from './store/backup.ts';
import { lockDatabase } from './store/database-lock.ts';
import { openStoreOf, type Migration } from './store/open-store.ts';
import type { RestoreOptions, RestoreSummary } from './store/restore.ts';

export { isCurrencyCode } from '@coffer/contract/currencies';
export { maxAccountNameLength } from '@coffer/contract/limits';
export { ConfigError, parseDatabase, readConfig, readEncryptionKey, settings } from './config.ts';
export type { Config, DatabaseConfig, FlagName } from './config.ts';
export { cryptoProviders } from './records/crypto.ts';
export type { CryptoAccount, CryptoCredentials, CryptoProvider } from './records/crypto.ts';
export type { BookExport, ExportedRecord, ExportedTransaction } from './records/export.ts';
export type { Finding } from './records/finding.ts';
export { EmailTakenError } from './records/identity.ts';
export type { Book, TokenRecord } from './records/identity.ts';
export { ImportRefusedError } from './records/import.ts';
export type { ImportSummary } from './records/import.ts';
export type { Store } from './records/store.ts';
export { newToken } from './records/token.ts';
export type { BackupSummary } from './store/backup.ts';
export type { Migration } from './store/open-store.ts';
export type { RestoreSummary } from './store/restore.ts';

/** The document that describes the API; the server publishes it and validates requests against it. */
const openapiFile = new URL('../../../docs/openapi.json', import.meta.url);

/** A command waits for another writer; a request gives up while its caller still listens, and is told to come again. */
const commandBusyTimeoutMs = 30_000;
const serverBusyTimeoutMs = 2000;

/** A server that listens. */
export interface RunningServer {
  /** The address to call, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The store that the server answers from. */
  readonly store: Store;
  /** Lets the requests under way finish, takes no new ones, and closes the store. */
  close(): Promise<void>;
}

/**
 * Opens a database for a command, brings its schema up to date and returns its store.
 *
 * An older database is backed up before, and `onMigration` is told. Throws for one that is newer, that is being
 * restored, or that cannot be backed up.
 */
export function openStore(
  database: DatabaseConfig,
  onMigration?: (migration: Migration) => void,
): Store {
  return openStoreOf(database.path, {
    occupation: 'command',
    busyTimeoutMs: commandBusyTimeoutMs,
    openTimeoutMs: commandBusyTimeoutMs,
    onMigration,
  });
}

/** Writes a backup of a database to `file`, in place of whatever is there, beside whoever uses the database. */
export function backUpDatabase({ path }: DatabaseConfig, file: string): BackupSummary {
  const lock = lockDatabase(path, 'command', commandBusyTimeoutMs);
  try {
    return backUp(path, file);
  } finally {
    lock.release();
  }
}

/** Puts the database of a backup in the place of a database that nobody uses. */
export async function restoreDatabase(
  file: string,
  { path }: DatabaseConfig,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { restore } = await import('./store/restore.ts');
  return restore(file, path, options);
}

/**
 * Says what is wrong with the credentials of a synced crypto account, everything at once and never a secret.
 *
 * Whether the provider takes them is found by asking it.
 */
export async function checkCredentials(
  credentials: CryptoCredentials,
): Promise<readonly CredentialProblem[]> {
  const connectors = await import('./connectors/credentials.ts');
  return connectors.checkCredentials(credentials);
}

/** Encrypts the credentials of a synced crypto account for one book, under a key of 32 bytes. */
export async function sealCredentials(
  key: Uint8Array,
  bookId: number,
  credentials: CryptoCredentials,
): Promise<Uint8Array> {
  const connectors = await import('./connectors/sealed-credentials.ts');
  return connectors.sealCredentials(key, bookId, credentials);
}

/** Starts the service with `config` and resolves when it listens. */
export async function serve(config: Config): Promise<RunningServer> {
  const openapi = await readFile(openapiFile);
  const migrations: Migration[] = [];
  const store = openStoreOf(config.database.path, {
    occupation: 'server',
    busyTimeoutMs: serverBusyTimeoutMs,
    openTimeoutMs: serverBusyTimeoutMs,
    onMigration: (migration) => migrations.push(migration),
  });
  const limiter = createMemoryLimiter({ rateLimit: config.rateLimit });
  const cryptoRefresher = createCryptoRefresher({
    store,
    providers: config.providers,
    log: { warn: (details, message) => app.log.warn(details, message) },
  });
  const app = createApp({
    store,
    cryptoRefresher,
    limiter,
    openapi,
    trustedProxies: config.trustedProxies,
    metricsReaders: config.metricsReaders,
    logLevel: config.logLevel,
  });
  for (const migration of migrations) app.log.info(migration, 'The schema was brought up to date');
  const close = async (): Promise<void> => {
    await app.close();
    await limiter.close();
    await store.close();
  };
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urlOf(app.server.address() as AddressInfo), store, close };
}

function urlOf(address: AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
