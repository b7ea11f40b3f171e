import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/server/src/store';

/** What holds when the disk fails, is full, or belongs to another process for a while. */
export const storeFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/sqlite.ts`, ['sqlite-faults.test.ts'], {
    'a connection is used on after its disk failed': [
      'this.#isGivenUp = isFatal(error) || connection.inTransaction;',
      'this.#isGivenUp = false;',
    ],
    'a database with another schema is gone on with': [
      'if (connection.schema === schema) return connection;',
      'if (schema !== "") return connection;',
    ],
    'a database in memory is opened anew': [
      "if (this.#options.path !== ':memory:')",
      "if (this.#options.path !== '')",
    ],
    'the log stays as it is on a full disk': [
      '#noteFull(): void {\n    this.#canWrite = false;\n    this.#foldLog();',
      '#noteFull(): void {\n    this.#canWrite = false;',
    ],
    'the log stays as it is when there is room again': [
      '#noteRecovery(): void {\n    this.#canWrite = true;\n    this.#foldLog();',
      '#noteRecovery(): void {\n    this.#canWrite = true;',
    ],
    'a full disk is forgotten at once': [
      '#noteFull(): void {\n    this.#canWrite = false;',
      '#noteFull(): void {',
    ],
    'a write that writes nothing proves that the disk takes writes': [
      'this.#canWrite ? operation : marked(operation, this.schemaVersion)',
      'operation',
    ],
  }),
  ...faultsOf(`${room}/sqlite.ts`, ['prove/f03-failing-disk.test.ts'], {
    'a commit that was refused is left in the log': [
      'this.#overwriteRefused();',
      'this.#canWrite = false;',
    ],
  }),
  ...faultsOf(`${room}/sqlite-connection.ts`, ['open-store.test.ts'], {
    'who meets another at a new file gives up': ['performance.now() >= end', 'end > 0'],
  }),
  ...faultsOf(`${room}/sqlite-connection.ts`, ['sqlite-faults.test.ts'], {
    'a file that is gone is made anew': ['fileMustExist: mustExist', 'fileMustExist: false'],
    'a statement blocks for another process': [
      'this.#schema = readSchema(this.database);\n      this.#setBusyTimeout(0);',
      'this.#schema = readSchema(this.database);',
    ],
  }),
  ...faultsOf(`${room}/sqlite-connection.ts`, ['prove/f02-power-cuts.test.ts'], {
    'commits are not synced': [
      "database.pragma('synchronous = FULL');\n  if (database.pragma('synchronous', { simple: true }) !== 2) {",
      "database.pragma('synchronous = NORMAL');\n  if (database.pragma('synchronous', { simple: true }) !== 1) {",
    ],
  }),
  ...faultsOf(`${room}/store.ts`, ['prove/f02-power-cuts.test.ts'], {
    'an import is acknowledged before it is stored': [
      'engine.write(() => importEntries(bookId, plan, dialect), { rollback: plan.dryRun }),',
      `engine.write(() => importEntries(bookId, plan, dialect), { rollback: true }).then((summary) => {
        setTimeout(() => void engine.write(() => importEntries(bookId, plan, dialect)), 1);
        return summary;
      }),`,
    ],
  }),
  ...faultsOf(`${room}/lock-queue.ts`, ['lock-queue.test.ts'], {
    'who comes last tries first': [
      'if (this.#waiting.length === 0 && attempt())',
      'if (attempt())',
    ],
    'who waits long is turned away with who does not': [
      'if (waiting.deadlineMs <= nowMs)',
      'if (waiting.deadlineMs <= nowMs + 1e9)',
    ],
  }),
  ...faultsOf(`${room}/readiness.ts`, ['sqlite-faults.test.ts'], {
    'a store that cannot write is ready': [
      'canWrite: canRead && engine.canWrite',
      'canWrite: canRead',
    ],
    'nobody tries whether the disk takes writes again': [
      'if (canRead && !engine.canWrite)',
      "if (process.title === '')",
    ],
  }),
];
