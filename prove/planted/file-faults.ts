import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const ofx = 'packages/statements/src/ofx';
const ofxTests = [
  'ofx.test.ts',
  'ofx-damage.test.ts',
  'ofx-repeats.test.ts',
  'ofx-properties.test.ts',
];
const inStatements = (names: readonly string[]): string[] =>
  names.map((name) => `packages/statements/src/${name}`);

/** Files that come from elsewhere: backups, databases of other programs, statements as markup. */
export const fileFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/backup.ts`, ['backup.test.ts', 'restore.test.ts'], {
    'a backup is not checked': [
      'const contents = examineFile(temporary);',
      'const contents = { schemaVersion: 1, transactions: 0 };',
    ],
    'a backup has no checksum': ['const bytes = sealBackup(temporary);', 'const bytes = 1;'],
    'half a backup stays when it fails': ['removeTemporary(temporary);', ''],
    'everybody may read a backup': ["openSync(to, 'wx', 0o600)", "openSync(to, 'wx', 0o644)"],
    'a newer database is copied': ['refuseNewer(readContents(source).schemaVersion);', ''],
  }),
  ...faultsOf(`${store}/restore.ts`, ['restore.test.ts', 'packages/cli/src/backup.test.ts'], {
    'a damaged backup is restored': ["if (seal === 'changed') throw", 'if (seal === null) throw'],
    'a restore takes the place of a database unasked': [
      'existsSync(target) && !options.replace',
      'false',
    ],
    'a database is restored over itself': [
      'if (isSameFile(file, target)) throw',
      'if (file === null) throw',
    ],
    'what was there before is lost': ['if (existsSync(target)) linkSync(target, aside);', ''],
  }),
  ...faultsOf(
    `${store}/examine-file.ts`,
    ['restore.test.ts', 'backup.test.ts', 'packages/cli/src/backup.test.ts'],
    {
      'a database of another program is restored': [
        'schemaVersion < 1 || tables.some((table) => !found.includes(table))',
        'schemaVersion < 0',
      ],
      'rows that point to nothing are restored': [
        'if (lost === undefined) return contents;',
        'if (tables.length > 0) return contents;',
      ],
      'a file that is cut off is read': ['if (!usesLog && size < bytes)', 'if (size < 0)'],
    },
  ),
  ...faultsOf(`${store}/backup-checksum.ts`, ['restore.test.ts', 'backup.test.ts'], {
    'any checksum fits': [
      "equals(hashOf(file, size)) ? 'intact' : 'changed'",
      "equals(hashOf(file, size)) ? 'intact' : 'intact'",
    ],
  }),
  ...faultsOf(
    `${store}/database-lock.ts`,
    ['database-lock.test.ts', 'packages/cli/src/backup.test.ts'],
    {
      'two servers use one database': ["server: 'BEGIN IMMEDIATE'", "server: 'BEGIN'"],
      'a restore goes on beside a server': ["restore: 'BEGIN EXCLUSIVE'", "restore: 'BEGIN'"],
      'a command goes on beside a restore': ['BEGIN; SELECT count(*) FROM sqlite_schema', 'BEGIN'],
    },
  ),
  ...faultsOf(
    `${store}/migrate.ts`,
    ['sqlite-file.test.ts', 'restore.test.ts', 'open-store.test.ts'],
    {
      'a newer database is opened': [
        'if (found > schemaVersion) throw new NewerDatabaseError(found);',
        '',
      ],
    },
  ),
  ...faultsOf(`${ofx}/markup.ts`, inStatements(['ofx-damage.test.ts', 'hostile.test.ts']), {
    'a document type is taken': [
      "throw new Refusal('Document types and entities are not taken', this.#line);",
      'this.#section = COMMENT;',
    ],
    'a tag may be as long as it likes': ['LONGEST_TAG = 256', 'LONGEST_TAG = 1e9'],
    'a value may be as long as it likes': ['LONGEST_VALUE = 65_536', 'LONGEST_VALUE = 1e9'],
  }),
  ...faultsOf(
    `${ofx}/aggregates.ts`,
    inStatements(['ofx-damage.test.ts', 'ofx-properties.test.ts']),
    {
      'tags may be nested as deep as they like': ['const DEEPEST = 64;', 'const DEEPEST = 1e9;'],
      'a file that is cut is read in half': [
        "if (STRICT.has(name)) this.#problems.add(line, `<${name}>`, null, 'Is never closed');",
        'void name, line;',
      ],
      'an end without a beginning is passed over': [
        "if (STRICT.has(name)) this.#problems.add(line, `</${name}>`, null, 'Closes what is not open');",
        '',
      ],
    },
  ),
  ...faultsOf(`${ofx}/bank-id.ts`, inStatements(['ofx-repeats.test.ts']), {
    'a counter of a file is an id': ['COUNTER.test(fitid) ? null', "fitid === '' ? null"],
    'long ids that begin alike are one': [
      'slice(0, KEPT_OF_LONG_ID)}~${digest}',
      'slice(0, KEPT_OF_LONG_ID)}~',
    ],
  }),
  ...faultsOf(`${ofx}/references.ts`, inStatements(['ofx-damage.test.ts']), {
    'a control character comes out of its number': [
      'return code === 9 || code === 10 || code === 13;',
      'return true;',
    ],
    'half a character comes out of its number': [
      'if (code >= 0xd800 && code <= 0xdfff) return false;',
      '',
    ],
  }),
  ...faultsOf(`${ofx}/amounts.ts`, inStatements(['ofx.test.ts']), {
    'an amount that may be thousands is a guess': [
      'if (doubtful === undefined) continue;',
      'if (sign !== null) continue;',
    ],
  }),
  ...faultsOf('packages/statements/src/ofx.ts', inStatements(ofxTests), {
    'the deletion of an entry is an entry': [
      'if (read?.isDeletion === true)',
      'if (read === undefined)',
    ],
    'an entry that stands in two statements is imported twice': [
      'if (!settle(accountKey(account), account.index, entry)) continue;',
      '',
    ],
    'a file that changes while it is read is read on': ['if (left > 0) throw changed();', ''],
    'a file without a statement is an empty one': [
      'if (first.statements.length === 0) throw',
      'if (first.statements === null) throw',
    ],
  }),
];
