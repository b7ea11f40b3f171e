import assert from 'node:assert/strict';
import { it } from 'node:test';
import { find } from '../db/rows.ts';
import { transactions } from '../db/tables/tables.ts';
import { positionAfter, readChanges } from '../history/feed/changes.ts';
import { onEngines, type EngineBook } from '../http/testing/engine-book.ts';
import { accountWith } from '../ledger/accounts/account-proof.ts';
import { createAccount } from '../ledger/accounts/actions.ts';
import { putAnchor } from '../ledger/accounts/anchors.ts';
import { deleteTransactions } from '../ledger/transactions/requests/checks.ts';
import { createTransactions } from '../ledger/transactions/requests/insert.ts';
import { changeTransaction } from '../ledger/transactions/requests/update.ts';
import { messageOf } from './deliveries.ts';

/** The proofs in the message of the last version, such as `manual 1 broken`. */
async function sent(book: EngineBook): Promise<string[]> {
  const after = positionAfter((await book.version()) - 1);
  const { body } = await book.read(function* () {
    const { changes, position } = yield* readChanges(book.id, after, 100);
    const hook = { id: 1, book_id: book.id, database_id: 'd', records: null, kinds: null };
    return yield* messageOf(hook as never, { to: position, changes });
  });
  const { data } = JSON.parse(body) as { data: { proofs?: Record<string, unknown>[] } };
  return (data.proofs ?? []).map((each) =>
    [each['kind'], each['id'], each['state'], each['broken_on'], each['difference']].join(' '),
  );
}

onEngines('the proofs in a message', (open) => {
  it('are of the accounts that the changed transactions and balances have or had', async () => {
    const book = await open();
    const ids: number[] = [];
    for (const name of ['One', 'Two'])
      ids.push(
        (
          await book.change((change) =>
            createAccount(
              change,
              { name, type: 'cash', balance: 0 },
              { createdBy: 'A', currency: 'usd' },
            ),
          )
        ).id,
      );
    const [one = 0, two = 0] = ids;
    const insert = async (account: number) => {
      const row = { date: '2023-01-10', amount: 10, manual_account_id: account };
      const created = await book.change((change) =>
        createTransactions(change, { transactions: [row], skip_balance_update: true }),
      );
      return created.ids[0]!;
    };
    const row = await insert(one);
    assert.deepEqual(await sent(book), []);
    for (const [account, balance] of [
      [one, 90],
      [two, 100],
    ] as const)
      for (const [day, value] of [
        ['2022-12-31', 100],
        ['2023-01-31', balance],
      ] as const)
        await book.change(function* (change) {
          const known = { day, source: 'user' as const, balance: value * 10_000 };
          yield* putAnchor(change, yield* accountWith(change.bookId, 'manual', account), known);
        });
    assert.deepEqual(await sent(book), [`manual ${two} proved  `]);
    await insert(two);
    assert.deepEqual(await sent(book), [`manual ${two} broken 2023-01-31 10.0000`]);
    await book.change((change) =>
      changeTransaction(change, row, { manual_account_id: two }, { skipBalanceUpdate: true }),
    );
    assert.deepEqual(await sent(book), [
      `manual ${one} broken 2023-01-31 -10.0000`,
      `manual ${two} broken 2023-01-31 20.0000`,
    ]);
    await book.change((change) => deleteTransactions(change, [row]));
    assert.deepEqual(await sent(book), [`manual ${two} broken 2023-01-31 10.0000`]);
    assert.equal(
      await book.read(() => find(transactions, { book_id: book.id, id: row })),
      undefined,
    );
  });
});
