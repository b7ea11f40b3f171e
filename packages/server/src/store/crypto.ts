import sql from 'sql-template-tag';
import type {
  CryptoAccount,
  CryptoProvider,
  CryptoReading,
  CryptoStatus,
  NewCryptoAccount,
  StoredCryptoBalance,
} from '../records/crypto.ts';
import type { CryptoConnection } from '../records/store.ts';
import { insertMany, row, rows, run } from './engine.ts';
import type { Operation } from './engine.ts';

type AccountRow = Omit<CryptoAccount, 'balances'>;
type BalanceRow = Omit<StoredCryptoBalance, 'updatedAtIso'> & { readonly accountId: number };

const balanceColumns = [
  ...['book_id', 'account_id', 'symbol', 'name', 'quantity'],
  ...['coingecko_id', 'to_base', 'price_as_of', 'read_at'],
];

/** Stores a connection that was not read yet, made by the user of the book, and returns its id. */
export function* createCryptoAccount(bookId: number, account: NewCryptoAccount): Operation<number> {
  const { provider, displayName, sealedCredentials, nowIso } = account;
  const owner = yield* row<{ name: string }>(sql`
    SELECT u.name FROM books b JOIN users u ON u.id = b.user_id WHERE b.id = ${bookId}`);
  if (owner === undefined) throw new Error(`There is no book ${bookId}`);
  const made = yield* row<{ id: number }>(sql`
    INSERT INTO crypto_synced_accounts (book_id, provider, status, display_name, sealed_credentials,
      created_by_name, created_at, updated_at)
    VALUES (${bookId}, ${provider}, 'initializing', ${displayName}, ${sealedCredentials},
      ${owner.name}, ${nowIso}, ${nowIso}) RETURNING id`);
  yield* raiseVersion(bookId);
  return made?.id ?? 0;
}

/** The accounts of a book by id, each with its balances by symbol. */
export function* listCryptoAccounts(bookId: number): Operation<CryptoAccount[]> {
  const accounts = yield* rows<AccountRow>(sql`
    SELECT id, provider, status, display_name AS "displayName", created_by_name AS "createdByName",
      created_at AS "createdAtIso", updated_at AS "updatedAtIso", last_import AS "lastImportIso"
    FROM crypto_synced_accounts WHERE book_id = ${bookId} ORDER BY id`);
  const balances = yield* rows<BalanceRow>(sql`
    SELECT account_id AS "accountId", symbol, name, quantity, coingecko_id AS "coingeckoId",
      to_base AS "toBase", price_as_of AS "priceAsOfIso", read_at AS "balanceAsOfIso"
    FROM crypto_synced_balances WHERE book_id = ${bookId} ORDER BY account_id, symbol`);
  const ofAccount = Map.groupBy(balances, ({ accountId }) => accountId);
  return accounts.map((account) => ({
    ...account,
    balances: (ofAccount.get(account.id) ?? []).map(toBalance),
  }));
}

/** A balance is stored when it is read, whole, so it is as old as the reading. */
function toBalance({ accountId: _, ...balance }: BalanceRow): StoredCryptoBalance {
  return { ...balance, updatedAtIso: balance.balanceAsOfIso };
}

/** How the provider of an account is asked; null when the book has no such account. */
export function* findCryptoConnection(
  bookId: number,
  id: number,
): Operation<CryptoConnection | null> {
  const found = yield* row<{ provider: CryptoProvider; status: CryptoStatus; sealed: Buffer }>(sql`
    SELECT provider, status, sealed_credentials AS sealed
    FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id = ${id}`);
  if (found === undefined) return null;
  return { provider: found.provider, status: found.status, sealedCredentials: found.sealed };
}

/** Puts a reading in the place of an account's balances; null when the book has no such account. */
export function* saveCryptoReading(
  bookId: number,
  id: number,
  { readAtIso, balances }: CryptoReading,
): Operation<CryptoAccount | null> {
  const saved = yield* row(sql`
    UPDATE crypto_synced_accounts
    SET status = 'active', updated_at = ${readAtIso}, last_import = ${readAtIso}
    WHERE book_id = ${bookId} AND id = ${id} RETURNING id`);
  if (saved === undefined) return null;
  yield* run(
    sql`DELETE FROM crypto_synced_balances WHERE book_id = ${bookId} AND account_id = ${id}`,
  );
  const values = balances.map((balance) => [
    ...[bookId, id, balance.symbol, balance.name, balance.quantity],
    ...[balance.coingeckoId, balance.toBase, balance.priceAsOfIso, readAtIso],
  ]);
  yield* insertMany('crypto_synced_balances', balanceColumns, values);
  yield* raiseVersion(bookId);
  const accounts = yield* listCryptoAccounts(bookId);
  return accounts.find((account) => account.id === id) ?? null;
}

/**
 * Notes how a connection stands; false when the book has no such account.
 *
 * A status that it has already changes nothing, so that what callers keep of the book stays good.
 */
export function* setCryptoStatus(
  bookId: number,
  id: number,
  status: CryptoStatus,
  nowIso: string,
): Operation<boolean> {
  const changed = yield* row(sql`
    UPDATE crypto_synced_accounts SET status = ${status}, updated_at = ${nowIso}
    WHERE book_id = ${bookId} AND id = ${id} AND status <> ${status} RETURNING id`);
  if (changed === undefined) return (yield* findCryptoConnection(bookId, id)) !== null;
  yield* raiseVersion(bookId);
  return true;
}

/** Deletes an account with its balances and its credentials; false when the book has no such account. */
export function* removeCryptoAccount(bookId: number, id: number): Operation<boolean> {
  const removed = yield* row(sql`
    DELETE FROM crypto_synced_accounts WHERE book_id = ${bookId} AND id = ${id} RETURNING id`);
  if (removed === undefined) return false;
  yield* raiseVersion(bookId);
  return true;
}

function* raiseVersion(bookId: number): Operation<void> {
  yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${bookId}`);
}
