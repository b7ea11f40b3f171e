import type { Change } from '../../../book/change.ts';
import type { BookState } from '../../../book/testing/book-state.ts';
import type { Engine, Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import type { Row } from '../../../db/table.ts';
import * as tables from '../../../db/tables/tables.ts';
import { noFileStore } from '../../../files/store.ts';
import { EngineBook } from '../../../http/testing/engine-book.ts';
import { ImportRefusedError } from '../../../imports/entry.ts';
import { importEntries } from '../../../imports/commit.ts';
import { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { Problem } from '../../../operations/problem.ts';
import { removeUnreferencedFiles } from '../../../ledger/transactions/attachments/jobs.ts';
import { saveReading as saveBankReading } from '../../../sync/banks/save-reading.ts';
import { saveReading as saveCryptoReading } from '../../../sync/crypto/actions.ts';
import { operations } from '../../../all.ts';
import { fixedServices } from '../../../operations/testing/fixed-services.ts';
import { Choices, NothingToChoose, requests } from './random-writes.ts';
import type { Part, RandomStep, RandomWrite } from './random-writes.ts';
import { newBook } from '../../../identity/users/testing/new-book.ts';
import { undoChange, type UndoMode, type UndoneChange } from '../actions.ts';

const range = { from: '2025-12-01', to: '2026-01-10' };
const accountOf = { created_by_name: 'A', currency: 'usd', balance: 0 };

/** A book that random requests, imports and refreshes change. */
export class RandomBook extends EngineBook {
  readonly #keys: string[] = [];
  readonly #services = {
    ...fixedServices,
    files: { ...noFileStore, write: (key: string) => Promise.resolve(void this.#keys.push(key)) },
  };
  readonly #operations = new Map(
    operations(this.#services).map((each) => [each.declaration.id, each]),
  );

  static override async open(engine: Engine): Promise<RandomBook> {
    const book = new RandomBook(engine, await newBook(engine));
    await book.change(addRecords);
    return book;
  }

  undo(version: number, mode: UndoMode): Promise<UndoneChange> {
    const cause = { bookId: this.book.id, actor: 'token 1', operation: 'test' };
    return undoChange(this.engine, cause, version, { mode });
  }

  /** Performs a write, or undoes what can be undone of one of the last versions. */
  async take(step: RandomStep): Promise<void> {
    if (typeof step !== 'number') return this.perform(step, await this.state());
    const last = await this.version();
    await this.undo(last - (step % Math.min(9, last - 2)), 'skip').catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    });
  }

  imports(): Promise<Row<typeof tables.imports>[]> {
    return this.engine.read(() => select(tables.imports, { book_id: this.book.id }));
  }

  /** Performs a write. Nothing happens if the service refuses it, or if there are no records for it. */
  async perform(write: RandomWrite, state: BookState): Promise<void> {
    const choices = new Choices((table) => [...state.get(table)!.values()], write.seeds);
    try {
      if (write.kind === 'import') await this.#import(choices);
      else if (write.kind === 'refresh a bank') await this.#refreshBank(choices);
      else if (write.kind === 'refresh crypto') await this.#refreshCrypto(choices);
      else await this.#send(write.kind, requests[write.kind](choices));
    } catch (error) {
      const refusals = [Problem, NothingToChoose, ImportRefusedError];
      if (!refusals.some((each) => error instanceof each)) throw error;
    }
  }

  async #send(id: string, part: Part): Promise<void> {
    const { id: bookId, userId } = this.book;
    const user = { id: userId, email: 'a@example.com', name: 'A' };
    // Whose session or token is not looked for.
    const caller = { token: null, session: null, callerId: 1 };
    await this.#operations.get(id)!.run(this.engine, {
      identity: { user, book: this.book, ...caller, databaseId: 'x' },
      bookId,
      pageKeys: new RememberedKeys(1),
      params: {},
      query: {},
      body: {},
      ...part,
    });
  }

  async #import(c: Choices): Promise<void> {
    const entries = Array.from({ length: 1 + c.below(4) }, (_, at) => {
      const amount = (c.below(3) - 2) * 10_000;
      const part = { payee: null, notes: null, category: c.of(null, 'Parts') };
      const parts = [1, amount - 1].map((each) => ({ ...part, amount: each }));
      return {
        line: at + 1,
        date: c.of('2026-01-01', '2026-01-03'),
        amount,
        currency: null,
        payee: c.of('Shop', 'Mall'),
        notes: null,
        isPending: c.below(4) === 0,
        externalId: c.of(null, null, `e${at}`),
        category: c.of(null, 'Food', 'New'),
        account: c.of('Cash', 'Savings'),
        tags: c.of([], ['one'], ['trip']),
        ...(c.below(5) === 0 && { parts }),
      };
    });
    const plan = { entries: () => entries, defaultAccount: null, dryRun: false, format: 'csv' };
    await importEntries(this.engine, this.book.id, plan);
  }

  async #refreshBank(c: Choices): Promise<void> {
    await this.change(function* (change) {
      const connection = yield* find(tables.connections, { book_id: change.bookId });
      const entries = Array.from({ length: 1 + c.below(4) }, (_, at) => ({
        remote_id: `${at}`,
        date: `2025-12-2${c.below(3)}`,
        amount: c.below(9) * 1000,
        payee: c.of('Shop', 'Pay'),
        notes: null,
        is_pending: c.isTrue(),
        plaid_metadata: '{}',
      }));
      const account = {
        remote_id: c.of('A', 'B'),
        name: 'Checking',
        institution_name: 'Bank',
        type: 'depository',
        currency: 'usd',
        balance: c.below(9) * 10_000,
        balanceAt: change.at,
        mask: '12',
      };
      const reading = { readAt: change.at, problems: [], accounts: [{ ...account, entries }] };
      yield* saveBankReading(change, connection!, reading, range);
    });
  }

  async #refreshCrypto(c: Choices): Promise<void> {
    await this.change(function* (change) {
      const account = yield* find(tables.cryptoAccounts, { book_id: change.bookId });
      const symbols = c.of(['btc'], ['eth'], ['btc', 'eth'], []);
      const balances = symbols.map((symbol) => ({
        symbol,
        name: symbol,
        quantity: `${c.below(9)}.000000000000000000`,
        coingecko_id: null,
        to_base: null,
        price_as_of: null,
      }));
      yield* saveCryptoReading(change, account!, { readAtIso: change.at, balances });
    });
  }

  /** Returns the files that are deleted although an undo could bring them back. */
  async lostFiles(): Promise<string[]> {
    const lost: string[] = [];
    const keys = this.#keys;
    const store = {
      ...noFileStore,
      remove: (key: string) => Promise.resolve(void lost.push(key)),
      async *list() {
        await Promise.resolve();
        for (const key of keys) yield { key, modifiedAtMs: 0 };
      },
    };
    await removeUnreferencedFiles(this.engine, store, { nowMs: Number.MAX_SAFE_INTEGER });
    return lost;
  }
}

/** Adds records that requests choose from. */
export function* addRecords(change: Change): Steps<void> {
  for (const name of ['one', 'two', 'three']) yield* change.insert(tables.tags, { name });
  const home = yield* change.insert(tables.categories, { name: 'House', is_group: true });
  for (const name of ['First', 'Second']) yield* change.insert(tables.categories, { name });
  yield* change.insert(tables.categories, { name: 'Member', group_id: home.id });
  for (const [name, type] of Object.entries({ Cash: 'cash', Card: 'credit' }))
    yield* change.insert(tables.manualAccounts, {
      ...accountOf,
      name,
      type,
      balance_as_of: change.at,
    });
  yield* change.insert(tables.plaidAccounts, {
    name: 'Bank',
    type: 'depository',
    subtype: 'checking',
    mask: '1',
    institution_name: 'B',
    currency: 'usd',
    balance: 0,
    linked_by_name: 'A',
    date_linked: '2025-01-01',
  });
  const sealed = { sealed_credentials: Buffer.from('x'), created_by_name: 'A', status: 'active' };
  yield* change.insert(tables.cryptoAccounts, { ...sealed, status: 'active', provider: 'kraken' });
  yield* change.insert(tables.connections, {
    ...sealed,
    status: 'active',
    provider: 'simplefin',
    name: 'Bridge',
  });
}
