/**
 * Why a database did not do its work, in words that are the same for every engine.
 *
 * - `busy`: other writers were in the way for too long.
 * - `unavailable`: the database cannot be reached or opened, or takes no work now.
 * - `full`: there is no room for the write.
 * - `readOnly`: the database takes no writes.
 * - `failing`: the disk or the file failed.
 * - `damaged`: the file is no sound database.
 * - `refused`: the write breaks a constraint, or a column's type cannot hold its value. It is the only kind after which
 *   the same work never succeeds later: a disk that fails can look like damage.
 */
export type DatabaseErrorKind =
  'busy' | 'unavailable' | 'full' | 'readOnly' | 'failing' | 'damaged' | 'refused';

/**
 * The database could not do its work. Nothing of it is stored, unless {@link DatabaseError.mayBeStored} says so.
 *
 * The message is a sentence for the user; the engine's own error is the cause.
 */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly kind: DatabaseErrorKind;
  /** True when the connection broke while a commit was under way: whether it is stored is not known. */
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

/** True for an error of that kind, or of any kind when none is named; also for one of another copy of this module. */
export function isDatabaseError(error: unknown, kind?: DatabaseErrorKind): error is DatabaseError {
  if (!(error instanceof Error) || error.name !== 'DatabaseError') return false;
  return kind === undefined || ('kind' in error && error.kind === kind);
}
