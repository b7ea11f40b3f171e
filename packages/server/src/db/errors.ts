/**
 * Why a database operation failed. The kinds are the same for every engine.
 *
 * - `busy`: waiting for other writers timed out.
 * - `unavailable`: the database cannot be reached or opened, or accepts no work at the moment.
 * - `full`: there is no space for the write.
 * - `readOnly`: the database accepts no writes.
 * - `failing`: the disk or the file failed.
 * - `damaged`: the file is not an intact database.
 * - `refused`: the write violates a constraint, or a column's type cannot hold its value. After any other kind the same
 *   work may succeed later; even `damaged` can be caused by a failing disk.
 */
export type DatabaseErrorKind =
  'busy' | 'unavailable' | 'full' | 'readOnly' | 'failing' | 'damaged' | 'refused';

/**
 * A database operation failed. Nothing is stored, unless {@link DatabaseError.mayBeStored} is true.
 *
 * The message is a sentence for the user. The engine's own error is the cause.
 */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  /** True if the connection was lost during a commit, which may or may not be stored. */
  readonly mayBeStored: boolean;

  constructor(
    kind: DatabaseErrorKind,
    message: string,
    { mayBeStored = false, ...options }: ErrorOptions & { mayBeStored?: boolean } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.mayBeStored = mayBeStored;
  }
}

/** True for a DatabaseError of that kind, or of any kind by default. Also for one from another copy of this module. */
export function isDatabaseError(error: unknown, kind?: DatabaseErrorKind): error is DatabaseError {
  if (!(error instanceof Error) || error.name !== 'DatabaseError') return false;
  return kind === undefined || ('kind' in error && error.kind === kind);
}
