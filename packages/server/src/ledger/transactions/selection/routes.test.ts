import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { run } from '../../../db/engine.ts';
import { bookClient } from '../../../http/testing/book-client.ts';
import { makeTestApp } from '../../../http/testing/test-app.ts';
import { mostPayees, type TransactionSums } from './schema.ts';

const testApp = await makeTestApp();
after(() => testApp.app.close());
const client = bookClient(testApp, testApp.ada);
const list = '/coffer/transactions';

test('sums that an older node has not written are computed before they are read', async () => {
  const transactions = [{ amount: '1', payee: 'P', date: '2025-02-01' }];
  await client.send('POST', '/v2/transactions', { transactions });
  const sums = () => client.send('GET', `${list}/months`);
  const before = await sums();
  await testApp.engine.write(function* () {
    yield* run(sql`UPDATE transaction_sums SET listed = 0`);
    yield* run(sql`UPDATE books SET derived_version = 0`);
  });
  const { status, body } = await sums();
  assert.deepEqual([status, body], [200, before.body]);
});

test('payees beyond those with the largest sums are one', async () => {
  const transactions = Array.from({ length: mostPayees + 2 }, (_, at) => ({
    amount: String(at + 1),
    payee: `Payee ${at + 1}`,
    date: '2023-03-01',
  }));
  for (const part of [transactions.slice(0, 300), transactions.slice(300)])
    await client.send('POST', '/v2/transactions', { transactions: part });
  const path = '/coffer/sums?by=payee&start_date=2023-03-01&end_date=2023-03-31';
  const { sums } = (await client.send<TransactionSums>('GET', path)).body;
  assert.equal(sums.length, mostPayees + 1);
  const others = sums.filter(({ payee }) => payee === null);
  assert.deepEqual(others, [{ payee: null, count: 2, total: '3.0000' }]);
});
