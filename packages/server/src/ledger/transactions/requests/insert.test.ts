import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UpdatedTransactions } from './bodies.ts';
import { makeWriteClient } from '../testing/write-client.ts';
import { pick } from '../../../http/testing/pick.ts';

const url = '/v2/transactions';

test('500 transactions are inserted at once, and changed, alike or each to its own values', async () => {
  const { insert, send, balance, scene } = await makeWriteClient();
  const rows = Array.from({ length: 500 }, (_, at) => ({
    date: `2026-01-${10 + (at % 19)}`,
    amount: at,
    payee: `P${at}`,
    external_id: `e${at}`,
    manual_account_id: scene.cash,
    tag_ids: at % 2 ? [scene.tagA] : [],
  }));
  const { transactions } = await insert(...rows);
  assert.deepEqual(pick(transactions, 'payee'), pick(rows, 'payee'));
  assert.equal(await balance(scene.cash), -1_247_500_000);
  const again = await insert(...rows);
  assert.equal(again.skipped_duplicates.length, 500);
  const ids = transactions.map(({ id }) => id);
  const put = async (sent: readonly object[]) =>
    (await send<UpdatedTransactions>('PUT', url, { transactions: sent })).body.transactions;
  const alike = await put(ids.map((id) => ({ id, category_id: scene.food, amount: 1 })));
  assert.ok(alike.every(({ category_id }) => category_id === scene.food));
  assert.equal(await balance(scene.cash), -5_000_000);
  const changed = alike.toReversed().map((each, at) => ({ ...each, amount: at, notes: `n${at}` }));
  const own = await put(changed);
  assert.deepEqual(pick(own, 'id'), ids.toReversed());
  assert.ok(own.every(({ amount, notes }, at) => amount === `${at}.0000` && notes === `n${at}`));
  assert.equal(await balance(scene.cash), -1_247_500_000);
});
