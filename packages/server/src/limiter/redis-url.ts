/** Address, user and password of a Redis or Valkey. */
export interface RedisAddress {
  /** One server, or some servers of a cluster, which know the others. */
  readonly servers: readonly RedisServerName[];
  readonly isCluster: boolean;
  readonly isTls: boolean;
  /** Empty for the default user. */
  readonly username: string;
  /** Empty for none. */
  readonly password: string;
  /** 0 in a cluster. */
  readonly database: number;
}

/** A host name or address, IPv6 without brackets, and a port. */
export interface RedisServerName {
  readonly host: string;
  readonly port: number;
}

const defaultPort = 6379;

/**
 * Parses Redis URLs: `redis://[user:password@]host[:port][/database]`, or `rediss://…` for TLS. A cluster is several
 * URLs, separated by commas, or one URL with `?cluster`. Empty text gives null.
 *
 * All URLs of a cluster must have the same scheme, user and password. User and password may be left out except in the
 * first URL.
 *
 * @throws Error that quotes nothing that could be a password
 */
export function parseRedisUrl(text: string): RedisAddress | null {
  if (text === '') return null;
  const urls = text.split(',').map((part) => readUrl(part.trim()));
  const isCluster = urls.length > 1 || urls.some(({ search }) => search === '?cluster');
  const [first] = urls;
  if (urls.some(({ protocol }) => protocol !== first!.protocol))
    throw new Error('All Redis URLs of a cluster must have the same scheme, redis or rediss');
  if (urls.some((url) => hasUser(url) && !hasSameUser(url, first!)))
    throw new Error('All Redis URLs of a cluster must have the same user and password');
  if (isCluster && urls.some(({ pathname }) => !['', '/', '/0'].includes(pathname)))
    throw new Error('A Redis cluster has only one database: leave out the database number');
  return {
    servers: urls.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? defaultPort : Number(port),
    })),
    isCluster,
    isTls: first!.protocol === 'rediss:',
    username: decode(first!.username),
    password: decode(first!.password),
    database: Number(first!.pathname.slice(1)),
  };
}

/** The servers without user and password, for logs: `host:port, host:port`. */
export function nameOf({ servers }: RedisAddress): string {
  const names = servers.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  );
  return names.join(', ');
}

function readUrl(part: string): URL {
  const url = URL.parse(part);
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    const scheme = /^[a-z+]*(?=:)/i.exec(part)?.[0] ?? '';
    throw new Error(
      `Invalid Redis URL with the scheme "${scheme}": use redis://HOST:PORT or rediss://HOST:PORT`,
    );
  }
  if (!/^\/?$|^\/[0-9]{1,4}$/.test(url.pathname))
    throw new Error('The path of a Redis URL must be a database number, for example /1');
  if (!['', '?cluster'].includes(url.search) || url.hash !== '')
    throw new Error('A Redis URL accepts only the parameter ?cluster, and no fragment');
  if (url.username !== '' && url.password === '')
    throw new Error('The Redis URL has a user but no password');
  return url;
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function hasSameUser(a: URL, b: URL): boolean {
  return a.username === b.username && a.password === b.password;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('Write a % in the user or password of a Redis URL as %25');
  }
}
