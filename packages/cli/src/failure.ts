/** A command cannot do what it was asked; the message is all that the user sees of it. */
export class Failure extends Error {
  override name = 'Failure';
  /** 1: refused or failed. 2: misuse. */
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was called in a way that it does not take. */
export class Misuse extends Failure {
  override name = 'Misuse';
  constructor(message: string) {
    super(message, 2);
  }
}

/** Errors of other rooms whose messages are for the user, by name: to load their classes is to load the rooms. */
const toldAsIs: ReadonlyMap<string, 1 | 2> = new Map([
  ['ConfigError', 2],
  ['DatabaseInUseError', 1],
  ['EmailTakenError', 1],
  ['MoveError', 1],
  ['NewerDatabaseError', 1],
  ['UnfitServerError', 1],
  ['StoreUnavailableError', 1],
  ['NoBackupError', 1],
]);

/** What a database says by its code, in words that help. */
const databaseFailures: readonly (readonly [code: string, sentence: string])[] = [
  ['SQLITE_BUSY', 'Another process is writing to the database: try again when it is done'],
  ['SQLITE_CANTOPEN', 'Cannot open the database: its folder is missing or may not be written to'],
  ['SQLITE_CORRUPT', 'The database file is damaged: restore a backup'],
  ['SQLITE_FULL', 'The disk is full: nothing was written'],
  ['SQLITE_IOERR', 'The database file cannot be read or written'],
  ['SQLITE_NOTADB', 'Cannot open the database: the file is not an SQLite database'],
  ['SQLITE_READONLY', 'The database may not be written to'],
];

/**
 * Turns an error into what to tell the user, or null for one that is no doing of the user's: a fault of ours.
 */
export function explain(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof Failure) return error;
  const exitCode = toldAsIs.get(error.name);
  if (exitCode !== undefined) return new Failure(error.message, exitCode);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const database = databaseFailures.find(([start]) => code.startsWith(start));
  if (database !== undefined) return new Failure(database[1]);
  if (error.message.startsWith('Cannot open database because')) return new Failure(error.message);
  if ('syscall' in error) return new Failure(explainSystem(code, error));
  return null;
}

function explainSystem(code: string, error: Error): string {
  const { address, port, path } = error as { address?: string; port?: number; path?: string };
  const place = port === undefined ? (address ?? '') : `${address ?? ''}:${port}`;
  if (code === 'EADDRINUSE') {
    return `Cannot listen on ${place}: the port is taken; choose another one by --port`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Cannot listen on ${place}: this user may not use that port; choose one from 1024 on by --port`;
  }
  if (code === 'EADDRNOTAVAIL')
    return `Cannot listen on ${place}: this machine has no such address`;
  if (code === 'ENOTFOUND') return `Cannot find the address of the host: ${error.message}`;
  if (code === 'ENOSPC') return 'The disk is full';
  return path === undefined ? error.message : `Cannot use "${path}": ${error.message}`;
}
