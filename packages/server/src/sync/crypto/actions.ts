import type { Change } from '../../book/change.ts';
import { changing } from '../../book/change.ts';
import { forgetLease } from '../../book/leases.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import type { NewRow, Row } from '../../db/table.ts';
import { cryptoAccounts, cryptoBalances } from '../../db/tables/tables.ts';
import { keepHistory } from '../../ledger/balance-history/actions.ts';
import { ownerOf } from '../../identity/users/actions.ts';
import { accountToWire } from './rules.ts';
import type { CryptoProvider, CryptoReading } from './rules.ts';
import type { SyncedCryptoAccount } from './schema.ts';
import { cryptoLeasesOf } from '../../book/leases.ts';

export type CryptoAccountRow = Row<typeof cryptoAccounts>;
export type CryptoBalanceRow = Row<typeof cryptoBalances>;

/** A connection to create. */
export interface NewCryptoAccount {
  readonly provider: CryptoProvider;
  readonly displayName: string | null;
  readonly sealedCredentials: Uint8Array;
}

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
  { provider, displayName, sealedCredentials }: NewCryptoAccount,
): Promise<number> {
  const cause = { bookId, actor: 'command', operation: 'crypto add' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const { id } = yield* change.insert(cryptoAccounts, {
        provider,
        status: 'initializing',
        display_name: displayName,
        sealed_credentials: sealedCredentials,
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
    const columns = {
      name: balance.name,
      quantity: balance.quantity,
      coingecko_id: balance.coingeckoId,
      to_base: balance.toBase,
      price_as_of: balance.priceAsOfIso,
      read_at: readAtIso,
    };
    const before = known.get(balance.symbol);
    const key = { account_id: account.id, symbol: balance.symbol };
    const whole: NewRow<typeof cryptoBalances> = { ...key, ...columns };
    if (before === undefined) yield* change.insert(cryptoBalances, whole);
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
