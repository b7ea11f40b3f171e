import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const faultTests = ['postgres-faults.test.ts'];
const migrationTests = ['migrate-postgres.test.ts'];

/** PostgreSQL that is slow, full, silent or gone, and what a database has to be. */
export const postgresFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/postgres.ts`, faultTests, {
    'any number may wait for a connection': [
      'if (this.#pool.waitingCount >= this.#options.maxWaiting)',
      'if (this.#pool.waitingCount > Infinity)',
    ],
    'who waits for a connection waits without end': [
      'connectionTimeoutMillis: connectTimeoutMs,',
      'connectionTimeoutMillis: connectTimeoutMs * 1000,',
    ],
    'a statement may take for ever': ['statement_timeout: statementTimeoutMs,', ''],
    'a server that is silent is waited for': ['query_timeout: statementTimeoutMs + silenceMs', ''],
    'a read may take for ever, a little at a time': [
      'statementTimeoutMs > 0 ? statementTimeoutMs + silenceMs : null',
      'null',
    ],
    'a silent server keeps the service from stopping': ['setTimeout(cutOff, closeTimeoutMs)', '0'],
    'other writers are waited for without end': ['lock_timeout: lockTimeoutMs,', ''],
    'not to wait is to wait without end': ['Math.max(1, Math.ceil(waitMs))', 'Math.ceil(waitMs)'],
    'two statements of a read see two instants': [
      "'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'",
      "'BEGIN READ ONLY'",
    ],
    'what is mended may have been changed since it was examined': [
      "onSnapshot ? 'REPEATABLE READ' : 'READ COMMITTED'",
      "onSnapshot ? 'READ COMMITTED' : 'READ COMMITTED'",
    ],
    'writers collide where the server is strict by default': [
      '`BEGIN ISOLATION LEVEL ${',
      "onSnapshot === false ? 'BEGIN' : `BEGIN ISOLATION LEVEL ${",
    ],
    'a full disk is forgotten': ['if (isUnwritable(error)) this.#canWrite = false;', ''],
    'a disk is taken for free by a change of nothing': [
      'this.#canWrite || rollback ? operation : marked(operation)',
      'operation',
    ],
    'a server that became a standby is kept': [
      'isBroken = isGone(error) || isReadOnly(error) || connection.isOpen;',
      'isBroken = isGone(error) || connection.isOpen;',
    ],
    'nothing is repeated': ['const writeAttempts = 5;', 'const writeAttempts = 1;'],
    'a reader that stops half-way leaves its transaction open': [
      'client.release(!isWhole);',
      'client.release(false);',
    ],
  }),
  ...faultsOf(`${store}/postgres.ts`, migrationTests, {
    'a server may acknowledge what is not on its disk': [
      '[begin, durably, ...wait]',
      '[begin, ...wait]',
    ],
    'a migration has the time of a statement': ['SET LOCAL statement_timeout = 0; ', ''],
  }),
  ...faultsOf(`${store}/postgres-connection.ts`, faultTests, {
    'a commit whose answer was lost counts as one that failed': [
      "if (end === 'ROLLBACK' || !isGone(error) || isUnsent(error)) throw error;",
      'if (isUnsent(error) || isGone(error) || end) throw error;',
    ],
  }),
  ...faultsOf(`${store}/postgres-faults.ts`, faultTests, {
    'what may be stored is repeated': ['/^(40001|40P01)$/', '/^(40001|40P01|57P01|08006)$/'],
    'a deadlock is not repeated': ['/^(40001|40P01)$/', '/^40001$/'],
    'a lock is a fault of ours': ["|| code === '55P03'", ''],
    'a full disk of the server is a fault of ours': ['/^(53|58)/', '/^58/'],
    'a server that stops is a fault of ours': ['/^(08|57P0|', '/^(08|'],
  }),
  ...faultsOf(`${store}/readiness.ts`, ['postgres-faults.test.ts'], {
    'readiness asks for what one engine has alone': [
      'sql`SELECT version FROM books LIMIT 1`',
      'sql`SELECT next_id FROM id_sequences`',
    ],
  }),
  ...faultsOf(`${store}/migrate-postgres.ts`, migrationTests, {
    'nodes that start together migrate together': [
      'await connection.command(`SELECT pg_advisory_xact_lock(${lockKey})`);',
      '',
    ],
    'a database that is current is migrated': ['if (found === schemaVersion) return;', ''],
    'a newer database is used': ['  refuseNewer(found?.version ?? 0);\n', ''],
    'an old server is used': ['if (major < oldestServer)', 'if (major < 0)'],
    'any encoding is taken': ["if (encoding === 'UTF8') return;", "if (encoding !== '') return;"],
    'that tables cannot be made is a fault of ours': ['throw asUnfit(error);', 'throw error;'],
    'a server without fsync is used without a word': [
      "server?.fsync === 'off'",
      'server === undefined',
    ],
  }),
  ...faultsOf(
    `${store}/migrations/postgres/001-records.ts`,
    [`${store}/migrate-postgres.test.ts`],
    {
      'dates are in the order of a language': [
        `date TEXT COLLATE "C" NOT NULL CHECK (length(date) = 10)`,
        'date TEXT NOT NULL CHECK (length(date) = 10)',
      ],
    },
  ),
  ...faultsOf(`${store}/identity.ts`, ['postgres.test.ts'], {
    'an address is compared in the letters of a language': [
      '${inLowerCase(email)}',
      'lower(${email})',
    ],
  }),
  ...faultsOf('packages/cli/src/import.ts', ['test/postgres-command.test.ts'], {
    'what may be stored is told to be not': [
      '    mayBeStored(error)\n',
      '    error === undefined\n',
    ],
  }),
];
