import { DatabaseError } from '../errors.ts';
import type { DatabaseErrorKind } from '../errors.ts';

/** The code of an error: a SQLSTATE from the server, a name such as `ECONNRESET` from the socket, or empty. */
function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** The driver's messages for a lost connection or a server that does not respond. They have no code. */
const lostPattern = /^(Connection terminated|Client (was|has)|Query read timeout)/;

/**
 * True if the connection is lost or the server does not respond: class 08 (connection), 57P01 to 57P05 (shut down,
 * crashed, starting up), 25P03 and 25P04 (idle or open for too long, which ends the connection), 53300 (too many
 * connections), or an error of the socket. Source: PostgreSQL manual, appendix A.
 */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== '')
    return /^(08|57P0|25P0[34]$|53300$|E[A-Z]+$|ERR_(SSL|STREAM|SOCKET)_)/.test(code);
  return error instanceof Error && lostPattern.test(error.message);
}

/** True if the connection was lost before the statement was sent, so the server has not seen it. */
export function isUnsent(error: unknown): boolean {
  return codeOf(error) === '' && error instanceof Error && /^Client (was|has)/.test(error.message);
}

/**
 * True if the server rolled back the transaction because of another one, and repeating it may succeed: serialization
 * failure or deadlock. Source: PostgreSQL manual, 13.5.
 */
export function isWorthRepeating(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error));
}

/** True if the server is read-only, as after a failover. A new connection may reach a server that accepts writes. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** True if the server cannot write: it is read-only (25006), its disk is full (53100) or its disk fails (58030). */
export function isUnwritable(error: unknown): boolean {
  return /^(25006|53100|58030)$/.test(codeOf(error));
}

/**
 * A constraint forbids the row (class 23), or a column's type cannot hold its value (class 22): too long, out of range,
 * not a date, not in the encoding, or not a number. Other codes of class 22 mean that the statement is wrong.
 */
const refusedPattern = /^(23|22(001|003|007|008|021|P02|P05)$)/;

/** Returns the {@link DatabaseError} for an error of the driver. Returns a programming error unchanged. */
export function asDatabaseError(error: unknown): unknown {
  const found = reasonOf(error, codeOf(error));
  return found === null ? error : new DatabaseError(...found, { cause: error });
}

function reasonOf(error: unknown, code: string): [DatabaseErrorKind, string] | null {
  if (isWorthRepeating(error) || code === '55P03')
    return ['busy', 'Timed out while other writers held the lock'];
  if (isGone(error)) return ['unavailable', 'The connection to the database was lost'];
  if (isReadOnly(error))
    return ['readOnly', 'The database server accepts no writes: it is a standby'];
  if (code === '57014') return ['unavailable', 'A database statement timed out'];
  const { message } = Object(error) as Error;
  if (refusedPattern.test(code)) return ['refused', message];
  // Out of disk space, memory or another resource; an error of the server's disk.
  if (code === '53100') return ['full', `The database server failed: ${message}`];
  if (code.startsWith('58')) return ['failing', `The database server failed: ${message}`];
  return code.startsWith('53') ? ['unavailable', `The database server failed: ${message}`] : null;
}
