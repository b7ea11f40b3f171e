import { changing } from '../../../book/change.ts';
import type { Engine } from '../../../db/engine.ts';
import { cryptoAccounts } from '../../../db/tables/tables.ts';
import { balancesOf, findAccount, saveReading } from '../actions.ts';
import { accountToWire, type CryptoReading, type CryptoStatus } from '../rules.ts';
import type { SyncedCryptoAccount } from '../schema.ts';

/** Stores a reading as a refresh does; null when the book has no such account. */
export function storeCryptoReading(
  engine: Engine,
  bookId: number,
  id: number,
  reading: CryptoReading,
): Promise<SyncedCryptoAccount | null> {
  const cause = { bookId, actor: 'connector', operation: 'test' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const account = yield* findAccount(bookId, id);
      if (account === undefined) return null;
      const saved = yield* saveReading(change, account, reading);
      return accountToWire(saved, yield* balancesOf(saved));
    }),
  );
}

/** Stores the status of a connection, as a failed refresh does; false when the book has no such account. */
export function storeCryptoStatus(
  engine: Engine,
  bookId: number,
  id: number,
  status: CryptoStatus,
): Promise<boolean> {
  const cause = { bookId, actor: 'connector', operation: 'test' };
  return engine.write(() =>
    changing(cause, function* (change) {
      const account = yield* findAccount(bookId, id);
      if (account !== undefined) yield* change.update(cryptoAccounts, account, { status });
      return account !== undefined;
    }),
  );
}
