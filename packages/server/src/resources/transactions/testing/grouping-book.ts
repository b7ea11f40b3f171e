import type { Change } from '../../../changes/change.ts';
import { changing } from '../../../changes/changing.ts';
import type { Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import * as tables from '../../../db/tables.ts';
import type { Row } from '../../../db/table.ts';
import { bookClient } from '../../../http/testing/book-client.ts';
import type { BookClient } from '../../../http/testing/book-client.ts';
import { makeTestApp } from '../../../http/testing/test-app.ts';
import { createCategory } from '../../categories/actions.ts';
import { BulkRows, insertTransactions } from '../actions.ts';
import type { NewTransaction, TransactionRow } from '../actions.ts';

const columns = { date: '2024-05-01', payee: 'Shop', currency: 'eur', status: 'reviewed' };

type File = Row<typeof tables.transactionFiles>;

/** The book of a user, and ways to fill and to inspect it. */
export interface GroupingBook extends BookClient {
  readonly known: Known;
  /** Adds transactions with some of their columns, and returns their ids. */
  readonly add: (...rows: readonly Partial<NewTransaction>[]) => Promise<number[]>;
  readonly rows: (...ids: readonly number[]) => Promise<(TransactionRow | undefined)[]>;
  /** Returns the balance of the account `cash`. */
  readonly balance: () => Promise<number>;
  /** Attaches a file to a transaction. */
  readonly attach: (id: number) => Promise<File>;
  readonly files: () => Promise<File[]>;
}

/** Opens an application whose first user has accounts, categories and a tag. */
export async function openGroupingBook(): Promise<GroupingBook> {
  const made = await makeTestApp();
  const client = bookClient(made, made.ada);
  const bookId = made.ada.identity.book.id;
  const perform = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
    made.engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
  const known = await perform(addRecords);
  const one = (id: number) =>
    made.engine.read(() => find(tables.transactions, { book_id: bookId, id }));
  return {
    ...client,
    known,
    add: (...rows) =>
      perform(function* (change) {
        const ids: number[] = [];
        for (const row of rows) {
          const id = yield* new BulkRows(change).nextId();
          const { amount = 10_000, to_base = amount } = row;
          yield* insertTransactions(change, [{ ...columns, ...row, id, amount, to_base }]);
          ids.push(id);
        }
        return ids;
      }),
    rows: (...ids) => Promise.all(ids.map(one)),
    balance: async () =>
      (await made.engine.read(() =>
        find(tables.manualAccounts, { book_id: bookId, id: known.cash.id }),
      ))!.balance,
    attach: (id) =>
      perform((change) =>
        change.insert(tables.transactionFiles, {
          ...{ transaction_id: id, uploaded_by: 1, name: 'a.pdf', type: 'application/pdf' },
          ...{ size: 1, created_at: change.at },
        }),
      ),
    files: () => made.engine.read(() => select(tables.transactionFiles, { book_id: bookId })),
  };
}

/** The records that transactions refer to. `food` is a category group. */
interface Known {
  readonly bread: Row<typeof tables.categories>;
  readonly food: Row<typeof tables.categories>;
  readonly tag: Row<typeof tables.tags>;
  readonly cash: Row<typeof tables.manualAccounts>;
  readonly card: Row<typeof tables.plaidAccounts>;
}

function* addRecords(change: Change): Steps<Known> {
  const account = { name: 'A', type: 'cash', currency: 'eur', balance: 0 };
  const cash = { ...account, balance_as_of: change.at, created_by_name: 'A' };
  const bank = { ...account, institution_name: 'B', subtype: 's', mask: '1', linked_by_name: 'A' };
  return {
    bread: yield* createCategory(change, { name: 'Bread' }),
    food: yield* createCategory(change, { name: 'Food', is_group: true }),
    tag: yield* change.insert(tables.tags, { name: 'Trip' }),
    cash: yield* change.insert(tables.manualAccounts, cash),
    card: yield* change.insert(tables.plaidAccounts, { ...bank, date_linked: '2024-01-01' }),
  };
}
