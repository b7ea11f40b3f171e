import { faultsOf, type PlantedFault } from './planted-fault.ts';

const http = 'packages/server/src/http';
const records = 'packages/server/src/records';
const store = 'packages/server/src/store';
const authTests = ['auth.test.ts', 'test/spec/5-authentication.test.ts'];
const bodyTests = ['body.test.ts', 'test/spec/bodies.test.ts'];

/** Who may ask, and what may be asked: tokens, parameters, bodies, errors, connections. */
export const accessFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/identity.ts`, ['sqlite.test.ts', 'test/spec/5-authentication.test.ts'], {
    'a revoked token is still good': ['AND k.revoked_at IS NULL', ''],
    'a token never expires': ['(k.expires_at IS NULL OR k.expires_at > ${nowIso})', 'true'],
    'a token is good at the instant it expires': [
      'k.expires_at > ${nowIso}',
      'k.expires_at >= ${nowIso}',
    ],
    'a token of another book can be revoked': [
      'AND book_id = ${bookId} AND revoked_at',
      'AND revoked_at',
    ],
    'a token can be revoked twice': ['AND revoked_at IS NULL RETURNING', 'RETURNING'],
    'tokens of all books are listed': [
      'FROM access_tokens WHERE book_id = ${bookId} ORDER',
      'FROM access_tokens ORDER',
    ],
    'an address in other letters is another user': [
      'lower(u.email) = ${inLowerCase(email)}',
      'u.email = ${email}',
    ],
  }),
  ...faultsOf(`${records}/token.ts`, ['token.test.ts'], {
    'a mistyped token is looked up': [
      'return text.endsWith(checksumOf(text.slice(0, -checksumDigits)));',
      'return true;',
    ],
    'a token is guessable': ['const secretBytes = 32;', 'const secretBytes = 2;'],
  }),
  ...faultsOf(`${http}/auth.ts`, authTests, {
    'of two tokens one is taken': [
      "if (lines.length > 1) throw missingToken('More than one authorization header');",
      '',
    ],
    'the scheme is read in one letter case': ['([^ ]+)$/i', '([^ ]+)$/'],
    'an unknown token is a fault of ours': ['if (identity === null) throw invalidToken();', ''],
    'each request writes the last use': [
      'if (Math.abs(atMs - lastMs) < touchIntervalMs) return;',
      '',
    ],
    'a look-alike is looked up in the store': [
      'if (!isWellFormedToken(token)) throw invalidToken();',
      '',
    ],
  }),
  ...faultsOf(
    `${http}/app.ts`,
    ['routing.test.ts', ...authTests.map((test) => test.replace(/^auth/, 'auth'))],
    {
      'who has no token learns which paths exist': [
        'identify,\n    answerUnrouted(document),',
        'answerUnrouted(document),\n    identify,',
      ],
    },
  ),
  ...faultsOf(`${http}/validation.ts`, ['validation.test.ts', 'test/spec/pagination.test.ts'], {
    'unknown names are passed over': [
      'additionalProperties: false,\n  };',
      'additionalProperties: true as unknown as false,\n  };',
    ],
    'a number may have zeros in front': ['/^(0|-?[1-9][0-9]{0,15})$/', '/^-?[0-9]{1,16}$/'],
    'a number may be rounded': ['Number.isSafeInteger(value) ? value : text', 'value'],
    'a range may end before it begins': [
      '|| start <= end) return [];',
      '|| start.length > 0) return [];',
    ],
    'a name may be sent twice': [
      'sent.problems.length > 0 || sent.repeated.size > 0',
      'sent.problems.length > 0',
    ],
    'dates are not looked at': ['date: isCalendarDate,', 'date: true,'],
    'what cannot be decoded is passed over': ['    ...sent.sent.problems,\n', ''],
  }),
  ...faultsOf(`${http}/quick-check.ts`, ['quick-check.test.ts', 'test/spec/pagination.test.ts'], {
    'a limit has no upper bound': ['(value as number) <= (most as number)', 'most !== null'],
    'a limit has no lower bound': ['(value as number) >= (least as number)', 'least !== null'],
    'a keyword that is not known is passed over': ['document) ?? false;', 'document) ?? true;'],
  }),
  ...faultsOf(`${http}/query-string.ts`, ['query-string.test.ts'], {
    'a name can be one that every object has': [
      'Object.create(null) as Record<string, string>',
      '{} as Record<string, string>',
    ],
    'of a name that is sent twice the last is taken': [
      'repeated.add(name)',
      'values[name] = value',
    ],
    'signs that must be encoded are taken': [
      'if (!allowedPattern.test(text)) return undefined;',
      '',
    ],
  }),
  ...faultsOf(`${http}/calendar.ts`, ['calendar.test.ts'], {
    'every fourth year is a leap year': ['(year % 100 !== 0 || year % 400 === 0)', 'year > 0'],
    'there is a year 0': ['year >= 1 && ', ''],
    'there is a day 0': ['day >= 1 && ', ''],
    'an hour may be 24': ['Number(hour) > 23', 'Number(hour) > 24'],
    'an offset is added instead of taken off': ["sign === '-'", "sign === '+'"],
  }),
  ...faultsOf(`${http}/body.ts`, bodyTests, {
    'a body may be as large as it likes': [
      'if (length > limit) stop(tooLarge());',
      'if (length > Infinity) stop(tooLarge());',
    ],
    'a body that says how large it is is read first': [
      "if (Number(headers['content-length'] ?? 0) > bodyLimitBytes) throw tooLarge();",
      '',
    ],
    'a body may be nested as deep as it likes': [
      'if (isDeeperThan(text, maxDepth))',
      'if (isDeeperThan(text, Infinity))',
    ],
    'a body may be of any type': ['    checkType(headers);\n', ''],
    'a body may be compressed': [" && encoding.toLowerCase() === 'identity'", ''],
    'a body may be in another encoding': ['fatal: true', 'fatal: false'],
    'a body may poison prototypes': ['if (isPoisoned(value))', 'if (value === undefined)'],
    'a body may take for ever': ["stop(new Problem('requestTimeout', { headers: closing }));", ''],
    'a quoted bracket counts as depth': [
      'else if (character === doubleQuote) inString = true;',
      '',
    ],
  }),
  ...faultsOf(`${http}/errors.ts`, ['errors.test.ts', 'test/spec/7-errors.test.ts'], {
    'a fault of ours is told to the caller': [
      "return new Problem('internal');",
      "return new Problem('internal', { details: [{ errMsg: String(error) }] });",
    ],
    'a busy store is a fault of ours': ['^SQLITE_(BUSY|', '^SQLITE_('],
    'a full disk is a fault of ours': ['|FULL|', '|'],
    'a fault of ours is not logged': [
      "request.log.error({ err: error }, 'request failed')",
      'void error',
    ],
    'who is told to come back is not told when': [
      "{ headers: { 'retry-after': retryAfterSeconds } }",
      '{}',
    ],
  }),
  ...faultsOf(`${http}/errors.ts`, ['validation.test.ts'], {
    'an error body lists problems without end': ['details.slice(0, maxDetails)', 'details'],
  }),
  ...faultsOf(`${http}/routing.ts`, ['routing.test.ts', 'hostile.test.ts'], {
    'a request may have two hosts': [
      "if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))",
      'if (hosts > 2)',
    ],
    'a target may have a fragment': ["if (url.includes('#'))", "if (url === '#')"],
    'a wrong method is an unknown path': [
      "done(new Problem('methodNotAllowed', { headers: { allow } }))",
      "done(new Problem('pathNotFound'))",
    ],
  }),
  ...faultsOf(`${http}/server.ts`, ['server.test.ts', 'hostile.test.ts'], {
    'a header may take for ever': ['headersTimeout: limits.headersTimeoutMs', 'headersTimeout: 0'],
    'a header may be as large as it likes': [
      'maxHeaderSize: limits.maxHeaderBytes',
      'maxHeaderSize: 1e7',
    ],
    'connections have no bound': ['server.maxConnections = limits.maxConnections;', ''],
    'a connection that moves no byte stays': ['server.setTimeout(limits.socketTimeoutMs / 2);', ''],
    'a connection may rest for ever': [
      'keepAliveTimeout: limits.keepAliveTimeoutMs',
      'keepAliveTimeout: 0',
    ],
    'an expectation is answered uncounted': [
      "server.on('checkExpectation'",
      "server.on('noExpectation'",
    ],
  }),
  ...faultsOf(`${http}/shutdown.ts`, ['shutdown.test.ts'], {
    'a stopping server cuts answers': ['underWay.size === 0 && ', ''],
    'a stopping server cuts requests that are coming in': [
      ' && socket.bytesRead === settledBytes',
      '',
    ],
    'a stopping server waits for slow clients for ever': [
      '() => server.closeAllConnections()',
      '() => undefined',
    ],
    'a stopping server does not say so': [
      "response.setHeader('Connection', 'close')",
      'void response',
    ],
  }),
];
