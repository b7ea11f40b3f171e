import { randomUUID } from 'node:crypto';
import { changing, type Change, type Cause } from '../../book/change.ts';
import { forgetLease, cryptoLeasesOf, endLease, holdsLease, takeLease } from '../../book/leases.ts';
import type { Lease } from '../../book/leases.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { DatabaseError } from '../../db/errors.ts';
import { find, select } from '../../db/rows.ts';
import type { Row } from '../../db/table.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { ownerOf } from '../../identity/users/actions.ts';
import { keepHistory } from '../../ledger/balance-history/actions.ts';
import { primaryCurrencyOf } from '../../ledger/currencies/actions.ts';
import type { Book } from '../../operations/caller.ts';
import { only } from '../../operations/schema.ts';
import { CryptoRefreshError } from '../../outside/provider-error.ts';
import { rememberPrices } from '../prices/actions.ts';
import type { CryptoReader } from './reader.ts';
import { accountToWire, statusAfter, type CryptoReading } from './rules.ts';
import type { SyncedCryptoAccount } from './schema.ts';

export type CryptoAccountRow = Row<typeof cryptoAccounts>;
export type CryptoBalanceRow = Row<typeof cryptoBalances>;

/** A connection to create. */
export type NewCryptoAccount = Pick<
  CryptoAccountRow,
  'provider' | 'display_name' | 'sealed_credentials'
>;

/** Returns the name of the lease that a refresh of an account needs. */
export function leaseName(bookId: number, id: number): string {
  return `${cryptoLeasesOf(bookId)}${id}`;
}

/** Returns the account of the book, or undefined. */
export function* findAccount(bookId: number, id: number): Steps<CryptoAccountRow | undefined> {
  return yield* find(cryptoAccounts, { book_id: bookId, id });
}

/** Returns the balances of an account by symbol. */
export function* balancesOf({ book_id, id }: CryptoAccountRow): Steps<CryptoBalanceRow[]> {
  return yield* select(cryptoBalances, { book_id, account_id: id });
}

/** Returns the accounts of a book by id, each with its balances by symbol. */
export function* listAccounts(bookId: number): Steps<SyncedCryptoAccount[]> {
  const accounts = yield* select(cryptoAccounts, { book_id: bookId });
  const balances = yield* select(cryptoBalances, { book_id: bookId });
  const ofAccount = Map.groupBy(balances, ({ account_id }) => account_id);
  return accounts.map((account) => accountToWire(account, ofAccount.get(account.id) ?? []));
}

/** Stores a new connection, created by the user of the book, and returns the account's id. */
export function linkCryptoAccount(
  engine: Engine,
  bookId: number,
  account: NewCryptoAccount,
): Promise<number> {
  const cause = { bookId, actor: 'command', operation: 'crypto add' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const { id } = yield* change.insert(cryptoAccounts, {
        ...account,
        status: 'initializing',
        created_by_name: yield* ownerOf(bookId),
      });
      return id;
    }),
  );
}

/**
 * Replaces the balances of an account by those of a reading, and makes the account active. A reading that is not newer
 * than the stored one changes nothing.
 */
export function* saveReading(
  change: Change,
  account: CryptoAccountRow,
  { readAtIso, balances }: CryptoReading,
): Steps<CryptoAccountRow> {
  if (account.last_import !== null && account.last_import >= readAtIso) return account;
  const known = new Map((yield* balancesOf(account)).map((each) => [each.symbol, each]));
  for (const balance of balances) {
    const columns = { ...balance, account_id: account.id, read_at: readAtIso };
    const before = known.get(balance.symbol);
    if (before === undefined) yield* change.insert(cryptoBalances, columns);
    else yield* change.update(cryptoBalances, before, columns);
    known.delete(balance.symbol);
  }
  yield* change.removeAll(cryptoBalances, [...known.values()]);
  return yield* change.update(cryptoAccounts, account, {
    status: 'active',
    last_import: readAtIso,
  });
}

/**
 * Deletes an account with its balances and its credentials; false when the book has no such account. Its history of
 * balances is kept.
 */
export function unlinkCryptoAccount(engine: Engine, bookId: number, id: number): Promise<boolean> {
  const cause = { bookId, actor: 'command', operation: 'crypto remove' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const account = yield* findAccount(bookId, id);
      if (account === undefined) return false;
      const { provider: name, display_name } = account;
      const details = { name, display_name, account_type: 'cryptocurrency' };
      yield* keepHistory(change, { kind: 'crypto_synced', id }, details);
      yield* change.removeAll(cryptoBalances, yield* balancesOf(account));
      yield* change.remove(cryptoAccounts, account);
      yield* forgetLease(leaseName(bookId, id));
      return true;
    }),
  );
}

/** The options of a refresh. */
interface RefreshOptions {
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

/** The columns that a reader knows of a balance. */
const knownColumns = [
  'symbol',
  'name',
  'quantity',
  'coingecko_id',
  'to_base',
  'price_as_of',
] as const;

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
      known: balances.map((row) => only(row, knownColumns)),
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
      // The primary currency may have changed while the provider was asked.
      const isInCurrency = (yield* primaryCurrencyOf(book.id)) === book.primaryCurrency;
      const read = isInCurrency
        ? reading
        : { ...reading, balances: withoutValues(reading.balances) };
      const saved = isOurs ? yield* saveReading(change, current, read) : current;
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

function withoutValues(balances: CryptoReading['balances']): CryptoReading['balances'] {
  return balances.map((balance) => ({ ...balance, to_base: null, price_as_of: null }));
}

function keyOf({ book, id }: Pick<RefreshOptions, 'book' | 'id'>): string {
  return `${book.id}/${id}`;
}

function mapOf<T>(maps: WeakMap<Engine, Map<string, T>>, engine: Engine): Map<string, T> {
  const known = maps.get(engine) ?? new Map<string, T>();
  maps.set(engine, known);
  return known;
}
