import { parseTrustedProxies } from './limiter/client-address.ts';
import type { TrustedProxies } from './limiter/client-address.ts';
import { parseRateLimit } from './limiter/limiter.ts';
import type { RateLimit } from './limiter/limiter.ts';

/** Where the records are. */
export interface DatabaseConfig {
  readonly engine: 'sqlite';
  /** A path, or `:memory:`. */
  readonly path: string;
}

/** Everything that a running server was told, read once. */
export interface Config {
  readonly host: string;
  /** 0 to 65535; 0 lets the system choose. */
  readonly port: number;
  readonly database: DatabaseConfig;
  readonly trustedProxies: TrustedProxies;
  readonly rateLimit: RateLimit;
  readonly logLevel: string;
}

/** A setting by its name in the environment, with the flag of `coffer serve` that says the same. */
export interface Setting {
  readonly variable: string;
  readonly flag: string;
  readonly placeholder: string;
  readonly fallback: string;
  readonly description: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Every setting there is. A flag wins over the environment, the environment over the fallback. */
export const settings = {
  host: {
    variable: 'HOST',
    flag: '--host',
    placeholder: '<address>',
    fallback: '127.0.0.1',
    description: 'address to listen on',
  },
  port: {
    variable: 'PORT',
    flag: '--port',
    placeholder: '<number>',
    fallback: '8080',
    description: 'port to listen on, 0 for any free one',
  },
  database: {
    variable: 'DATABASE_URL',
    flag: '--database',
    placeholder: '<url>',
    fallback: 'sqlite:./coffer.db',
    description: 'where the records are: sqlite:PATH or sqlite::memory:',
  },
  redis: {
    variable: 'REDIS_URL',
    flag: '--redis',
    placeholder: '<url>',
    fallback: '',
    description: 'a limiter shared by several nodes; not in this version, so it must be empty',
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    flag: '--trusted-proxies',
    placeholder: '<cidrs>',
    fallback: '',
    description: 'networks whose X-Forwarded-For is believed, separated by commas',
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    flag: '--rate-limit',
    placeholder: '<limit>',
    fallback: '100/60s',
    description: 'requests per window and source address; a bare number is per minute',
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    flag: '--log-level',
    placeholder: '<level>',
    fallback: 'info',
    description: `one of ${logLevels.join(', ')}`,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

/** One or more settings cannot be used; the message names each with its value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Reads the settings from flags and the environment. Throws {@link ConfigError} with everything that is wrong. */
export function readConfig(
  flags: Readonly<Partial<Record<SettingName, string>>>,
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const problems: string[] = [];
  const read = <T>(name: SettingName, parse: (text: string) => T): T => {
    const { variable, fallback } = settings[name];
    const text = flags[name] ?? setText(environment[variable]) ?? fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${settings[name].flag} (${variable}): ${(error as Error).message}`);
      return undefined as T;
    }
  };
  const config: Config = {
    host: read('host', parseHost),
    port: read('port', parsePort),
    database: read('database', parseDatabase),
    trustedProxies: read('trustedProxies', parseTrustedProxies),
    rateLimit: read('rateLimit', parseRateLimit),
    logLevel: read('logLevel', parseLogLevel),
  };
  read('redis', refuseRedis);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** An empty variable is one that is not set: service files often say so. */
function setText(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function parseHost(text: string): string {
  if (/^[A-Za-z0-9._:%-]+$/.test(text)) return text;
  throw new Error(`Cannot listen on "${text}": an address or a host name is needed`);
}

function parsePort(text: string): number {
  if (/^(0|[1-9][0-9]{0,4})$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new Error(`Cannot listen on port "${text}": a number from 0 to 65535 is needed`);
}

/** Reads a database URL. Throws for anything but `sqlite:PATH` and `sqlite::memory:`. */
export function parseDatabase(text: string): DatabaseConfig {
  const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  if (path !== '') return { engine: 'sqlite', path };
  // A URL may carry a password, so only its scheme is said again.
  const [scheme = ''] = text.split(':');
  throw new Error(
    `Cannot use a database of the kind "${scheme}": this version has sqlite:PATH and sqlite::memory:`,
  );
}

function parseLogLevel(text: string): string {
  if (logLevels.includes(text)) return text;
  throw new Error(`Cannot log at level "${text}": it must be one of ${logLevels.join(', ')}`);
}

function refuseRedis(text: string): void {
  if (text === '') return;
  throw new Error(
    'This version counts in memory only; unset it, or each node would keep its own count unseen',
  );
}
