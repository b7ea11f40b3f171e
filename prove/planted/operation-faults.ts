import { faultsOf, type PlantedFault } from './planted-fault.ts';

const http = 'packages/server/src/http';
const store = 'packages/server/src/store';

/** What watches over the service, and how it stands when the disk or another process is in the way. */
export const operationFaults: readonly PlantedFault[] = [
  ...faultsOf(`${http}/coffer/probes.ts`, ['probes.test.ts'], {
    'anybody is told what is wrong': [
      '(await isToken(request)) ?',
      '(await isToken(request)) || true ?',
    ],
    'a stopping server is ready': [' && !isStopping)', ')'],
    'a server that cannot write is ready': ['if (canRead && canWrite', 'if (canRead'],
    'anybody may read the metrics': [
      'if (!mayReadMetrics(request, options)) throw',
      'if (request.url === null) throw',
    ],
    'a proxy that nobody trusts lets the world read': [
      'if (isForwarded && !isTold) return false;',
      '',
    ],
    'a probe tells of itself to those who may not read it': [
      "path !== '/metrics' || mayReadMetrics(request, options)",
      'path !== null',
    ],
  }),
  ...faultsOf(
    `${http}/readiness.ts`,
    ['coffer/probes.test.ts'].map((test) => `${http}/${test}`),
    {
      'each probe asks the store': ['const keptMs = 1000;', 'const keptMs = 0;'],
      'a store that says nothing is waited for': [
        'setTimeout(() => resolve(unready), timeoutMs)',
        'setTimeout(() => undefined, timeoutMs)',
      ],
      'questions pile up': ['underWay !== undefined || ', ''],
    },
  ),
  ...faultsOf(`${http}/coffer/token-holders.ts`, ['probes.test.ts'], {
    'tokens can be guessed without a limit': [
      'return taken <= maxLookUpsPerSecond;',
      'return taken > 0;',
    ],
    'a token is good long after it was revoked': ['const keptMs = 1000;', 'const keptMs = 1e9;'],
  }),
  ...faultsOf(`${http}/metrics.ts`, ['metrics.test.ts'], {
    'a caller invents series by methods': [
      'methodIndexes.get(request.method) ?? otherIndex',
      'methodIndexes.get(request.method) ?? Math.random()',
    ],
    'a caller invents series by paths': [
      'const { url } = request.routeOptions;',
      'const { url } = request;',
    ],
    'a request stays in flight': ['this.inFlight -= 1;', ''],
  }),
  ...faultsOf(`${store}/lock-queue.ts`, ['lock-queue.test.ts'], {
    'who does not want to wait waits': ['if (waitMs <= 0) giveUp();', 'if (waitMs < 0) giveUp();'],
    'a newcomer overtakes those who wait': ['this.#waiting.length === 0 && attempt()', 'attempt()'],
    'all are turned away with the first': [
      'if (waiting.deadlineMs <= nowMs) waiting.giveUp();',
      'if (nowMs > 0) waiting.giveUp();',
    ],
    'those who wait are left alone when it closes': [
      'for (const { giveUp } of this.#waiting.splice(0)) giveUp();',
      '',
    ],
    'an error of another kind is taken for a lock': [
      'if (this.#isBusy(error)) return false;',
      'return false;',
    ],
  }),
  ...faultsOf(`${store}/sqlite-faults.ts`, ['sqlite-faults.test.ts'], {
    'a connection is used on after a failed sync': ['/^SQLITE_(IOERR|', '/^SQLITE_('],
    'a connection is used on after the file is damaged': ['|CORRUPT', ''],
    'a full disk gives up the connection': [
      '/^SQLITE_(IOERR|READONLY',
      '/^SQLITE_(FULL|IOERR|READONLY',
    ],
  }),
  ...faultsOf(`${store}/sqlite.ts`, ['sqlite-faults.test.ts'], {
    'another file takes the place of one that is gone': [
      '{ openTimeoutMs: 0, mustExist: true }',
      '{ openTimeoutMs: 0 }',
    ],
    'a database with another schema is gone on with': [
      'if (connection.schema === schema) return connection;',
      'if (connection.schema !== null) return connection;',
    ],
    'a full disk keeps its log': [
      'if (isFull(error)) this.#noteFull();',
      'if (isFull(error)) this.#canWrite = false;',
    ],
    'a write that reaches no disk makes it ready': [
      'this.#canWrite ? operation : marked(operation, this.schemaVersion)',
      'operation',
    ],
  }),
];
