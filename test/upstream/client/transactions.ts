import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction, UpdateTransactionBody } from '@lunch-money/lunch-money-js-v2';
import { errorOf, type StartedClient } from './started-client.ts';

const date = '2026-01-05';

/** A received transaction as a body. The types of bodies have fewer statuses. */
function sendBack(row: Transaction): UpdateTransactionBody {
  return row as UpdateTransactionBody;
}

/** Tests the methods that write transactions, groups and splits. */
export function testTransactions({ client }: StartedClient): void {
  /** Creates transactions of the given amounts and returns their ids. */
  const create = async (...amounts: readonly number[]): Promise<number[]> => {
    const rows = amounts.map((amount) => ({ date, amount, payee: `Of ${amount}` }));
    const { transactions } = await client.transactions.create({ transactions: rows });
    return transactions.map(({ id }) => id);
  };

  test('it creates transactions, and skips duplicates', async () => {
    const tag = await client.tags.create({ name: 'Of a transaction' });
    const cash = { name: 'Of transactions', type: 'cash', balance: 100 } as const;
    const account = await client.manualAccounts.create(cash);
    const row = { date, amount: '12.5', payee: 'By the client', manual_account_id: account.id };
    const more = { tag_ids: [tag.id], notes: 'n', external_id: 'one', custom_metadata: { a: [1] } };
    const body = { transactions: [{ ...row, ...more }], apply_rules: true, skip_duplicates: true };
    const made = await client.transactions.create(body);
    const [first] = made.transactions;
    assert.ok(first);
    assert.deepEqual(
      [first.amount, first.to_base, first.tag_ids, first.custom_metadata],
      ['12.5000', 12.5, [tag.id], { a: [1] }],
    );
    assert.deepEqual(await client.transactions.get(first.id), first);
    const again = await client.transactions.create({ ...body, skip_balance_update: true });
    assert.deepEqual(again.transactions, []);
    const [skipped] = again.skipped_duplicates;
    assert.equal(skipped?.reason, 'duplicate_external_id');
    assert.equal(skipped.existing_transaction_id, first.id);
  });

  test('it updates transactions, one and many', async () => {
    const [one, two] = (await create(1, 2)) as [number, number];
    const category = await client.categories.create({ name: 'Of updates' });
    const update = { notes: 'x', category_id: category.id, status: 'reviewed' as const };
    const changed = await client.transactions.update(one, update);
    assert.deepEqual({ ...changed, ...update }, changed);
    assert.deepEqual(await client.transactions.get(one), changed);
    const whole = await client.transactions.update(one, sendBack({ ...changed, payee: 'Sent' }));
    assert.deepEqual(whole, { ...changed, payee: 'Sent', updated_at: whole.updated_at });
    const notes = [one, two].map((id) => ({ id, notes: `Of ${id}` }));
    const { transactions } = await client.transactions.updateMany({ transactions: notes });
    assert.deepEqual(
      transactions.map(({ id, notes }) => ({ id, notes })),
      notes,
    );
  });

  test('it deletes transactions, one and many', async () => {
    const [one, two, three] = (await create(1, 2, 3)) as [number, number, number];
    await client.transactions.delete(one);
    await client.transactions.deleteMany({ ids: [two, three] });
    for (const id of [one, two, three]) {
      assert.equal((await errorOf(client.transactions.get(id))).status, 404);
    }
  });

  test('it groups and ungroups transactions', async () => {
    const ids = await create(1, 2.5);
    const group = await client.transactions.group({ ids, date, payee: 'Group', notes: 'n' });
    assert.deepEqual([group.amount, group.is_group_parent], ['3.5000', true]);
    assert.deepEqual(group.children?.map(({ id }) => id).toSorted(), ids.toSorted());
    assert.equal((await client.transactions.get(ids[0]!)).group_parent_id, group.id);
    await client.transactions.ungroup(group.id);
    assert.equal((await client.transactions.get(ids[0]!)).group_parent_id, null);
  });

  test('it splits and unsplits a transaction', async () => {
    const [id] = (await create(10)) as [number];
    const halves = [{ amount: '4' }, { amount: 6, payee: 'Rest' }];
    const split = await client.transactions.split(id, { child_transactions: halves });
    assert.equal(split.is_split_parent, true);
    assert.deepEqual(
      split.children?.map(({ payee }) => payee),
      ['Of 10', 'Rest'],
    );
    await client.transactions.unsplit(id);
    assert.equal((await client.transactions.get(id)).is_split_parent, false);
  });
}
