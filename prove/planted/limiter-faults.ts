import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/server/src/limiter';
const http = 'packages/server/src/http';
const everyAnswer = 'test/spec/limiter-every-answer.test.ts';

/** Counting, its headers, and who is counted. */
export const limiterFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/headers.ts`, ['headers.test.ts'], {
    'Reset is rounded down': ['ceil(hit.resetsAtMs', 'floor(hit.resetsAtMs'],
    'Retry-After is rounded down': ['ceil(hit.retryAfterMs', 'floor(hit.retryAfterMs'],
    'Retry-After is on every answer': ['if (!hit.allowed)', 'if (hit.limit > 0)'],
    'an older name of a header is missing': ["'X-RateLimit-Reset': reset,", ''],
  }),
  ...faultsOf(`${room}/headers.ts`, ['prove/f06-waiting-clients.test.ts'], {
    'waiting for Reset is not enough': ['ceil(hit.resetsAtMs', 'floor(hit.resetsAtMs'],
    'waiting for Retry-After is not enough': ['ceil(hit.retryAfterMs', 'floor(hit.retryAfterMs'],
  }),
  ...faultsOf(`${room}/clock.ts`, ['clock.test.ts'], {
    'a reset may lie before the end of its window': ['Date.now() + 1', 'Date.now()'],
  }),
  ...faultsOf(`${room}/clock.ts`, ['prove/f08-clock-jumps.test.ts'], {
    'windows go by the wall clock': ['() => performance.now()', '() => Date.now()'],
  }),
  ...faultsOf(`${room}/memory.ts`, ['memory.test.ts', 'prove/f05-concurrent.test.ts'], {
    'one request less is allowed': ['allowed: hits <= this.#limit', 'allowed: hits < this.#limit'],
    'Remaining goes below zero': ['Math.max(0, this.#limit - hits)', 'this.#limit - hits'],
    'windows that have ended take up room': [' && this.#countLive(nowUs) >= this.#maxSources', ''],
    'the oldest generation is used anew before it is over': ['GENERATIONS = 3', 'GENERATIONS = 2'],
    'a source in a shared window gets a second one': [
      'if (this.#shared.isLive(shared, nowUs))',
      'if (nowUs < 0)',
    ],
    'all who find no room share one window': ['this.#hash.high & (SHARED_WINDOWS - 1)', '0'],
    'the secret of the hash is known': ['new KeyHash(randomSecret())', 'new KeyHash([1, 2])'],
  }),
  ...faultsOf(`${room}/windows.ts`, ['memory.test.ts'], {
    'a window is one instant too long': [
      'return this.endUs(slot) > nowUs',
      'return this.endUs(slot) >= nowUs',
    ],
    'Reset flickers with every reading': ['TOLERANCE_US = 500_000', 'TOLERANCE_US = 0'],
    'Reset does not follow the clock': ['TOLERANCE_US = 500_000', 'TOLERANCE_US = 1e15'],
    'a new window keeps the hits of the old': ['this.#fields[at + HITS] = 0;', ''],
  }),
  ...faultsOf(`${room}/windows.ts`, ['windows.test.ts'], {
    'one window that runs is not counted': ['ended = middle + 1', 'ended = middle + 2'],
  }),
  ...faultsOf(`${room}/windows.ts`, ['prove/f08-clock-jumps.test.ts'], {
    'a clock that is set misleads those who wait': [
      'TOLERANCE_US = 500_000',
      'TOLERANCE_US = 1e15',
    ],
  }),
  ...faultsOf(`${room}/source-table.ts`, ['source-table.test.ts'], {
    'the sources of a chain stay when it is divided': ['if (slot > 0) this.#divideInto(slot);', ''],
    'a chain is cut off after its first source when it is divided': [
      'const next = this.#get(slot, NEXT) - 1;',
      'const next = NO_SLOT;',
    ],
    'half of a hash stands for the whole': [' && this.#get(slot, HIGH) === hash.high', ''],
  }),
  ...faultsOf(`${room}/generation.ts`, ['generation.test.ts', 'memory.test.ts'], {
    'windows that run are forgotten': [
      'this.windows.isLive(this.size - 1',
      'this.windows.isLive(0',
    ],
    'a generation takes windows for too long': ['<= this.#halfUs', '<= 0'],
  }),
  ...faultsOf(`${room}/generation.ts`, ['memory.test.ts', 'prove/f07-many-sources.test.ts'], {
    'windows that have ended are never forgotten': ['this.#sources.clear();', ';'],
    'the memory of windows is never given back': ['this.windows.giveBack(this.size);', ''],
    'the memory of sources is never given back': ['this.#sources.giveBack();', ''],
  }),
  ...faultsOf(`${room}/elastic-buffer.ts`, ['elastic-buffer.test.ts', 'memory.test.ts'], {
    'all memory is given back in one hit': [
      'this.#resize(this.#bytes - STEP_BYTES)',
      'this.#resize(bytes)',
    ],
  }),
  ...faultsOf(`${room}/elastic-buffer.ts`, ['memory.test.ts'], {
    'a system without memory fails requests': [
      'if (error instanceof RangeError) return false;',
      '',
    ],
  }),
  ...faultsOf(`${room}/address.ts`, ['address.test.ts', 'source-key.test.ts'], {
    'IPv4 within IPv6 is another source': [
      'address !== undefined && isIpv4Mapped(address)',
      'address === null',
    ],
    'a zone id makes another source': ["text.split('%', 1)", '[text]'],
    'hostile text is read at any length': [
      'if (text.length > MAX_TEXT_LENGTH) return undefined;',
      '',
    ],
    'zeros in front are read in IPv4': ['[1-9]?[0-9])', '[0-9]{1,2})'],
  }),
  ...faultsOf(`${room}/source-key.ts`, ['source-key.test.ts', 'prove/f07-many-sources.test.ts'], {
    'every address of a /64 has a quota': ['MAX_IPV6_PREFIX_BITS / GROUP_BITS', '8'],
    'a shorter prefix is not cut': ['group & groupMask(prefixBits, i)', 'group'],
    'no address is an unreadable one': ['return LOCAL_SOURCE_KEY', 'return UNREADABLE_SOURCE_KEY'],
  }),
  ...faultsOf(
    `${room}/client-address.ts`,
    ['client-address.test.ts', 'test/spec/limiter-sources.test.ts'],
    {
      'anybody may say where they come from': [
        'rest === undefined || !isWithin(client, trusted.networks)',
        'rest === undefined',
      ],
      'the header is read from the left': ["rest.lastIndexOf(',')", "rest.indexOf(',')"],
      'a header may be as long as it likes': ['hops < MAX_HOPS', 'hops < Infinity'],
    },
  ),
  ...faultsOf(`${room}/networks.ts`, ['client-address.test.ts'], {
    'the whole internet can be trusted': ['prefixBits < 1', 'prefixBits < 0'],
  }),
  ...faultsOf(`${room}/limiter.ts`, ['limiter.test.ts'], {
    'a limit may have zeros in front': ['/^([1-9][0-9]{0,9})', '/^([0-9]{1,10})'],
    'a window may be longer than a day': [' && windowMs <= MAX_WINDOW_MS', ''],
  }),
  ...faultsOf(`${http}/rate-limit.ts`, ['rate-limit.test.ts', everyAnswer], {
    'headers are on refusals only': [
      'reply.headers(rateLimitHeaders(hit));',
      'if (!hit.allowed) reply.headers(rateLimitHeaders(hit));',
    ],
    'nothing is refused': ["hit.allowed ? undefined : new Problem('tooManyRequests')", 'undefined'],
    'a proxy is not looked behind': [
      'clientAddress(socket.remoteAddress, forwardedFor, trustedProxies)',
      'socket.remoteAddress',
    ],
  }),
  ...faultsOf(`${http}/app.ts`, [everyAnswer, 'test/spec/8-rate-limit.test.ts'], {
    'who has no token is not counted': [
      'count,\n    refuseAmbiguousTarget,\n    identify,',
      'refuseAmbiguousTarget,\n    identify,\n    count,',
    ],
    'a path that cannot be decoded is not counted': ['[count, identify]', '[identify]'],
    'the first version is not limited': ["prefix: '/v1/'", "prefix: '/v0/'"],
    'a body that is refused is not counted': [
      'const hooks = [\n    count,',
      'const hooks = [\n    readBody(limits),\n    count,',
    ],
  }),
  ...faultsOf(`${http}/api.ts`, [everyAnswer, 'test/spec/8-rate-limit.test.ts'], {
    'an unknown path is not counted': ['scope.setNotFoundHandler(', 'void ('],
  }),
];
