import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWriteClient, type WriteClient } from '../transactions/testing/write-client.ts';
import type { ChangeUndo } from './schema.ts';

const row = { date: '2024-05-01', amount: 10, currency: 'eur', payee: 'Shop' };

async function versionOf(client: WriteClient): Promise<number> {
  const url = '/coffer/history?limit=1';
  const { history } = (await client.send<{ history: { version: number }[] }>('GET', url)).body;
  return history[0]!.version;
}

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
    const { transactions } = await client.insert({ ...row, manual_account_id: cash });
    const url = `/v2/transactions/${transactions[0]!.id}`;
    await client.send('PUT', url, { amount: 20 });
    const version = await versionOf(client);
    await client.send('PUT', `${url}${query}`, { manual_account_id: other });
    const undone = await client.send<ChangeUndo>('POST', `/coffer/history/${version}/undo`);
    assert.equal(undone.status, 200);
    assert.deepEqual([await client.balance(cash), await client.balance(other)], expected, query);
  }
});
