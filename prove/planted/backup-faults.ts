import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';

/** Locks of databases, backups, restores, and migrations. */
export const backupFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/database-lock.ts`, ['database-lock.test.ts'], {
    'a database may have two servers': ["server: 'BEGIN IMMEDIATE'", "server: 'BEGIN'"],
    'a command does not show that it is there': [
      "command: 'BEGIN; SELECT count(*) FROM sqlite_schema'",
      "command: 'BEGIN'",
    ],
    'a link to a database has a lock of its own': ['${realPath(path)}-lock', '${path}-lock'],
    'a lock is left beside what is no database': [
      '(!existsSync(file) && !mayBeDatabase(path))',
      'false',
    ],
    'a journal lies beside the lock': ["'journal_mode = MEMORY'", "'journal_mode = DELETE'"],
  }),
  ...faultsOf(`${store}/backup.ts`, ['backup.test.ts'], {
    'a backup is a copy of the file': [
      "source.prepare('VACUUM INTO ?').run(to);",
      "process.getBuiltinModule('fs').copyFileSync(from, to);",
    ],
    'a backup is not looked at': [
      'const contents = examineFile(temporary);',
      'const contents = { schemaVersion: 2, transactions: 300 };',
    ],
    'a backup has no checksum': ['sealBackup(temporary)', '1'],
    'a backup that failed is left': ['    removeTemporary(temporary);\n', ''],
    'a backup is for everybody': ["'wx', 0o600", "'wx', 0o644"],
    'a database of a newer program is backed up': [
      'refuseNewer(readContents(source).schemaVersion);',
      'readContents(source);',
    ],
  }),
  ...faultsOf(`${store}/examine-file.ts`, ['backup.test.ts', 'restore.test.ts'], {
    'rows that point to nothing are let pass': [
      'if (lost === undefined) return contents;',
      'if (lost !== null) return contents;',
    ],
    'pages that do not fit together are let pass': ["if (said !== 'ok')", "if (said === '')"],
    'a row that could not have been written is let pass': [
      'const database = new Database(path, { fileMustExist: true });',
      'const database = new Database(path, { readonly: true, fileMustExist: true });',
    ],
    'another program’s database is let pass': [
      '|| tables.some((table) => !found.includes(table))',
      '',
    ],
    'a file that was cut off is let pass': ['if (!usesLog && size < bytes)', 'if (size < 0)'],
  }),
  ...faultsOf(`${store}/restore.ts`, ['restore.test.ts'], {
    'a changed backup is let pass': ["if (seal === 'changed')", "if (seal === 'gone')"],
    'a database is replaced unasked': ['existsSync(target) && !options.replace', 'false'],
    'a database is replaced under those who use it': [
      "lockDatabase(target, 'restore', 0)",
      "lockDatabase(':memory:', 'restore', 0)",
    ],
    'other programs may go on with what is replaced': [
      "database.exec('BEGIN EXCLUSIVE; COMMIT');",
      '',
    ],
    'the old log stays in the place of the new one': [
      'for (const end of logs) renameSync(target + end, aside + end);',
      '',
    ],
    'the old database is gone': ['if (existsSync(target)) linkSync(target, aside);', ''],
    'an old database with two names stays so': [
      '  dropOtherNames(target);\n  const aside',
      '  const aside',
    ],
    'a database is restored onto itself': ['if (isSameFile(file, target))', 'if (file === "")'],
  }),
  ...faultsOf(`${store}/migrate.ts`, ['open-store.test.ts'], {
    'a newer database is changed before it is refused': [
      'refuseNewer(database.pragma',
      'void (database.pragma',
    ],
    'a database is migrated without a backup': [
      'if (found > 0 && found < schemaVersion) beforeChange?.(found);',
      '',
    ],
    'a new database is backed up': [
      'if (found > 0 && found < schemaVersion) beforeChange',
      'beforeChange',
    ],
    'a database is migrated twice': [
      'for (const script of migrations.slice(found))',
      'for (const script of migrations.slice(0))',
    ],
    'a migration is done in part': [
      "engine.execute('BEGIN IMMEDIATE', migrationTimeoutMs);",
      "engine.execute('SELECT 1', migrationTimeoutMs);",
    ],
  }),
  ...faultsOf(`${store}/open-store.ts`, ['open-store.test.ts'], {
    'a database is migrated although it cannot be backed up': [
      'throw new NoBackupError(',
      'console.error(',
    ],
    'a migration that failed leaves its backup': [
      'for (const { backup } of done) rmSync(backup, { force: true });',
      '',
    ],
    'a store that is closed keeps its lock': ['      lock.release();\n    };', '    };'],
  }),
];
