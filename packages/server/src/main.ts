import { keyId } from './outside/credentials.ts';
import { findWebBundle } from './http/web-pages.ts';
import { readableLog } from './http/log.ts';
import { systemClock, startJobs, type RunningJobs } from './jobs/scheduler.ts';
import { releasePreviews } from './imports/operations/expiry.ts';
import { holdsCrypto } from './sync/crypto-manual/actions.ts';
import type { Engine, Steps } from './db/engine.ts';
import { createBankReader } from './sync/banks/bank-reader.ts';
import { privateTargetsOf } from './webhook-targets.ts';
import { createWebhookSender } from './webhooks/webhook-sender.ts';
import type { AddressInfo } from 'node:net';
import { BookWatch, watched } from './book/watch.ts';
import { ConfigError, type Config } from './config.ts';
import { createAssetSource } from './sync/prices/asset-source.ts';
import { createCryptoReader } from './sync/crypto/reader.ts';
import { openServerDatabase } from './database.ts';
import { openFiles } from './files/open.ts';
import { noFileStore, type FileStore } from './files/store.ts';
import { createApp } from './http/app.ts';
import { jobsOf } from './all-jobs.ts';
import { startWebhooks, type RunningWebhooks } from './webhooks/dispatcher.ts';
import type { Limiter } from './limiter/limiter.ts';
import { createMemoryLimiter } from './limiter/memory.ts';
import { nameOf } from './limiter/redis-url.ts';
import type { RedisLimiterOptions } from './limiter/redis.ts';
import { settings } from './settings.ts';
import { createImportService } from './imports/previews/service.ts';
import { unopened } from './maintenance/encryption-key.ts';
import type { Migration } from './maintenance/open-sqlite.ts';
import type { BackupPlace } from './maintenance/scheduled/place.ts';
import { apiOf } from './all.ts';
import type { Services } from './services.ts';
import { releaseWebhooks } from './webhooks/stored.ts';
import { noWebhookCounts } from './webhooks/rules.ts';
import { OperationThreads } from './operations/threads.ts';
import { jobsIn, openPool } from './thread-pool.ts';
import type { WorkerPool } from './workers/pool.ts';

/** The first requests after a start do not wait for jobs and webhooks. */
const firstJobsDelayMs = 1000;

const noPrices =
  'Prices of crypto are not read, and balances keep the last known ones: set PRICES_URL to read them';

/** The log exists only after the app is created from the other parts. */
type Log = ReturnType<typeof createApp>['log'];

/** A listening server. */
export interface RunningServer {
  /** The address to call, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The database of the server. */
  readonly engine: Engine;
  /** Where the server keeps attached files. */
  readonly files: FileStore;
  /** Finishes current requests, accepts no new ones, and closes the database. */
  close(): Promise<void>;
}

/**
 * Starts the service with `config` and resolves when it listens. `redisTimeoutMs` is how long a request waits for Redis
 * before it is counted locally; 100 ms by default.
 */
export async function serve(
  config: Config,
  { redisTimeoutMs }: { readonly redisTimeoutMs?: number } = {},
): Promise<RunningServer> {
  await refuseBackups(config);
  const migrations: Migration[] = [];
  const warnings: string[] = [];
  const database = await openServerDatabase(config.database, {
    onMigration: (migration) => migrations.push(migration),
    onWarning: (sentence) => warnings.push(sentence),
    checkpoint: () => threadJobs?.checkpoint() ?? Promise.resolve(),
  });
  // Waits must not become longer when the clock is set.
  const watch = new BookWatch(database, { ...systemClock, nowMs: () => performance.now() });
  const engine = watched(database, watch);
  const { limiter, cofferLimiter } = await createLimiters(config, () => app.log, redisTimeoutMs);
  const path = config.database.engine === 'sqlite' ? config.database.path : null;
  const files = await openFiles(config.files, path);
  const backups = await openBackups(config, files.store);
  const webhookCounts = noWebhookCounts();
  const pool = openPool(config);
  const threadJobs = pool && jobsIn(pool, () => watch.poke());
  const threads = pool && new OperationThreads(pool, () => watch.poke());
  const services = servicesOf(config, { files: files.store, watch, pool }, () => app.log);
  const app = createApp({
    engine,
    ...apiOf(services, threads),
    threads,
    limiter,
    cofferLimiter,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    hostNames: config.hostNames,
    corsOrigins: config.corsOrigins,
    compression: config.compression,
    web: config.hasWeb ? findWebBundle() : null,
    pageCacheBytes: config.pageCacheBytes,
    metricsReaders: config.metricsReaders,
    webhookCounts,
    logLevel: config.logLevel,
    logStream: process.stderr.isTTY ? readableLog(process.stderr) : process.stderr,
    limits: { stopDelayMs: config.stopDelayMs },
  });
  for (const warning of warnings) app.log.warn(warning);
  for (const migration of migrations) app.log.info(migration, 'The schema was brought up to date');
  let jobs: RunningJobs | undefined;
  let webhooks: RunningWebhooks | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([app.close(), jobs?.close(), webhooks?.close(), services.imports.close()]);
    await pool?.close();
    await limiter.close();
    await cofferLimiter.close();
    await engine.close();
    await files.close();
  };
  try {
    await refuseOldDump(config, engine);
    if (config.redis === null)
      app.log.info('The rate limit is counted in the memory of this process');
    await Promise.all([limiter.open?.(), cofferLimiter.open?.()]);
    // A file has one server at a time. On PostgreSQL other nodes may be at work.
    if (config.database.engine === 'sqlite') await engine.write(releaseWork);
    await app.listen({ host: config.host, port: config.port });
    await logLacks(config, engine, app.log);
    const privateTargets = privateTargetsOf(config.webhookPrivateTargets);
    const scheduled = jobsOf(
      { ...config, privateTargets, ...threadJobs?.whole },
      services,
      app.log,
      backups,
    );
    jobs = startJobs({
      engine,
      jobs: scheduled.map((job) => threadJobs?.of(job) ?? job),
      log: app.log,
      delayMs: firstJobsDelayMs,
    });
    const sender = services.webhookSender;
    webhooks = startWebhooks({
      engine,
      sender,
      log: app.log,
      counts: webhookCounts,
      delayMs: firstJobsDelayMs,
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { url: urlOf(app.server.address() as AddressInfo), engine, files: files.store, close };
}

/** Logs which settings are missing for what the database has. */
async function logLacks({ providers }: Config, engine: Engine, log: Log): Promise<void> {
  const { encryptionKey, pricesUrl } = providers;
  const sealed = await engine.readStatement(() => unopened(encryptionKey && keyId(encryptionKey)));
  if (sealed !== undefined) log.error(sealed);
  if (pricesUrl === null && (await engine.read(holdsCrypto))) log.warn(noPrices);
}

/** Throws a ConfigError if the backups of the settings cannot be made. */
async function refuseBackups({ database, files, backups }: Config): Promise<void> {
  if (backups === null) return;
  const { backupProblem } = await import('./maintenance/scheduled/place.ts');
  refuse(await backupProblem({ database, files, store: noFileStore }, backups.to));
}

/** The same for the version of a PostgreSQL server. */
async function refuseOldDump({ database, backups }: Config, engine: Engine): Promise<void> {
  if (backups === null || database.engine === 'sqlite') return;
  const { versionProblem } = await import('./maintenance/scheduled/place.ts');
  refuse(await versionProblem(engine));
}

function refuse(problem: string | null): void {
  const { flag, variable } = settings.backupTo;
  if (problem !== null) throw new ConfigError([`${flag} (${variable}): ${problem}`]);
}

async function openBackups(
  { database, files, backups }: Config,
  store: FileStore,
): Promise<BackupPlace | null> {
  if (backups === null) return null;
  const { openPlace } = await import('./maintenance/scheduled/place.ts');
  return openPlace({ database, files, store }, backups.to);
}

/** Creates the limiter of the public API, and the one of Coffer's own paths: over Redis, or in memory. */
async function createLimiters(
  { rateLimit, cofferRateLimit, redis }: Config,
  log: () => Log,
  timeoutMs?: number,
): Promise<{ limiter: Limiter; cofferLimiter: Limiter }> {
  if (redis === null) {
    const limiter = createMemoryLimiter({ rateLimit });
    return { limiter, cofferLimiter: createMemoryLimiter({ rateLimit: cofferRateLimit }) };
  }
  // Its driver is loaded only when it is needed.
  const { createRedisLimiter } = await import('./limiter/redis.ts');
  const server = { address: redis, ...(timeoutMs !== undefined && { timeoutMs }) };
  const onStateChange: RedisLimiterOptions['onStateChange'] = ({ isShared, reason }) => {
    const of = { redis: nameOf(redis) };
    if (isShared) log().info(of, 'The rate limit is shared over Redis');
    else log().warn({ ...of, reason }, 'The rate limit is counted by this node alone');
  };
  const limiter = createRedisLimiter({ ...server, rateLimit, onStateChange });
  // It loses and finds the same Redis, so the log has the changes of the other limiter only.
  const own = { ...server, rateLimit: cofferRateLimit, space: 'own' };
  return { limiter, cofferLimiter: createRedisLimiter(own) };
}

/** What the services of a server are made of. */
interface Parts extends Pick<Services, 'files' | 'watch'> {
  readonly pool: WorkerPool | null;
}

function servicesOf(config: Config, { files, watch, pool }: Parts, log: () => Log): Services {
  const { providers } = config;
  const privateTargets = privateTargetsOf(config.webhookPrivateTargets);
  return {
    cryptoReader: createCryptoReader({
      providers,
      privateTargets,
      log: { warn: (details, message) => log().warn(details, message) },
    }),
    assetSource: createAssetSource({ ...providers, privateTargets }),
    files,
    backupEveryMs: config.backups?.everyMs ?? null,
    sources: { rates: hostOf(config.ratesUrl), prices: hostOf(providers.pricesUrl) },
    watch,
    imports: createImportService(pool, {
      error: (details, message) => log().error(details, message),
    }),
    bankReader: createBankReader({
      encryptionKey: providers.encryptionKey,
      isSetupAllowed: config.bankSetup,
      privateTargets,
    }),
    webhookSender: createWebhookSender({
      encryptionKey: providers.encryptionKey,
      privateTargets,
    }),
  };
}

/** The path and the query of a URL may have a key. */
function hostOf(url: string | null): string | null {
  return url === null ? null : new URL(url).host;
}

/** Releases what a server that was killed had begun. */
function* releaseWork(): Steps<void> {
  yield* releasePreviews();
  yield* releaseWebhooks();
}

function urlOf(address: AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
