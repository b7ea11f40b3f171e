import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Config, DatabaseConfig } from './config.ts';
import { createApp } from './http/app.ts';
import { createMemoryLimiter } from './limiter/memory.ts';
import type { Store } from './records/store.ts';
import { migrate } from './store/migrate.ts';
import { openSqlite } from './store/sqlite.ts';
import { createStore } from './store/store.ts';

export { isCurrencyCode } from '@coffer/contract/currencies';
export { maxAccountNameLength } from '@coffer/contract/limits';
export { ConfigError, parseDatabase, readConfig, settings } from './config.ts';
export type { Config, DatabaseConfig, SettingName } from './config.ts';
export type { BookExport, ExportedRecord, ExportedTransaction } from './records/export.ts';
export type { Finding } from './records/finding.ts';
export { EmailTakenError } from './records/identity.ts';
export type { Book, TokenRecord } from './records/identity.ts';
export { ImportRefusedError } from './records/import.ts';
export type { ImportSummary } from './records/import.ts';
export type { Store } from './records/store.ts';
export { newToken } from './records/token.ts';

/** The document that describes the API; the server publishes it and validates requests against it. */
const openapiFile = new URL('../../../docs/openapi.json', import.meta.url);

/** A command waits for another writer; a server must not, because waiting stops every request. */
const commandBusyTimeoutMs = 30_000;
const serverBusyTimeoutMs = 20;

/** A server that listens. */
export interface RunningServer {
  /** The address to call, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The store that the server answers from. */
  readonly store: Store;
  /** Lets the requests under way finish, takes no new ones, and closes the store. */
  close(): Promise<void>;
}

/** Opens a database for a command, brings its schema up to date and returns its store. */
export function openStore(database: DatabaseConfig): Store {
  return openStoreWaiting(database, commandBusyTimeoutMs);
}

/** Starts the service with `config` and resolves when it listens. */
export async function serve(config: Config): Promise<RunningServer> {
  const openapi = await readFile(openapiFile);
  const store = openStoreWaiting(config.database, serverBusyTimeoutMs);
  const limiter = createMemoryLimiter({ rateLimit: config.rateLimit });
  const app = createApp({
    store,
    limiter,
    openapi,
    trustedProxies: config.trustedProxies,
    logLevel: config.logLevel,
  });
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

function openStoreWaiting(database: DatabaseConfig, busyTimeoutMs: number): Store {
  const engine = openSqlite({ path: database.path, busyTimeoutMs });
  migrate(engine);
  return createStore(engine);
}

function urlOf(address: AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
