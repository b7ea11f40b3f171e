import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Config, DatabaseConfig, SqliteConfig } from './config.ts';
import type { CredentialProblem } from './connectors/credentials.ts';
import { createCryptoRefresher } from './connectors/refresh.ts';
import { createApp } from './http/app.ts';
import type { Limiter } from './limiter/limiter.ts';
import { createMemoryLimiter } from './limiter/memory.ts';
import { nameOf } from './limiter/redis-url.ts';
import type { SharingState } from './limiter/shared-limiter.ts';
import type { CryptoCredentials } from './records/crypto.ts';
import type { Store } from './records/store.ts';
import { backUp, type BackupSummary } from './store/backup.ts';
import { lockDatabase } from './store/database-lock.ts';
import type { MoveOptions, MoveSummary } from './store/move.ts';
import { openStoreOf, type Migration } from './store/open-store.ts';
import type { PostgresOptions } from './store/postgres.ts';
import type { RestoreOptions, RestoreSummary } from './store/restore.ts';

export { isCurrencyCode } from '@coffer/contract/currencies';
export { maxAccountNameLength } from '@coffer/contract/limits';
export { ConfigError, parseDatabase, readConfig, readEncryptionKey, settings } from './config.ts';
export type { Config, DatabaseConfig, FlagName, SqliteConfig } from './config.ts';
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
export type { MoveProgress, MoveSummary } from './store/move.ts';
export type { Migration } from './store/open-store.ts';
export type { RestoreSummary } from './store/restore.ts';

/** The document that describes the API; the server publishes it and validates requests against it. */
const openapiFile = new URL('../../../docs/openapi.json', import.meta.url);

/** A command waits for another writer; a request gives up while its caller still listens, and is told to come again. */
const commandBusyTimeoutMs = 30_000;
const serverBusyTimeoutMs = 2000;

/** A command has the time that it needs; a server turns away what it cannot serve soon. */
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
export async function openStore(
  database: DatabaseConfig,
  onMigration?: (migration: Migration) => void,
): Promise<Store> {
  if (database.engine === 'postgres') return openServed({ url: database.url, ...commandPool });
  return openStoreOf(database.path, {
    occupation: 'command',
    busyTimeoutMs: commandBusyTimeoutMs,
    openTimeoutMs: commandBusyTimeoutMs,
    onMigration,
  });
}

/** Writes a backup of a database to `file`, in place of whatever is there, beside whoever uses the database. */
export function backUpDatabase({ path }: SqliteConfig, file: string): BackupSummary {
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
  { path }: SqliteConfig,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { restore } = await import('./store/restore.ts');
  return restore(file, path, options);
}

/** Moves a whole database to an empty one, on the same or the other engine, or leaves that as it was. */
export async function moveDatabase(
  from: DatabaseConfig,
  to: DatabaseConfig,
  options: MoveOptions,
): Promise<MoveSummary> {
  const { move } = await import('./store/move.ts');
  return move(from, to, options);
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
  const warnings: string[] = [];
  const store = await openServerStore(config.database, {
    onMigration: (migration) => migrations.push(migration),
    onWarning: (sentence) => warnings.push(sentence),
  });
  const limiter = await createLimiter(config, ({ isShared, reason }, redis) => {
    if (isShared) app.log.info({ redis }, 'The rate limit is shared over Redis');
    else app.log.warn({ redis, reason }, 'The rate limit is counted by this node alone');
  });
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
    limits: { stopDelayMs: config.stopDelayMs },
  });
  for (const warning of warnings) app.log.warn(warning);
  for (const migration of migrations) app.log.info(migration, 'The schema was brought up to date');
  const close = async (): Promise<void> => {
    await app.close();
    await limiter.close();
    await store.close();
  };
  try {
    if (config.redis === null)
      app.log.info('The rate limit is counted in the memory of this process');
    await limiter.open?.();
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urlOf(app.server.address() as AddressInfo), store, close };
}

/** Who is told, while a server opens its database, what belongs in its log. */
interface StartListeners {
  readonly onMigration: (migration: Migration) => void;
  readonly onWarning: (sentence: string) => void;
}

async function openServerStore(
  database: DatabaseConfig,
  { onMigration, onWarning }: StartListeners,
): Promise<Store> {
  if (database.engine === 'postgres')
    return openServed({ url: database.url, ...serverPool }, onWarning);
  return openStoreOf(database.path, {
    occupation: 'server',
    busyTimeoutMs: serverBusyTimeoutMs,
    openTimeoutMs: serverBusyTimeoutMs,
    onMigration,
  });
}

/** Loads what speaks to PostgreSQL only where there is one. */
async function openServed(
  options: PostgresOptions,
  onWarning?: (sentence: string) => void,
): Promise<Store> {
  const { openPostgresStore } = await import('./store/open-postgres.ts');
  return openPostgresStore(options, onWarning);
}

async function createLimiter(
  { rateLimit, redis }: Config,
  onStateChange: (state: SharingState, redis: string) => void,
): Promise<Limiter> {
  if (redis === null) return createMemoryLimiter({ rateLimit });
  const { createRedisLimiter } = await import('./limiter/redis.ts');
  return createRedisLimiter({
    rateLimit,
    address: redis,
    onStateChange: (state) => onStateChange(state, nameOf(redis)),
  });
}

function urlOf(address: AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
