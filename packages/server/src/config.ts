import { parseFilesLocation, type FilesLocation } from './files/store.ts';
import { parseCorsOrigins, parsePublicUrl, parseHostNames } from './http/client.ts';
import type { CorsOrigins, PublicUrl } from './http/client.ts';
import { parseNetworks, parseTrustedProxies } from './limiter/address.ts';
import type { Network, TrustedProxies } from './limiter/address.ts';
import { parseRateLimit, type RateLimit } from './limiter/limiter.ts';
import { parseRedisUrl, type RedisAddress } from './limiter/redis-url.ts';
import { parseEncryptionKey } from './outside/credentials.ts';
import { logLevels, settings, type FlagName, type SettingName } from './settings.ts';
import type { ProviderSettings } from './sync/crypto/reader.ts';

/** A database in a file. */
export interface SqliteConfig {
  readonly engine: 'sqlite';
  /** A path, or `:memory:`. */
  readonly path: string;
}

/** A database on a PostgreSQL server. */
export interface PostgresConfig {
  readonly engine: 'postgres';
  /** May contain a password, so it is never shown. */
  readonly url: string;
}

/** Where the records are. */
export type DatabaseConfig = SqliteConfig | PostgresConfig;

/** The backups that a server makes. */
export interface BackupConfig {
  readonly to: FilesLocation;
  /** A minute to a year. */
  readonly everyMs: number;
  /** The newest so many are kept: 1 to 10,000. */
  readonly keep: number;
  /** Older ones are removed, except the newest; null to keep them. */
  readonly keepMs: number | null;
}

/** The settings of a running server, read once. */
export interface Config {
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
  readonly database: DatabaseConfig;
  /** Where attached files are kept; null for the default of the database. */
  readonly files: FilesLocation | null;
  /** Where, how often and how many backups are made; null for none. */
  readonly backups: BackupConfig | null;
  /** The address behind a proxy; null when clients use the address that the server listens on. */
  readonly publicUrl: PublicUrl | null;
  /** Names under which browsers may sign in, besides localhost and the public URL. */
  readonly hostNames: readonly string[];
  /** Whose pages may read responses in a browser. */
  readonly corsOrigins: CorsOrigins;
  /** Whether responses are compressed for clients that accept it. */
  readonly compression: boolean;
  /** Whether the browser UI is served. */
  readonly hasWeb: boolean;
  readonly trustedProxies: TrustedProxies;
  readonly rateLimit: RateLimit;
  /** The rate limit of requests under /coffer/. */
  readonly cofferRateLimit: RateLimit;
  /** The Redis server that shares the rate limit; null to count in the memory of this process. */
  readonly redis: RedisAddress | null;
  /** How many bytes of responses are kept in memory: 0, for none, to 16 GB. */
  readonly pageCacheBytes: number;
  /** The networks from which /metrics can be read. */
  readonly metricsReaders: readonly Network[];
  /** The private networks that webhooks may be sent to. */
  readonly webhookPrivateTargets: readonly Network[];
  /** Whether users may add connections to banks over HTTP. */
  readonly bankSetup: boolean;
  /** How to reach the providers of synced crypto accounts. */
  readonly providers: ProviderSettings;
  /** Where to read exchange rates regularly; null to read none. */
  readonly ratesUrl: string | null;
  /** For how many days the change log is kept, at least 1; null to keep all of it. */
  readonly historyDays: number | null;
  /** How long a stopping server continues to work while /readyz returns 503: 0 to 300,000 ms. */
  readonly stopDelayMs: number;
  readonly logLevel: string;
}

/** Reads the key that encrypts credentials; null for an empty text. Throws for an invalid key, without quoting it. */
export function readEncryptionKey(text: string): Uint8Array | null {
  return text === '' ? null : parseEncryptionKey(text);
}

/** One or more settings are invalid; the message names each with its value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Reads the settings from flags and the environment. Throws {@link ConfigError} with all problems. */
export function readConfig(
  flags: Readonly<Partial<Record<FlagName, string>>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const problems: string[] = [];
  const read = <T>(name: SettingName, parse: (text: string) => T): T => {
    const { variable, flag, fallback } = settings[name];
    const given = flag === null ? undefined : flags[name as FlagName];
    const text = given ?? setText(environment[variable]) ?? fallback;
    try {
      return parse(text);
    } catch (error) {
      const place = flag === null ? variable : `${flag} (${variable})`;
      problems.push(`${place}: ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const config: Config = {
    host: read('host', parseHost),
    port: read('port', parsePort),
    database: read('database', parseDatabase),
    files: read('files', parseFilesLocation),
    backups: readBackups(read, problems),
    publicUrl: read('publicUrl', parsePublicUrl),
    hostNames: read('hostNames', parseHostNames),
    corsOrigins: read('corsOrigins', parseCorsOrigins),
    compression: read('compression', parseSwitch),
    hasWeb: read('web', parseSwitch),
    trustedProxies: read('trustedProxies', parseTrustedProxies),
    rateLimit: read('rateLimit', parseRateLimit),
    cofferRateLimit: read('cofferRateLimit', parseRateLimit),
    redis: read('redis', parseRedisUrl),
    pageCacheBytes: read('pageCache', parsePageCache),
    metricsReaders: read('metricsReaders', parseMetricsReaders),
    webhookPrivateTargets: read('webhookPrivateTargets', parsePrivateTargets),
    bankSetup: read('bankSetup', parseSwitch),
    providers: {
      ethereumRpcUrl: read('ethereumRpcUrl', parseOptionalUrl),
      krakenUrl: read('krakenUrl', parseUrl),
      coinbaseUrl: read('coinbaseUrl', parseUrl),
      pricesUrl: read('pricesUrl', parseOptionalUrl),
      encryptionKey: read('encryptionKey', readEncryptionKey),
    },
    ratesUrl: read('ratesUrl', parseOptionalUrl),
    historyDays: read('historyDays', parseHistoryDays),
    stopDelayMs: read('stopDelay', parseStopDelay),
    logLevel: read('logLevel', parseLogLevel),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

type Read = <T>(name: SettingName, parse: (text: string) => T) => T;

/** Reads the settings of backups. How often and how many means nothing without a place, so somebody forgot it. */
function readBackups(read: Read, problems: string[]): BackupConfig | null {
  // Undefined if it is not valid, which is a problem of its own.
  const to = read<FilesLocation | null | undefined>('backupTo', parseFilesLocation);
  const everyMs = read('backupEvery', parseBackupEvery);
  const keep = read('backupKeep', parseBackupKeep);
  if (to) return { to, everyMs: everyMs ?? dayMs, ...(keep ?? { keep: usualKeep, keepMs: null }) };
  const { backupTo, backupEvery, backupKeep } = settings;
  for (const [value, { flag }] of [
    [everyMs, backupEvery],
    [keep, backupKeep],
  ] as const)
    if (to === null && value)
      problems.push(
        `${flag}: There are no backups without ${backupTo.flag} (${backupTo.variable})`,
      );
  return null;
}

const usualKeep = 14;
const dayMs = 86_400_000;
const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: dayMs };

/** Reads a time of minutes, hours or days, up to `mostDays`; null for anything else. */
function timeMs(text: string, mostDays: number): number | null {
  const [, digits = '', unit = ''] = /^([1-9][0-9]{0,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (unitsMs[unit] ?? 0);
  return ms > 0 && ms <= mostDays * dayMs ? ms : null;
}

function parseBackupEvery(text: string): number | null {
  const ms = timeMs(text, 365);
  if (text === '' || ms !== null) return ms;
  throw new Error(`Invalid time "${text}": use 1m to 365d, for example 12h or 1d`);
}

const mostBackups = 10_000;

function parseBackupKeep(text: string): Pick<BackupConfig, 'keep' | 'keepMs'> | null {
  if (text === '') return null;
  const [number = '', time, ...others] = text.split('/');
  const keep = /^[1-9][0-9]{0,4}$/.test(number) ? Number(number) : Infinity;
  const keepMs = time === undefined ? null : timeMs(time, 36_500);
  const isTime = time === undefined || keepMs !== null;
  if (keep <= mostBackups && isTime && others.length === 0) return { keep, keepMs };
  throw new Error(
    `Invalid number of backups "${text}": use 1 to ${mostBackups}, and after a slash for how long, as in 30/90d`,
  );
}

/** An empty variable counts as unset, because service files often have empty ones. */
function setText(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function parseHost(text: string): string {
  if (/^[A-Za-z0-9._:%-]+$/.test(text)) return text;
  throw new Error(`Cannot listen on "${text}": use an address or a host name`);
}

function parsePort(text: string): number {
  if (/^(0|[1-9][0-9]{0,4})$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new Error(`Cannot listen on port "${text}": use a number from 0 to 65535`);
}

/** Reads a database URL. Throws for anything but `sqlite:PATH`, `sqlite::memory:` and `postgres://…`. */
export function parseDatabase(text: string): DatabaseConfig {
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  if (path.startsWith('//')) throw new Error(refuseSlashes(text, path.replace(/^\/+/, '')));
  if (path !== '') return { engine: 'sqlite', path };
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text))
    return { engine: 'postgres', url: text };
  // The rest of the URL may contain a password.
  const [scheme = ''] = text.split(':');
  throw new Error(
    `Cannot use a database of the kind "${scheme}": it must be sqlite:PATH, sqlite::memory: or postgres://HOST/DATABASE`,
  );
}

/** Programs disagree about `sqlite://` and `sqlite:///`. As a path, both begin at the root folder. */
function refuseSlashes(text: string, path: string): string {
  return `Cannot use "${text}": write sqlite:./${path} for a relative path or sqlite:/${path} for an absolute one`;
}

/** Reads the private networks that webhooks may be sent to. Throws for anything but addresses and CIDR ranges. */
export function parsePrivateTargets(text: string): readonly Network[] {
  return parseNetworks(text, 'Private targets of webhooks');
}

function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Error(`Invalid switch "${text}": use on or off`);
}

const mostPageCacheMegabytes = 16_000;

function parsePageCache(text: string): number {
  const megabytes = /^(0|[1-9][0-9]{0,4})$/.test(text) ? Number(text) : Infinity;
  if (megabytes <= mostPageCacheMegabytes) return megabytes * 1_000_000;
  throw new Error(`Invalid number of megabytes "${text}": use 0 to ${mostPageCacheMegabytes}`);
}

function parseMetricsReaders(text: string): readonly Network[] {
  if (text === 'none') return [];
  if (text.trim() !== '') return parseNetworks(text, 'Metrics readers');
  throw new Error('Metrics readers must be addresses or CIDR ranges, or "none"');
}

/** Errors do not quote the URL: many Ethereum nodes have the key in the path. */
function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('Use a URL that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new Error('The URL must not have a user, a password or a fragment');
  }
  return text;
}

function parseOptionalUrl(text: string): string | null {
  return text === '' || text === 'off' ? null : parseUrl(text);
}

const mostHistoryDays = 100_000;

function parseHistoryDays(text: string): number | null {
  if (text === '') return null;
  if (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= mostHistoryDays) return Number(text);
  throw new Error(`Invalid number of days "${text}": use 1 to ${mostHistoryDays}`);
}

const mostStopDelayMs = 300_000;

function parseStopDelay(text: string): number {
  const [, digits = '', unit] = /^(0|[1-9][0-9]{0,5})(ms|s)$/.exec(text) ?? [];
  const ms = Number(digits) * (unit === 's' ? 1000 : 1);
  if (unit !== undefined && ms <= mostStopDelayMs) return ms;
  throw new Error(`Invalid time "${text}": use 0s to 300s, for example 5s or 500ms`);
}

function parseLogLevel(text: string): string {
  if (logLevels.includes(text)) return text;
  throw new Error(`Cannot log at level "${text}": it must be one of ${logLevels.join(', ')}`);
}
