import Database from 'better-sqlite3';
import { DatabaseError, isDatabaseError } from '../errors.ts';
import type { DatabaseErrorKind } from '../errors.ts';

/**
 * The kind of an error by SQLite's primary result code, and the sentence for the user; null for SQLite's own message.
 * Source: https://sqlite.org/rescode.html.
 */
const kinds: Readonly<Record<string, readonly [kind: DatabaseErrorKind, sentence: string | null]>> =
  {
    BUSY: ['busy', 'Another process is writing to the database: try again when it is done'],
    LOCKED: ['busy', 'Another process is writing to the database: try again when it is done'],
    CANTOPEN: [
      'unavailable',
      'Cannot open the database: its folder is missing or may not be written to',
    ],
    FULL: ['full', 'The disk is full: nothing was written'],
    READONLY: ['readOnly', 'The database may not be written to'],
    IOERR: ['failing', 'The database file cannot be read or written'],
    PROTOCOL: ['failing', 'The database file cannot be read or written'],
    CORRUPT: ['damaged', 'The database file is damaged: restore a backup'],
    NOTADB: ['damaged', 'Cannot open the database: the file is not an SQLite database'],
    CONSTRAINT: ['refused', null],
  };

const fatalKinds: readonly (DatabaseErrorKind | undefined)[] = [
  'unavailable',
  'readOnly',
  'failing',
  'damaged',
];

/** Another process holds the lock that is needed. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 'busy';
}

/** There is no room for the write. Nothing else is wrong: the connection can be used on. */
export function isFull(error: unknown): boolean {
  return kindOf(error) === 'full';
}

/**
 * The disk or the file failed under a connection, which is not to be used again. A page that the disk cannot read
 * counts as damage to SQLite.
 *
 * After a sync that failed nobody knows which pages reached the disk, and the next sync may well succeed without them
 * (https://wiki.postgresql.org/wiki/Fsync_Errors). After an error of another kind, what the connection remembers of
 * the file may be wrong.
 */
export function isFatal(error: unknown): boolean {
  return fatalKinds.includes(kindOf(error));
}

/** What the system or another process does to a file that may well be sound. */
const surroundings = /^(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)$/;

/** SQLite finds the file itself unsound: not its disk, another process or the memory. */
export function isUnsound(error: unknown): error is Error {
  const code = codeOf(error);
  return code !== null && !surroundings.test(code);
}

/** The {@link DatabaseError} for an error of SQLite, or the error itself when it is a fault of the program. */
export function asDatabaseError(error: unknown): unknown {
  // The library checks the folder itself, and has no code for it.
  if (error instanceof TypeError && error.message.startsWith('Cannot open database because'))
    return new DatabaseError('unavailable', error.message, { cause: error });
  const found = kinds[codeOf(error) ?? ''];
  if (found === undefined) return error;
  const [kind, sentence] = found;
  return new DatabaseError(kind, sentence ?? (error as Error).message, { cause: error });
}

/** Runs synchronous work of SQLite and throws its errors as {@link asDatabaseError} has them. */
export function withDatabaseErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error);
  }
}

/** The kind of SQLite's own error, or of one that was converted already. */
function kindOf(error: unknown): DatabaseErrorKind | undefined {
  return isDatabaseError(error) ? error.kind : kinds[codeOf(error) ?? '']?.[0];
}

/** The primary result code: IOERR of `SQLITE_IOERR_FSYNC`; null for an error of anything else. */
function codeOf(error: unknown): string | null {
  return error instanceof Database.SqliteError ? (error.code.split('_')[1] ?? '') : null;
}
