import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteClient } from '../transactions/testing/write-client.ts';
import { makeWriteClient } from '../transactions/testing/write-client.ts';
import type { ChangeUndo } from './schema.ts';

const row = { date: '2024-05-01', amount: 10, currency: 'eur', payee: 'Shop' };

async function versionOf(client: WriteClient): Promise<number> {
  const url = '/coffer/history?limit=1';
  const { history } = (await client.send<{ history: { version: number }[] }>('GET', url)).body;
  return history[0]!.version;
}

async function insert(client: WriteClient, values: object): Promise<number> {
  return (await client.insert({ ...row, ...values })).transactions[0]!.id;
}

/** A second account with the currency of the first. */
async function otherAccount(client: WriteClient): Promise<number> {
  const values = { name: 'Other', type: 'cash', currency: 'eur', balance: '5.00' };
  return (await client.send<{ id: number }>('POST', '/v2/manual_accounts', values)).body.id;
}

test('an undo of an amount follows a later move to another account, and its balances', async () => {
  for (const [query, ...expected] of [
    ['', 0, -50_000],
    ['?update_balance=false', -100_000, 50_000],
  ] as const) {
    const client = await makeWriteClient();
    const { cash } = client.scene;
    const other = await otherAccount(client);
    const url = `/v2/transactions/${await insert(client, { manual_account_id: cash })}`;
    await client.send('PUT', url, { amount: 20 });
    const version = await versionOf(client);
    await client.send('PUT', `${url}${query}`, { manual_account_id: other });
    const undone = await client.send<ChangeUndo>('POST', `/coffer/history/${version}/undo`);
    assert.equal(undone.status, 200);
    assert.deepEqual([await client.balance(cash), await client.balance(other)], expected, query);
  }
});

test('an undo of a split is a conflict with later parts, though it is split as before', async () => {
  const client = await makeWriteClient();
  const id = await insert(client, {});
  const url = `/v2/transactions/split/${id}`;
  const parts = { child_transactions: [{ amount: 4 }, { amount: 6 }] };
  assert.equal((await client.send('POST', url, parts)).status, 201);
  const version = await versionOf(client);
  assert.equal((await client.send('DELETE', url)).status, 204);
  assert.equal((await client.send('POST', url, parts)).status, 201);
  const { status, body } = await client.send<{ errors: Record<string, unknown>[] }>(
    ...(['POST', `/coffer/history/${version}/undo`] as const),
  );
  assert.equal(status, 409);
  const found = body.errors.map(({ column, reason, blocked }) => [column, reason, blocked]);
  const expected = ['split_parent_id', 'used since', [{ record: 'transactions', id }]];
  assert.deepEqual(
    found.filter(([column]) => column === 'split_parent_id'),
    [expected, expected],
  );
});
