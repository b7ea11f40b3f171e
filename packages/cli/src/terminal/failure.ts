import { printable } from '@coffer/core/text';

/** The command was refused or failed. The user sees only the message. */
export class Failure extends Error {
  override name = 'Failure';
  /** 1: refused or failed. 2: misuse. */
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was called with invalid arguments or settings. */
export class Misuse extends Failure {
  override name = 'Misuse';
  constructor(message: string) {
    super(message, 2);
  }
}

/** Exit codes of errors whose messages are for users, by name: importing the classes would load their code. */
const userErrors: ReadonlyMap<string, 1 | 2> = new Map([
  ['ArchiveError', 1],
  ['ConfigError', 2],
  ['DatabaseInUseError', 1],
  ['EmailTakenError', 1],
  ['FileStoreError', 1],
  ['MoveError', 1],
  ['NewerDatabaseError', 1],
  ['OlderDatabaseError', 1],
  ['UnfitServerError', 1],
  ['NoBackupError', 1],
]);

/** Returns the {@link Failure} to show to the user, or null for a bug in Coffer. */
export function explain(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof Failure) return error;
  const exitCode = userErrors.get(error.name);
  if (exitCode !== undefined) return new Failure(error.message, exitCode);
  if (error.name === 'Problem') return new Failure(refusalOf(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A violated constraint is a bug in Coffer. The messages of all other kinds are for users.
  if (error.name === 'DatabaseError' && (error as { kind?: string }).kind !== 'refused')
    return new Failure(error.message);
  if ('syscall' in error) return new Failure(explainSystem(code, error));
  return null;
}

/** Returns the messages of a change that a rule of a resource refuses. */
function refusalOf(error: Error): string {
  const { details } = error as Error & { readonly details: readonly { errMsg: string }[] };
  return details.map(({ errMsg }) => printable(errMsg)).join('\n');
}

function explainSystem(code: string, error: Error): string {
  const { address, port, path } = error as { address?: string; port?: number; path?: string };
  const place = port === undefined ? (address ?? '') : `${address ?? ''}:${port}`;
  if (code === 'EADDRINUSE') {
    return `Cannot listen on ${place}: the port is in use. Choose another one with --port`;
  }
  if (code === 'EACCES' && port !== undefined) {
    return `Cannot listen on ${place}: your user may not use this port. Choose 1024 or above with --port`;
  }
  if (code === 'EADDRNOTAVAIL')
    return `Cannot listen on ${place}: this computer does not have that address`;
  if (code === 'ENOTFOUND') return `Cannot find the address of the host: ${error.message}`;
  if (code === 'ENOSPC') return 'The disk is full';
  return path === undefined ? error.message : `Cannot use "${path}": ${error.message}`;
}
