import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/server/src/limiter';
const f09 = 'prove/f09-redis-faults.test.ts';

/** Counting together with other nodes, and alone while that cannot be. */
export const redisFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/shared-limiter.ts`, ['redis-faults.test.ts', f09], {
    'another count is asked when the limit is reached': [
      'return this.#toHit(count);',
      'return count.count > 100 ? this.#hitAlone(source) : this.#toHit(count);',
    ],
    'a frozen Redis holds requests up': [
      'const count = await within(this.#counter.count(key), this.#timeoutMs);',
      'const count = await this.#counter.count(key);',
    ],
    'every request waits for a Redis that is away': [
      'return isAway ? this.#hitAlone(source) : this.#hitShared(source, key);',
      'return isAway && source === "" ? this.#hitAlone(source) : this.#hitShared(source, key);',
    ],
    'a node that counts alone stays alone': [
      'if (await this.#probe(key)) this.#away.delete(server);',
      'await this.#probe(key);',
    ],
    'a request fails with Redis': [
      'this.#giveUp(key, messageOf(error));\n      return this.#hitAlone(source);',
      'this.#giveUp(key, messageOf(error));\n      throw error;',
    ],
    'the memory of a flood is kept when sharing is back': ['    this.#forgetLater();\n', ''],
    'a start does not find out which count is in use': [
      'else if (await this.#probe(key, openTimeoutMs)) this',
      'else if (key === "") this',
    ],
  }),
  ...faultsOf(`${room}/shared-limiter.ts`, ['redis.test.ts'], {
    'addresses lie in Redis as text': [
      "`coffer:window:${hash('sha256', source, 'base64url').slice(0, 22)}`",
      "`coffer:window:${hash('sha256', source, 'base64url').slice(0, 2)}${source}`",
    ],
  }),
  ...faultsOf(`${room}/shared-limiter.ts`, ['redis-cluster.test.ts'], {
    'all sources are counted alone when one server of a cluster is away': [
      'this.#away.has(this.#counter.serverOf(key))',
      'key !== ""',
    ],
  }),
  ...faultsOf(`${room}/within.ts`, ['within.test.ts'], {
    'a process that was busy takes it for silence': ['setImmediate(expire)', 'expire()'],
  }),
  ...faultsOf(`${room}/redis-script.ts`, ['redis.test.ts', 'redis-clock.test.ts'], {
    'keys live for ever': [", 'PX', math.ceil((ends - now) / 1000) + ${slackMs}", ''],
    'the end of a shared window is not exclusive': ['now >= ends', 'now > ends'],
    'a key of another kind fails every hit of its source': ['redis.pcall', 'redis.call'],
    'a clock that is set back makes callers wait for longer': [
      'elseif ends - now > window then\n  ends = now + window\n',
      '',
    ],
  }),
  ...faultsOf(`${room}/redis.ts`, ['redis-clock.test.ts'], {
    'the end of a window is told by the clock of the node': [
      "this.#now === undefined ? '' : (this.#now() * 1000).toFixed(0)",
      '((this.#now?.() ?? Date.now()) * 1000).toFixed(0)',
    ],
  }),
  ...faultsOf(`${room}/redis.ts`, ['redis.test.ts', 'redis-faults.test.ts'], {
    'a Redis that has forgotten its scripts is taken for broken': [
      "if (!(error as Error).message.startsWith('NOSCRIPT')) throw",
      'throw',
    ],
    'a connection that went silent is kept for ever': ['socketTimeout: silenceTimeoutMs,', ''],
    'a Redis that is away holds up the end of a server': [
      'disconnectTimeout: disconnectTimeoutMs,',
      '',
    ],
    'a replica is asked for ever': [
      "if (error.message.startsWith('READONLY')) this.#connectAnew();",
      '',
    ],
  }),
  ...faultsOf(`${room}/redis.ts`, ['redis-access.test.ts', 'redis-faults.test.ts'], {
    'the log does not say why there is no connection': [
      'return isClear ? error : new Error(this.#trouble);',
      'return error;',
    ],
    'the number of the database is not looked at': ['db: address.database,', ''],
  }),
  ...faultsOf(`${room}/redis.ts`, ['redis-cluster.test.ts'], {
    'names of a cluster are replaced by addresses': [
      'dnsLookup: (name, callback) => callback(null, name),',
      '',
    ],
    'servers of a cluster are connected by the first hits': [
      'await Promise.allSettled(waiting.map((server) => server.connect()));',
      '',
    ],
  }),
  ...faultsOf(`${room}/redis-url.ts`, ['redis-url.test.ts'], {
    'a URL that is refused is quoted': [
      "const scheme = /^[a-z+]*(?=:)/i.exec(part)?.[0] ?? '';",
      'const scheme = part;',
    ],
    'IPv6 stays in brackets': ["hostname.replace(/^\\[(.*)\\]$/, '$1')", 'hostname'],
    'a parameter that does nothing is taken': [
      "if (!['', '?cluster'].includes(url.search) || url.hash !== '')",
      "if (url.hash !== '')",
    ],
  }),
  ...faultsOf('packages/server/src/http/metrics-text.ts', ['metrics.test.ts'], {
    'sharing is said where it is not meant': [
      '.filter((found) => found !== null).map((found) => plain(figure(found)))',
      '.map((found) => plain(figure(found ?? { isShared: false, fallbacks: 0 })))',
    ],
  }),
];
