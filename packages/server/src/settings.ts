/** A setting: its environment variable, and its flag of `coffer serve`. */
export interface Setting {
  readonly variable: string;
  /** Null for a secret: every user of the machine can read the flags of a process. */
  readonly flag: string | null;
  readonly placeholder: string;
  readonly fallback: string;
  readonly description: string;
}

/** The levels of the log, from few lines to many. */
export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** All settings. A flag takes precedence over the environment variable, and the variable over the fallback. */
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
    description: 'port to listen on, 0 for a free one',
  },
  database: {
    variable: 'DATABASE_URL',
    flag: '--database',
    placeholder: '<url>',
    fallback: 'sqlite:./coffer.db',
    description: 'where the records are: sqlite:PATH, sqlite::memory: or postgres://…',
  },
  files: {
    variable: 'FILES_URL',
    flag: '--files',
    placeholder: '<place>',
    fallback: '',
    description: 'where attached files are kept: a folder, or s3://KEY:SECRET@HOST/BUCKET',
  },
  backupTo: {
    variable: 'BACKUP_TO',
    flag: '--backup-to',
    placeholder: '<place>',
    fallback: '',
    description: 'where the server writes backups: a folder, or s3://KEY:SECRET@HOST/BUCKET',
  },
  backupEvery: {
    variable: 'BACKUP_EVERY',
    flag: '--backup-every',
    placeholder: '<time>',
    fallback: '',
    description: 'time between backups, such as 12h; 1d if there is a place for them',
  },
  backupKeep: {
    variable: 'BACKUP_KEEP',
    flag: '--backup-keep',
    placeholder: '<number>',
    fallback: '',
    description: 'how many backups are kept, and for how long, such as 30/90d; 14 by default',
  },
  redis: {
    variable: 'REDIS_URL',
    flag: '--redis',
    placeholder: '<url>',
    fallback: '',
    description: 'Redis or Valkey that shares the rate limit between nodes; several for a cluster',
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    flag: '--public-url',
    placeholder: '<url>',
    fallback: '',
    description: 'address at which clients reach the server through a proxy, with its path',
  },
  hostNames: {
    variable: 'HOST_NAMES',
    flag: '--host-names',
    placeholder: '<names>',
    fallback: '',
    description: 'names under which browsers may sign in, besides localhost, separated by commas',
  },
  corsOrigins: {
    variable: 'CORS_ORIGINS',
    flag: '--cors-origins',
    placeholder: '<origins>',
    fallback: '',
    description: 'origins whose web pages may call the API, separated by commas, or *',
  },
  compression: {
    variable: 'COMPRESSION',
    flag: '--compression',
    placeholder: '<switch>',
    fallback: 'on',
    description: 'on or off: whether responses are compressed for clients that accept it',
  },
  web: {
    variable: 'WEB',
    flag: '--web',
    placeholder: '<switch>',
    fallback: 'on',
    description: 'on or off: whether the browser UI is served',
  },
  trustedProxies: {
    variable: 'TRUSTED_PROXIES',
    flag: '--trusted-proxies',
    placeholder: '<cidrs>',
    fallback: '',
    description: 'networks of proxies whose X-Forwarded-For is trusted, separated by commas',
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    flag: '--rate-limit',
    placeholder: '<limit>',
    fallback: '100/60s',
    description: 'requests per window and client address; a bare number is per minute',
  },
  cofferRateLimit: {
    variable: 'COFFER_RATE_LIMIT',
    flag: '--coffer-rate-limit',
    placeholder: '<limit>',
    fallback: '600/60s',
    description: "the same for requests to Coffer's own API, which count apart",
  },
  pageCache: {
    variable: 'PAGE_CACHE',
    flag: '--page-cache',
    placeholder: '<MB>',
    fallback: '32',
    description: 'megabytes of memory for responses that are requested again, 0 for none',
  },
  metricsReaders: {
    variable: 'METRICS_READERS',
    flag: '--metrics-readers',
    placeholder: '<cidrs>',
    fallback: '127.0.0.0/8,::1/128',
    description: 'networks that may read /metrics, separated by commas, or none',
  },
  webhookPrivateTargets: {
    variable: 'WEBHOOK_PRIVATE_TARGETS',
    flag: '--webhook-private-targets',
    placeholder: '<cidrs>',
    fallback: '',
    description: 'private networks that webhooks and names of providers may lead to, with commas',
  },
  bankSetup: {
    variable: 'BANK_SETUP',
    flag: '--bank-setup',
    placeholder: '<switch>',
    fallback: 'off',
    description: 'on or off: whether users may add connections to banks in the browser',
  },
  ethereumRpcUrl: {
    variable: 'ETHEREUM_RPC_URL',
    flag: '--ethereum-rpc-url',
    placeholder: '<url>',
    fallback: '',
    description: 'Ethereum node for the balances of wallets, by JSON-RPC',
  },
  krakenUrl: {
    variable: 'KRAKEN_URL',
    flag: '--kraken-url',
    placeholder: '<url>',
    fallback: 'https://api.kraken.com',
    description: "URL of Kraken's API",
  },
  coinbaseUrl: {
    variable: 'COINBASE_URL',
    flag: '--coinbase-url',
    placeholder: '<url>',
    fallback: 'https://api.coinbase.com',
    description: "URL of Coinbase's API",
  },
  pricesUrl: {
    variable: 'PRICES_URL',
    flag: '--prices-url',
    placeholder: '<url>',
    fallback: '',
    description:
      "URL of CoinGecko's API, for prices of crypto; none are read without it, or with off",
  },
  ratesUrl: {
    variable: 'RATES_URL',
    flag: '--rates-url',
    placeholder: '<url>',
    fallback: '',
    description: 'file of daily exchange rates of the European Central Bank, CSV or ZIP',
  },
  encryptionKey: {
    variable: 'ENCRYPTION_KEY',
    flag: null,
    placeholder: '<key>',
    fallback: '',
    description: 'key for credentials of synced accounts and secrets of webhooks: 32 bytes',
  },
  historyDays: {
    variable: 'HISTORY_DAYS',
    flag: '--history-days',
    placeholder: '<days>',
    fallback: '',
    description: 'days for which changes can be undone and followed; by default all are kept',
  },
  stopDelay: {
    variable: 'STOP_DELAY',
    flag: '--stop-delay',
    placeholder: '<time>',
    fallback: '0s',
    description: 'how long to continue after SIGTERM, while /readyz returns 503',
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

/** A setting that has a flag. */
export type FlagName = {
  [Name in SettingName]: (typeof settings)[Name]['flag'] extends null ? never : Name;
}[SettingName];
