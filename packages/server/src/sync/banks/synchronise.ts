import { randomUUID } from 'node:crypto';
import { addDays, dayOf } from '@coffer/core/dates';
import { changing } from '../../book/change.ts';
import { endLease, holdsLease, takeLease, type Lease } from '../../book/leases.ts';
import type { Engine } from '../../db/engine.ts';
import { connections } from '../../db/tables/tables.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { connectionLease, findConnection, updateAccounts, type Connection } from './actions.ts';
import type { BankReader } from './bank-reader.ts';
import type { BankProvider, DayRange } from './rules.ts';
import { saveReading, type SavedReading } from './save-reading.ts';

/** What to read, and how. */
export interface SyncOptions {
  readonly engine: Engine;
  readonly reader: BankReader;
  readonly connection: Connection;
  /** Default: the days since the last reading, or the last sixty. */
  readonly range: DayRange | null;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether transactions that a user deleted, or moved to another account, are stored again. Default: false. */
  readonly keepsGone?: boolean;
}

/** Bridges refuse longer ranges. */
const mostDays = 60;
/** Entries change for some days after they appear. */
const overlapDays = 14;
/** Ranges of one request: about four years. */
const mostRanges = 25;
/** Longer than one reading. */
const leaseMs = 60_000;
const holder = randomUUID();

/**
 * Reads a connection and stores what it returned: one change for each range of at most sixty days.
 *
 * Returns null when another node is reading it, or when it no longer exists. Rejects with CryptoRefreshError when the
 * bridge cannot be read; when it refused the client, the connection and its accounts get the status `relink`.
 */
export async function synchronise(options: SyncOptions): Promise<SavedReading | null> {
  const { engine, connection } = options;
  const name = connectionLease(connection);
  const total = { added: 0, changed: 0, withdrawn: 0, problems: new Set<string>() };
  for (const range of rangesOf(options)) {
    const lease = await engine.write(() => takeLease(name, holder, leaseMs));
    if (lease === null) return null;
    try {
      const saved = await readRange(options, lease, range);
      if (saved === null) return null;
      total.added += saved.added;
      total.changed += saved.changed;
      total.withdrawn += saved.withdrawn;
      for (const problem of saved.problems) total.problems.add(problem);
    } finally {
      await engine.write(() => endLease(lease)).catch(() => undefined);
    }
  }
  return { ...total, problems: [...total.problems] };
}

async function readRange(
  { engine, reader, connection, keepsGone }: SyncOptions,
  lease: Lease,
  range: DayRange,
): Promise<SavedReading | null> {
  const { book_id: bookId, id, provider, sealed_credentials: sealedCredentials } = connection;
  const cause = { bookId, actor: `connection ${id}`, operation: 'sync' };
  const request = { bookId, provider: provider as BankProvider, sealedCredentials, range };
  const reading = await reader.read(request).catch(async (error: unknown) => {
    if (error instanceof CryptoRefreshError && error.reason === 'refused')
      await noteRefusal(engine, connection);
    throw error;
  });
  return engine.write(() =>
    changing(cause, function* (change) {
      const current = yield* findConnection(bookId, id);
      if (current === undefined || !(yield* holdsLease(lease))) return null;
      return yield* saveReading(change, current, reading, range, keepsGone);
    }),
  );
}

async function noteRefusal(engine: Engine, { book_id: bookId, id }: Connection): Promise<void> {
  const cause = { bookId, actor: `connection ${id}`, operation: 'sync' };
  await engine.write(() =>
    changing(cause, function* (change) {
      const current = yield* findConnection(bookId, id);
      if (current === undefined) return;
      yield* updateAccounts(change, current, { status: 'relink' });
      yield* change.update(connections, current, { status: 'relink' });
    }),
  );
}

/** Divides the days to read into ranges, the oldest first. */
function rangesOf({ range, connection, nowMs }: SyncOptions): DayRange[] {
  const today = dayOf(nowMs);
  const last = connection.last_read?.slice(0, 10);
  // A reading in the future was made before the clock went back: when the last one was is unknown.
  const isKnown = last !== undefined && last <= today;
  const since = isKnown ? addDays(last, -overlapDays) : addDays(today, 1 - mostDays);
  const { from, to } = range ?? { from: since, to: today };
  const ranges: DayRange[] = [];
  for (let end = to; end >= from && ranges.length < mostRanges;) {
    const start = addDays(end, 1 - mostDays);
    ranges.unshift({ from: start > from ? start : from, to: end });
    end = addDays(start, -1);
  }
  return ranges;
}
