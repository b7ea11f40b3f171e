import { DatabaseError } from '../errors.ts';
import type { DatabaseErrorKind } from '../errors.ts';

/** An error of the server carries a SQLSTATE, one of the socket a name such as `ECONNRESET`; the driver's neither. */
function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** The driver's own words for a connection that is lost, or whose server says nothing. */
const lostPattern = /^(Connection terminated|Client (was|has)|Query read timeout)/;

/**
 * The connection or the server is gone, or silent: class 08 (connection), 57P01 to 57P05 (shut down, crashed, starting
 * up), 25P03 and 25P04 (idle or open for too long, which ends the connection), 53300 (too many connections), or a fault
 * of the socket. Source: PostgreSQL manual, appendix A.
 */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== '')
    return /^(08|57P0|25P0[34]$|53300$|E[A-Z]+$|ERR_(SSL|STREAM|SOCKET)_)/.test(code);
  return error instanceof Error && lostPattern.test(error.message);
}

/** The connection was lost before the statement was sent: the server has not seen it. */
export function isUnsent(error: unknown): boolean {
  return codeOf(error) === '' && error instanceof Error && /^Client (was|has)/.test(error.message);
}

/**
 * The server took the transaction back because of another one, and the same may succeed at once: serialization failure
 * or deadlock. Source: PostgreSQL manual, 13.5.
 */
export function isWorthRepeating(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error));
}

/** The server takes no writes any more, as after a failover: another connection may lead to one that does. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** The server takes no writes, because it may not (25006), has no room (53100) or its disk fails (58030). */
export function isUnwritable(error: unknown): boolean {
  return /^(25006|53100|58030)$/.test(codeOf(error));
}

/**
 * A constraint forbids the row (class 23), or a column's type cannot hold its value: too long, out of range, no date,
 * no character of the database's encoding, or no number (class 22). Other codes of class 22 are faults of a statement.
 */
const refusedPattern = /^(23|22(001|003|007|008|021|P02|P05)$)/;

/** The {@link DatabaseError} for an error of the driver, or the error itself when it is a fault of the program. */
export function asDatabaseError(error: unknown): unknown {
  const found = reasonOf(error, codeOf(error));
  return found === null ? error : new DatabaseError(...found, { cause: error });
}

function reasonOf(error: unknown, code: string): [DatabaseErrorKind, string] | null {
  if (isWorthRepeating(error) || code === '55P03')
    return ['busy', 'Other writers were in the way for too long'];
  if (isGone(error)) return ['unavailable', 'The connection to the database broke'];
  if (isReadOnly(error))
    return ['readOnly', 'The database server takes no writes: it is a standby'];
  if (code === '57014') return ['unavailable', 'The database took too long'];
  const { message } = Object(error) as Error;
  if (refusedPattern.test(code)) return ['refused', message];
  // Out of room, memory or another resource; a fault of the server's disk.
  if (code === '53100') return ['full', `The database server failed: ${message}`];
  if (code.startsWith('58')) return ['failing', `The database server failed: ${message}`];
  return code.startsWith('53') ? ['unavailable', `The database server failed: ${message}`] : null;
}
