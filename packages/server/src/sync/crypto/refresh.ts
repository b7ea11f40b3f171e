import { randomUUID } from 'node:crypto';
import { changing } from '../../book/change.ts';
import type { Cause } from '../../book/change.ts';
import { endLease, holdsLease, takeLease } from '../../book/leases.ts';
import type { Lease } from '../../book/leases.ts';
import type { CryptoReader } from './reader.ts';
import type { Engine } from '../../db/engine.ts';
import { DatabaseError } from '../../db/errors.ts';
import { cryptoAccounts } from '../../db/tables/tables.ts';
import { rememberPrices } from '../prices/actions.ts';
import type { Book } from '../../operations/caller.ts';
import { balancesOf, findAccount, leaseName, saveReading } from './actions.ts';
import type { CryptoAccountRow, CryptoBalanceRow } from './actions.ts';
import { accountToWire, statusAfter } from './rules.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import type { CryptoBalance } from '../prices/holding.ts';
import type { SyncedCryptoAccount } from './schema.ts';

/** The options of a refresh. */
export interface RefreshOptions {
  readonly engine: Engine;
  readonly reader: CryptoReader;
  readonly book: Book;
  readonly id: number;
  readonly cause: Cause;
}

/** Longer than a reading: five seconds for the provider, five for the prices, and time to store them. */
const leaseMs = 15_000;
const pollMs = 50;

/** The name of this process in the leases of a database, so that it can take over one that it could not end. */
const holders = new WeakMap<Engine, string>();
/** Running refreshes of this process, by database and account. */
const underWay = new WeakMap<Engine, Map<string, Promise<SyncedCryptoAccount | null>>>();
/** The number of nonsense readings in a row in this process. */
const nonsense = new WeakMap<Engine, Map<string, number>>();

/**
 * Reads a synced account from its provider and stores the reading. Resolves to null when the book has no such account.
 *
 * Only one refresh of an account runs at a time on all nodes: refreshes in one process share a reading, and a node
 * waits for the refresh of another node and returns what it stored. When the provider fails, the balances stay, the
 * status changes as in {@link statusAfter}, and the promise rejects with a {@link CryptoRefreshError}.
 */
export function refreshAccount(options: RefreshOptions): Promise<SyncedCryptoAccount | null> {
  const flights = mapOf(underWay, options.engine);
  const key = keyOf(options);
  const flight = flights.get(key) ?? refresh(options).finally(() => flights.delete(key));
  flights.set(key, flight);
  return flight;
}

async function refresh(options: RefreshOptions): Promise<SyncedCryptoAccount | null> {
  const { engine, book, id } = options;
  const before = await engine.read(() => findAccount(book.id, id));
  if (before === undefined) return null;
  const { lease, hasWaited } = await waitForLease(options);
  try {
    const stored = await readStored(options);
    if (stored === null) return null;
    // Another node read the account while this one waited.
    if (hasWaited && stored.account.last_import !== before.last_import)
      return accountToWire(stored.account, stored.balances);
    return await readAndSave(options, lease, stored);
  } finally {
    await engine.write(() => endLease(lease)).catch(() => undefined);
  }
}

interface Stored {
  readonly account: CryptoAccountRow;
  readonly balances: readonly CryptoBalanceRow[];
}

function readStored({ engine, book, id }: RefreshOptions): Promise<Stored | null> {
  return engine.read(function* () {
    const account = yield* findAccount(book.id, id);
    return account === undefined ? null : { account, balances: yield* balancesOf(account) };
  });
}

async function waitForLease(
  options: RefreshOptions,
): Promise<{ lease: Lease; hasWaited: boolean }> {
  const holder = holderOf(options.engine);
  const name = leaseName(options.book.id, options.id);
  const attempts = Math.ceil(leaseMs / pollMs);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const lease = await options.engine.write(() => takeLease(name, holder, leaseMs));
    if (lease !== null) return { lease, hasWaited: attempt > 0 };
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new DatabaseError('busy', 'Another node is reading the account, and takes too long');
}

async function readAndSave(
  options: RefreshOptions,
  lease: Lease,
  { account, balances }: Stored,
): Promise<SyncedCryptoAccount | null> {
  const { engine, reader, book, cause } = options;
  const failures = mapOf(nonsense, engine);
  let reading;
  try {
    reading = await reader.read({
      bookId: book.id,
      provider: account.provider,
      sealedCredentials: account.sealed_credentials,
      currency: book.primaryCurrency,
      known: balances.map(toBalance),
      nonce: BigInt(lease.number),
    });
    failures.delete(keyOf(options));
  } catch (error) {
    if (await noteFailure(options, lease, error)) throw error;
    return null;
  }
  return engine.write(() =>
    changing(cause, function* (change) {
      const current = yield* findAccount(book.id, account.id);
      if (current === undefined) return null;
      const isOurs = yield* holdsLease(lease);
      const saved = isOurs ? yield* saveReading(change, current, reading) : current;
      yield* rememberPrices(book.primaryCurrency, reading.prices ?? []);
      return accountToWire(saved, yield* balancesOf(saved));
    }),
  );
}

/** Resolves to whether the account still exists. Never rejects: the caller reports the error of the provider. */
async function noteFailure(
  options: RefreshOptions,
  lease: Lease,
  error: unknown,
): Promise<boolean> {
  const { engine, book, id, cause } = options;
  const failures = mapOf(nonsense, engine);
  const isNonsense = error instanceof CryptoRefreshError && error.reason === 'nonsense';
  const inARow = isNonsense ? (failures.get(keyOf(options)) ?? 0) + 1 : 0;
  failures.set(keyOf(options), inARow);
  const status = error instanceof CryptoRefreshError ? statusAfter(error.reason, inARow) : null;
  try {
    return await engine.write(() =>
      changing(cause, function* (change) {
        const account = yield* findAccount(book.id, id);
        if (account === undefined) return false;
        if (status !== null && (yield* holdsLease(lease)))
          yield* change.update(cryptoAccounts, account, { status });
        return true;
      }),
    );
  } catch {
    return true;
  }
}

function holderOf(engine: Engine): string {
  const holder = holders.get(engine) ?? randomUUID();
  holders.set(engine, holder);
  return holder;
}

function toBalance(row: CryptoBalanceRow): CryptoBalance {
  return {
    symbol: row.symbol,
    name: row.name,
    quantity: row.quantity,
    coingeckoId: row.coingecko_id,
    toBase: row.to_base,
    priceAsOfIso: row.price_as_of,
  };
}

function keyOf({ book, id }: Pick<RefreshOptions, 'book' | 'id'>): string {
  return `${book.id}/${id}`;
}

function mapOf<T>(maps: WeakMap<Engine, Map<string, T>>, engine: Engine): Map<string, T> {
  const known = maps.get(engine) ?? new Map<string, T>();
  maps.set(engine, known);
  return known;
}
