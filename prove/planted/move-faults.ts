import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const refusals = ['move-refusals.test.ts'];
const moves = ['move.test.ts'];

/** A database that goes from one engine to the other: all of it, unchanged, or nothing. */
export const moveFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/move-rows.ts`, refusals, {
    'an amount is moved as what is near': ['Number.isSafeInteger(value)', 'true'],
    'writers are let in while a database is moved': ['yield* catalog.keepWritersOut(tables);', ''],
  }),
  ...faultsOf(`${store}/move-rows.ts`, moves, {
    'the last row of a chunk is passed over': [
      'yield new Emit<Piece>({ step, table, rows: found });',
      'yield new Emit<Piece>({ step, table, rows: found.slice(0, 999) });',
    ],
  }),
  ...faultsOf(`${store}/move.ts`, refusals, {
    'rows are not compared': [
      'this.#note(await compareRows(this.#target, pair, rows));',
      'await compareRows(this.#target, pair, rows);',
    ],
    'what differs is taken for what was moved': [
      'if (this.#differences.length > 0) throw',
      'if (this.#differences.length > 99) throw',
    ],
    'a move does not stop': ['this.#options.signal?.throwIfAborted();', ''],
    'a database is moved onto itself': ['refuseSame(from, to);', ''],
  }),
  ...faultsOf(`${store}/move.ts`, moves, {
    'ids are given twice after a move': [
      'Math.max(last + 1, nextIds.get(table) ?? 1)',
      'nextIds.get(table) ?? 1',
    ],
  }),
  ...faultsOf(`${store}/move-compare.ts`, refusals, {
    'a row that is missing is not missed': [
      'return [`${nameRow(table, each)} is missing`];',
      'return [];',
    ],
  }),
  ...faultsOf(`${store}/move-compare.ts`, moves, {
    'bytes are not compared': ['Buffer.compare(one, other) === 0', 'false'],
  }),
  ...faultsOf(`${store}/move-source.ts`, refusals, {
    'a database is moved under its server': [
      "lockDatabase(path, 'restore', 0)",
      "lockDatabase(path, 'command', 0)",
    ],
    'a PostgreSQL database is moved under its servers': ['await engine.read(refuseServers);', ''],
    'tables are made in a database that is to be moved': [
      "throw new MoveError('The source is no database of Coffer');",
      'await migratePostgres(engine);',
    ],
    'tables are made in a file of another program': ['examined(() => refuseForeign(path));', ''],
    'the writers of a source come in before the target is whole': [
      "isServer ? ahead(found, ({ step }) => step === 'end') : found",
      'isServer ? ahead(found, () => false) : found',
    ],
  }),
  ...faultsOf(`${store}/move-postgres-catalog.ts`, refusals, {
    'a PostgreSQL database is written to while it is moved': [
      'IN SHARE MODE',
      'IN ACCESS SHARE MODE',
    ],
    'an idle session of a move is ended': ["'idle_in_transaction_session_timeout', ", ''],
  }),
  ...faultsOf(`${store}/move-postgres-catalog.ts`, moves, {
    'the next id is one too low': ['THEN s.last_value + q.seqincrement', 'THEN s.last_value'],
  }),
  ...faultsOf(`${store}/move-sqlite-catalog.ts`, moves, {
    'ids of rows that are gone are given again': ['if (next > 1)', 'if (next > 1e9)'],
    'a sequence is kept as a float': ['CAST(${next - 1} AS INTEGER)', '${next - 1}'],
    'generated columns are written': ['c.hidden IN (2, 3)', '0'],
  }),
  ...faultsOf(`${store}/move-to-postgres.ts`, refusals, {
    'two databases are moved into one': ['await connection.run(refuseRecords(tables));', ''],
    'a NUL is told by the server alone': ["!value.includes('\\0')", 'true'],
  }),
  ...faultsOf(`${store}/move-to-postgres.ts`, moves, {
    'indexes are lost on the way': [
      'for (const { make } of suspended.toReversed())',
      'for (const { make } of [])',
    ],
    'a new database is planned blindly': [
      'await connection.command(`ANALYZE ${namesOf(tables)}`);',
      '',
    ],
  }),
  ...faultsOf(`${store}/move-to-sqlite.ts`, refusals, {
    'a file that came meanwhile is moved over': [
      'linkSync(temporary, file);',
      'rmSync(file); linkSync(temporary, file);',
    ],
    'rows that point nowhere are moved': [
      'complete: () => settled(() => refuseLost(connection))',
      'complete: () => settled(() => undefined)',
    ],
    'what a move has left stays': [
      "for (const end of ['', '-journal', '-wal', '-shm'])",
      'for (const end of [])',
    ],
  }),
  ...faultsOf('packages/cli/src/move.ts', ['move.test.ts'], {
    'a move is ended without tidying up': ['process.once(signal, stop);', ''],
    'a database that is misspelt is made': [
      "from.engine === 'sqlite' && !existsSync(from.path)",
      'false',
    ],
  }),
  ...faultsOf(`${store}/migrate.ts`, ['packages/cli/src/move.test.ts'], {
    'a full disk is told as a fault of ours': [
      '    rollBack(engine);',
      "    engine.execute('ROLLBACK');",
    ],
  }),
];
