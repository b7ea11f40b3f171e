import { StoreBusyError, StoreUnavailableError } from './engine.ts';

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

/** The connection was lost before the statement was sent, so that the server never saw it. */
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
 * What the store throws for what the driver threw: a {@link StoreBusyError} where another writer was in the way, a
 * {@link StoreUnavailableError} for what the database cannot do now but may do later, anything else as it is.
 */
export function asStoreError(error: unknown): unknown {
  const code = codeOf(error);
  if (isWorthRepeating(error) || code === '55P03')
    return new StoreBusyError('Other writers were in the way for too long', { cause: error });
  const reason = unavailableReason(error, code);
  return reason === null ? error : new StoreUnavailableError(reason, { cause: error });
}

function unavailableReason(error: unknown, code: string): string | null {
  if (isGone(error)) return 'The connection to the database broke';
  if (isReadOnly(error)) return 'The database server takes no writes: it is a standby';
  if (code === '57014') return 'The database took too long';
  // Out of room, memory or another resource; a fault of the server's disk.
  if (/^(53|58)/.test(code)) return `The database server failed: ${(error as Error).message}`;
  return null;
}
