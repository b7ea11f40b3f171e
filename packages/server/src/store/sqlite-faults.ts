import Database from 'better-sqlite3';

/** Another process holds the lock that is needed. */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^SQLITE_BUSY/);
}

/** There is no room for the write. Nothing else is wrong: the connection can be used on. */
export function isFull(error: unknown): boolean {
  return hasCode(error, /^SQLITE_FULL/);
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
  return hasCode(error, /^SQLITE_(IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PROTOCOL)/);
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return error instanceof Database.SqliteError && codes.test(error.code);
}
