import type {
  CryptoAccount,
  CryptoReading,
  CryptoStatus,
  NewCryptoAccount,
  StoredCryptoBalance,
} from '../../records/crypto.ts';
import type { CryptoConnection } from '../../records/store.ts';

type Stored = CryptoAccount & { sealedCredentials: Uint8Array };

/** The accounts of all books in memory, as far as a refresh needs them; the store's own suite is the store's. */
export class CryptoMemory {
  readonly #accounts = new Map<string, Stored>();
  /** Thrown by the next write of a status. */
  statusFault: Error | null = null;
  /** How often a connection was looked for. */
  lookUps = 0;

  add(bookId: number, id: number, account: NewCryptoAccount): void {
    const { nowIso, ...rest } = account;
    this.#accounts.set(`${bookId}/${id}`, {
      ...rest,
      id,
      status: 'initializing',
      createdByName: 'Ada',
      createdAtIso: nowIso,
      updatedAtIso: nowIso,
      lastImportIso: null,
      balances: [],
    });
  }

  remove(bookId: number, id: number): void {
    this.#accounts.delete(`${bookId}/${id}`);
  }

  get(bookId: number, id: number): CryptoAccount | null {
    return this.#accounts.get(`${bookId}/${id}`) ?? null;
  }

  async findCryptoConnection(bookId: number, id: number): Promise<CryptoConnection | null> {
    this.lookUps += 1;
    return this.#accounts.get(`${bookId}/${id}`) ?? null;
  }

  async saveCryptoReading(
    bookId: number,
    id: number,
    { readAtIso, balances }: CryptoReading,
  ): Promise<CryptoAccount | null> {
    const stored = balances.map((balance): StoredCryptoBalance => ({
      ...balance,
      balanceAsOfIso: readAtIso,
      updatedAtIso: readAtIso,
    }));
    const lastImportIso = readAtIso;
    return this.#change(bookId, id, { status: 'active', lastImportIso, balances: stored });
  }

  async setCryptoStatus(
    bookId: number,
    id: number,
    status: CryptoStatus,
    nowIso: string,
  ): Promise<boolean> {
    if (this.statusFault !== null) throw this.statusFault;
    return this.#change(bookId, id, { status, updatedAtIso: nowIso }) !== null;
  }

  #change(bookId: number, id: number, changes: Partial<CryptoAccount>): CryptoAccount | null {
    const account = this.#accounts.get(`${bookId}/${id}`);
    if (account === undefined) return null;
    const changed = { ...account, ...changes };
    this.#accounts.set(`${bookId}/${id}`, changed);
    return changed;
  }
}
