import type { Category } from '../../records/category.ts';
import type { CryptoAccount } from '../../records/crypto.ts';
import type { Identity } from '../../records/identity.ts';
import type { Readiness } from '../../records/readiness.ts';
import type { Store } from '../../records/store.ts';
import { newToken } from '../../records/token.ts';
import type { TransactionPage, TransactionQuery } from '../../records/transaction-query.ts';

/** A user with one book and one token. */
export interface TestUser {
  readonly token: string;
  readonly identity: Identity;
}

/**
 * A store for tests of the HTTP room: books of rows that know only their id and date.
 *
 * Every method that a test names in `faults` throws what is given there instead.
 */
export class TestStore {
  readonly calls: string[] = [];
  readonly queries: TransactionQuery[] = [];
  readonly touches: { tokenId: number; nowIso: string }[] = [];
  readonly categories: Category[] = [];
  /** By book. */
  readonly cryptoAccounts = new Map<number, CryptoAccount[]>();
  faults: Partial<Record<keyof Store, unknown>> = {};
  state: Readiness = { canRead: true, canWrite: true };
  /** Called in the middle of reading a page, if a test wants to be there. */
  whilePaging: () => Promise<void> = () => Promise.resolve();
  readonly #users = new Map<string, Identity>();
  readonly #rows = new Map<number, { id: number; date: string }[]>();

  addUser(name: string, rowCount: number): TestUser {
    const { text, hash } = newToken();
    const id = this.#users.size + 1;
    const identity: Identity = {
      user: { id, name, email: `${name}@example.org` },
      book: {
        id: 100 + id,
        userId: id,
        name: `${name}'s book`,
        primaryCurrency: 'eur',
        version: 7,
      },
      token: { id: 200 + id, label: `${name}'s laptop`, lastUsedAt: null },
    };
    this.#users.set(Buffer.from(hash).toString('hex'), identity);
    const dates = ['2024-03-01', '2024-02-29', '2024-01-31'];
    const rows = Array.from({ length: rowCount }, (_, at) => ({
      id: 1000 * id + rowCount - at,
      date: dates[Math.floor((at * dates.length) / rowCount)]!,
    }));
    this.#rows.set(identity.book.id, rows);
    return { token: text, identity };
  }

  /** Changes who a token stands for, as a commit in the store would. */
  change(token: TestUser, change: (identity: Identity) => Identity): void {
    for (const [hash, identity] of this.#users) {
      if (identity.token.id === token.identity.token.id) this.#users.set(hash, change(identity));
    }
  }

  async authenticate(tokenHash: Uint8Array): Promise<Identity | null> {
    await this.#enter('authenticate');
    return this.#users.get(Buffer.from(tokenHash).toString('hex')) ?? null;
  }

  async touchToken(tokenId: number, nowIso: string): Promise<void> {
    this.touches.push({ tokenId, nowIso });
    await this.#enter('touchToken');
  }

  async listTransactions(bookId: number, query: TransactionQuery): Promise<TransactionPage> {
    this.queries.push(query);
    await this.#enter('listTransactions');
    await this.whilePaging();
    const { limit, offset, startDate = '', endDate = '9999-12-31' } = query;
    const all = (this.#rows.get(bookId) ?? []).filter(
      ({ date }) => date >= startDate && date <= endDate,
    );
    const page = all.slice(offset, offset + limit).map((row) => JSON.stringify(row));
    return { json: Buffer.from(page.join(',')), hasMore: offset + limit < all.length };
  }

  async getTransaction(bookId: number, id: number): Promise<Buffer | null> {
    await this.#enter('getTransaction');
    const row = this.#rows.get(bookId)?.find((candidate) => candidate.id === id);
    return row === undefined ? null : Buffer.from(JSON.stringify(row));
  }

  async listCategories(): Promise<Category[]> {
    await this.#enter('listCategories');
    return this.categories;
  }

  async listCryptoAccounts(bookId: number): Promise<CryptoAccount[]> {
    await this.#enter('listCryptoAccounts');
    return this.cryptoAccounts.get(bookId) ?? [];
  }

  async findCryptoAccount(bookId: number, id: number): Promise<CryptoAccount | null> {
    const accounts = await this.listCryptoAccounts(bookId);
    return accounts.find((account) => account.id === id) ?? null;
  }

  async readiness(): Promise<Readiness> {
    await this.#enter('readiness');
    return this.state;
  }

  /** The same as the interface that the application takes; what it never calls is not there. */
  asStore(): Store {
    return this as unknown as Store;
  }

  async #enter(method: keyof Store): Promise<void> {
    this.calls.push(method);
    // A real engine answers later, never at once.
    await Promise.resolve();
    if (method in this.faults) throw this.faults[method];
  }
}
