import assert from 'node:assert/strict';
import { changing } from '../../../changes/changing.ts';
import type { Change } from '../../../changes/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import { manualAccounts, transactions } from '../../../db/tables.ts';
import { bookClient } from '../../../http/testing/book-client.ts';
import type { BookClient, RefusedProperty } from '../../../http/testing/book-client.ts';
import { makeTestApp } from '../../../http/testing/test-app.ts';
import type { TestApp } from '../../../http/testing/test-app.ts';
import type { TransactionRow } from '../actions.ts';
import type { InsertedTransactions } from '../requests/bodies.ts';
import { makeWriteScene } from './write-scene.ts';
import type { WriteScene } from './write-scene.ts';

/** A client of a book with the records of a {@link WriteScene}, and access to its rows. */
export interface WriteClient extends BookClient {
  readonly made: TestApp;
  readonly scene: WriteScene;
  /** Inserts transactions over HTTP. */
  readonly insert: (...transactions: readonly object[]) => Promise<InsertedTransactions>;
  /** Changes the book directly. */
  readonly change: <T>(work: (change: Change) => Steps<T>) => Promise<T>;
  readonly rowOf: (id: number) => Promise<TransactionRow | undefined>;
  readonly balance: (id: number) => Promise<number | undefined>;
}

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
    ...{ made, scene, change },
    async insert(...rows) {
      const sent = { transactions: rows };
      const { status, body } = await client.send<InsertedTransactions>(
        'POST',
        '/v2/transactions',
        sent,
      );
      assert.equal(status, 201, JSON.stringify(body));
      return body;
    },
    rowOf: async (id) =>
      (await engine.read(() => select(transactions, { book_id: bookId, id })))[0],
    balance: async (id) =>
      (await engine.read(() => find(manualAccounts, { book_id: bookId, id })))?.balance,
  };
}

/** The errors without their texts. */
export function keysOf(errors: readonly RefusedProperty[]): object[] {
  return errors.map(({ errMsg, ...keys }) => {
    assert.ok(typeof errMsg === 'string' && errMsg !== '');
    return keys;
  });
}
