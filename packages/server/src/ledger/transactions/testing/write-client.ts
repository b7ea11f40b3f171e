import assert from 'node:assert/strict';
import { changing, type Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import type { Row } from '../../../db/table.ts';
import { manualAccounts, transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { bookClient, type BookClient } from '../../../http/testing/book-client.ts';
import { makeTestApp, type TestApp } from '../../../http/testing/test-app.ts';
import { BulkRows, insertTransactions } from '../writes.ts';
import type { NewTransaction, TransactionRow } from '../writes.ts';
import type { InsertedTransactions } from '../requests/bodies.ts';
import { makeWriteScene, type WriteScene } from './write-scene.ts';

/** A client of a book with the records of a {@link WriteScene}, and access to its rows. */
export interface WriteClient extends BookClient {
  readonly made: TestApp;
  readonly scene: WriteScene;
  readonly insert: (...transactions: readonly object[]) => Promise<InsertedTransactions>;
  /** Adds transactions directly, with some of their columns, and returns their ids. */
  readonly add: (...rows: readonly Partial<NewTransaction>[]) => Promise<number[]>;
  readonly attach: (id: number) => Promise<Row<typeof transactionFiles>>;
  readonly change: <T>(work: (change: Change) => Steps<T>) => Promise<T>;
  readonly rowOf: (id: number) => Promise<TransactionRow | undefined>;
  /** Sets columns of transactions in a way that no operation does. */
  readonly mark: (
    ...rows: readonly (readonly [number, Partial<NewTransaction>])[]
  ) => Promise<void>;
  readonly balance: (id: number) => Promise<number | undefined>;
}

const columns = { date: '2024-05-01', payee: 'Shop', currency: 'eur', status: 'reviewed' };
const file = { uploaded_by: 1, name: 'a.pdf', type: 'application/pdf', size: 3 };

/** Creates an application and a client of Ada's book. */
export async function makeWriteClient(): Promise<WriteClient> {
  const made = await makeTestApp();
  const bookId = made.ada.identity.book.id;
  const { engine } = made;
  const client = bookClient(made, made.ada);
  const cause = { bookId, actor: 'test', operation: 'test' };
  const change = <T>(work: (change: Change) => Steps<T>) =>
    engine.write(() => changing(cause, work));
  const scene = await change(makeWriteScene);
  await client.changes();
  return {
    ...client,
    made,
    scene,
    change,
    async insert(...rows) {
      const sent = { transactions: rows };
      const made = await client.send<InsertedTransactions>('POST', '/v2/transactions', sent);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body;
    },
    add: (...rows) =>
      change(function* (change) {
        const ids: number[] = [];
        for (const row of rows) {
          const id = yield* new BulkRows(change).nextId();
          const { amount = 10_000, to_base = amount } = row;
          yield* insertTransactions(change, [{ ...columns, ...row, id, amount, to_base }]);
          ids.push(id);
        }
        return ids;
      }),
    attach: (id) =>
      change((change) =>
        change.insert(transactionFiles, { ...file, transaction_id: id, created_at: change.at }),
      ),
    rowOf: async (id) =>
      (await engine.read(() => select(transactions, { book_id: bookId, id })))[0],
    mark: (...rows) =>
      change(function* (change) {
        for (const [id, values] of rows) {
          const before = yield* find(transactions, { book_id: bookId, id });
          yield* change.update(transactions, before!, values);
        }
      }),
    balance: async (id) =>
      (await engine.read(() => find(manualAccounts, { book_id: bookId, id })))?.balance,
  };
}
