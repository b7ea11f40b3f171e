import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/client/src';

/** The client: its walk over pages, its pace, and when it asks again. */
export const clientFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/transactions.ts`, ['client.test.ts'], {
    'the next page begins behind the rows that came': [
      'place.offset + place.limit : null',
      'place.offset + transactions.length : null',
    ],
    'a short page is the last one': [
      'has_more ? place',
      'transactions.length === place.limit ? place',
    ],
    'a page may have more rows than were asked for': [
      'value.transactions.length <= place.limit',
      'value.transactions.length <= Infinity',
    ],
    'limit and offset are left to the service': ['query: { ...query, ...place }', 'query'],
    'an array may have any length': ['!Number.isSafeInteger(max) || max < 0', 'max < 0'],
  }),
  ...faultsOf(`${room}/paging.ts`, ['client.test.ts'], {
    'a list that never ends is walked for ever': [
      'idlePages === mostIdlePages',
      'idlePages === 1e4',
    ],
    'the same page again is progress': ["ids === '' || ids === before", "ids === ''"],
    'more rows than were wanted are kept': [
      'if (rows.length > max) throw',
      'if (rows.length > 1e9) throw',
    ],
    'a walk may go by no step': [
      '!Number.isSafeInteger(limit) || limit < 1',
      '!Number.isSafeInteger(limit)',
    ],
  }),
  ...faultsOf(`${room}/retry.ts`, ['retry.test.ts'], {
    'Retry-After is not waited for': ['return asked ?? random *', 'return random *'],
    'what may have been done is done again': ['isRepeatable(outgoing) && ', ''],
    'what was refused is not asked again': ['!isRefusal && !', '!'],
    'what cannot pass is asked again': ['passing.includes(error.status)', 'error.status > 0'],
    'an attempt that failed is the last': ['attempt >= sender.maxAttempts', 'attempt >= 1'],
    'there is no last attempt': ['attempt >= sender.maxAttempts || !isInTime', '!isInTime'],
    'a wait that is too long is begun': [' || !isInTime', ''],
    'each wait is as long as the first': ['firstBackoffMs * 2 ** (attempt - 1)', 'firstBackoffMs'],
    'waits have no jitter': ['random * Math.min(', 'Math.min('],
    'waits grow for ever': [
      'Math.min(longestBackoffMs, firstBackoffMs',
      'Math.max(0, firstBackoffMs',
    ],
    'a call that ends leaves its timer': [
      '  } finally {\n    call.release();\n  }',
      '  } finally {\n    void call;\n  }',
    ],
  }),
  ...faultsOf(`${room}/transport.ts`, ['retry.test.ts'], {
    'a body that was cut is an empty one': [
      "throw new MalformedResponseError('the body was cut', response, attempt, { cause });",
      "void cause;\n    return '';",
    ],
    'what is no JSON is a value': [
      'if (value !== undefined) return { status, value };',
      'return { status, value };',
    ],
    'an error has the token that the service sent back': [
      ".replaceAll(transport.token, '[token]')",
      '',
    ],
    'an attempt may take for ever': [
      'const expiry = { clock, afterMs: timeoutMs,',
      'const expiry = { clock, afterMs: 1e12,',
    ],
    'an attempt that takes too long is an abort': [
      'if (signal.reason === timeIsOver) throw new TimeoutError(timeoutMs, attempt);',
      '',
    ],
    'a body that never ends is waited for': [
      'await untilAborted(attempt.signal, response.text())',
      'await response.text()',
    ],
  }),
  ...faultsOf(`${room}/transport.ts`, ['client.test.ts'], {
    'a redirect is followed with the token': [
      "redirect: 'manual',\n    signal",
      "redirect: 'follow' as 'manual',\n    signal",
    ],
  }),
  ...faultsOf(`${room}/rate-limit-headers.ts`, ['window.test.ts'], {
    'the older names of headers are not read': [
      'readInteger(headers.get(`x-ratelimit-${name}`))',
      'null',
    ],
    'no wait at all is a wait': ['seconds === 0 ? null : seconds * 1000', 'seconds * 1000'],
    'a date is held against this machine’s clock': [
      "readHttpDate(headers.get('date'));\n  if",
      'Date.now();\n  if',
    ],
  }),
  ...faultsOf(`${room}/window.ts`, ['window.test.ts', 'pacing.test.ts'], {
    'what is under way does not count': [
      'this.#reading.remaining - this.#inFlight',
      'this.#reading.remaining',
    ],
    'all go at once while nothing is known': [
      'this.#inFlight < this.#allowance ? 0 : Infinity',
      '0',
    ],
    'what is used up is used on': ['if (available < share) return endsAtMs - nowMs;', ''],
    'the last part of a window goes at once': ['if (available > reserve) return 0;', 'return 0;'],
    'an answer that was overtaken gives back what is spent': [
      'if (isNext || isLater) {',
      'if (before !== this) {',
    ],
    'a refusal does not hold up the others': [
      'this.#block(head.receivedAtMs + retryAfterMs)',
      'void head',
    ],
    'a service whose clock was set back is not believed': ['if (wasSetBack) this.#forget();', ''],
    'a reset that is days away is waited for': [' || resetAtMs - nowMs > longestWindowMs', ''],
    'a request without an answer costs nothing': [
      'if (head === null) this.#takeOne();',
      'if (head === null) void head;',
    ],
    'a service without a limit is paced': ['hasNone ? Infinity : ', ''],
  }),
  ...faultsOf(`${room}/window.ts`, ['window.test.ts'], {
    'clients that were refused come back at once': [
      'untilMs + this.#random() * jitterMs',
      'untilMs',
    ],
    'clients that wait for one reset come back at once': [
      'this.#random() * jitterMs;\n  }\n\n  /** A service',
      '0;\n  }\n\n  /** A service',
    ],
  }),
  ...faultsOf(`${room}/pacing.ts`, ['pacing.test.ts', 'retry.test.ts', 'abort.test.ts'], {
    'requests are not paced': [
      'const delayMs = this.#window.delayMs(nowMs);',
      'const delayMs = 0;',
    ],
    'a request that is let go is not counted': [
      'if (first.isGranted) this.#window.reserve(nowMs);',
      '',
    ],
    'who gave up keeps the turn': [
      'this.#waiters = this.#waiters.filter((each) => each !== waiter);',
      '',
    ],
    'a turn that nobody uses is lost': [
      'if (waiter.isGranted) this.#end(null);\n      else this.#letGo();',
      'this.#letGo();',
    ],
    'who cannot wait so long waits': ['delayMs > 0 && !isTooLong', 'delayMs > 0'],
  }),
  ...faultsOf(`${room}/requests.ts`, ['client.test.ts'], {
    'a path may lead out of the version': ['if (!isPlain) throw', "if (path === '') throw"],
    'an id may be anything': ['Number.isSafeInteger(id) && id > 0', "String(id) !== ''"],
  }),
  ...faultsOf(`${room}/crypto.ts`, ['client.test.ts'], {
    'a symbol may lead to another path': ['encodeURIComponent(symbol)', 'symbol'],
  }),
  ...faultsOf(`${room}/options.ts`, ['client.test.ts'], {
    'a token that cannot be one is said again': [
      "'token must be visible ASCII characters without blanks'",
      '`token must be visible ASCII characters, not ${token}`',
    ],
    'a password in the address is said again': [
      "url?.password ? 'one with a password' : quote(text)",
      'quote(text)',
    ],
  }),
  ...faultsOf(`${room}/abort.ts`, ['abort.test.ts', 'retry.test.ts'], {
    'a call that ended still listens': [
      "parent.removeEventListener('abort', abort)",
      'void parent',
    ],
    'a wait that ended leaves its timer': [
      '  } finally {\n    cancel();\n  }',
      '  } finally {\n    void cancel;\n  }',
    ],
    'a signal that is over is not looked at': ['if (parent.aborted) abort();', ''],
  }),
];
