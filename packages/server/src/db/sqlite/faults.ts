import Database from 'better-sqlite3';
import { DatabaseError, isDatabaseError } from '../errors.ts';
import type { DatabaseErrorKind } from '../errors.ts';

/**
 * The kind of error and the message for each primary result code of SQLite. Null: use SQLite's own message.
 * Source: https://sqlite.org/rescode.html.
 */
const kinds: Readonly<Record<string, readonly [kind: DatabaseErrorKind, sentence: string | null]>> =
  {
    BUSY: ['busy', 'Another process is writing to the database: try again when it has finished'],
    LOCKED: ['busy', 'Another process is writing to the database: try again when it has finished'],
    CANTOPEN: ['unavailable', 'Cannot open the database: its folder is missing or not writable'],
    FULL: ['full', 'The disk is full: nothing was written'],
    READONLY: ['readOnly', 'The database is not writable'],
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

/** True if another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return kindOf(error) === 'busy';
}

/** True if the disk is full. The connection can still be used. */
export function isFull(error: unknown): boolean {
  return kindOf(error) === 'full';
}

/**
 * True if the disk or the file failed, so that the connection must not be used again. SQLite also reports a page that
 * the disk cannot read as damage.
 *
 * After a failed sync it is unknown which pages reached the disk, and the next sync may succeed without them
 * (https://wiki.postgresql.org/wiki/Fsync_Errors). After other errors, the connection's cache of the file may be wrong.
 */
export function isFatal(error: unknown): boolean {
  return fatalKinds.includes(kindOf(error));
}

/** Errors that the system or another process causes, while the file may be intact. */
const surroundings = /^(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)$/;

/** True if the file itself is damaged or invalid. False for errors of the disk, another process or the memory. */
export function isUnsound(error: unknown): error is Error {
  const code = codeOf(error);
  return code !== null && !surroundings.test(code);
}

/** Returns the {@link DatabaseError} for an error of SQLite. Returns a programming error unchanged. */
export function asDatabaseError(error: unknown): unknown {
  // better-sqlite3 checks the folder itself and throws an error without a code.
  if (error instanceof TypeError && error.message.startsWith('Cannot open database because'))
    return new DatabaseError('unavailable', error.message, { cause: error });
  const found = kinds[codeOf(error) ?? ''];
  if (found === undefined) return error;
  const [kind, sentence] = found;
  return new DatabaseError(kind, sentence ?? (error as Error).message, { cause: error });
}

/** Runs synchronous work of SQLite and converts its errors with {@link asDatabaseError}. */
export function withDatabaseErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error);
  }
}

/** The kind of an error of SQLite, converted or not. */
function kindOf(error: unknown): DatabaseErrorKind | undefined {
  return isDatabaseError(error) ? error.kind : kinds[codeOf(error) ?? '']?.[0];
}

/** The primary result code, such as IOERR for `SQLITE_IOERR_FSYNC`; null for an error that is not SQLite's. */
function codeOf(error: unknown): string | null {
  return error instanceof Database.SqliteError ? (error.code.split('_')[1] ?? '') : null;
}
