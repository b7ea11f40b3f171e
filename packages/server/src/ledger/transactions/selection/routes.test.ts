import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { run } from '../../../db/engine.ts';
import { bookClient } from '../../../http/testing/book-client.ts';
import { makeTestApp } from '../../../http/testing/test-app.ts';
import { mostPayees } from './schema.ts';
import type { PayeeList, TransactionSums } from './schema.ts';
import { pick } from '../../../http/testing/pick.ts';

const testApp = await makeTestApp();
after(() => testApp.app.close());
const client = bookClient(testApp, testApp.ada);
const list = '/coffer/transactions';

test('what cannot be searched is refused, with all problems', async () => {
  const refused = async (query: string): Promise<unknown[]> =>
    (await client.refused('GET', `${list}?${query}`)).map(({ errMsg }) => errMsg);
  for (const q of ['%00', '%ED%A0%80', 'x'.repeat(201)])
    assert.equal((await refused(`q=${q}`)).length, 1, q);
  assert.deepEqual(await refused('q=a+b+c+d+e+f+g+h+i+j+k&min_amount=2&max_amount=1.5'), [
    'Query parameter q must have at most 10 different words, not 11: "a b c d e f g h i j k"',
    'Query parameter min_amount must not be larger than max_amount "1.5", not "2"',
  ]);
  assert.deepEqual(await refused('max_amount=9007199254740992&category_id=1&category_ids=2'), [
    'Query parameter max_amount must be at most 900719925474.0991, not "9007199254740992"',
    'Query parameter category_ids cannot be sent together with category_id',
  ]);
  assert.deepEqual(await refused('as_of=1&q=x&sort=date'), [
    'Query parameter q cannot be sent together with as_of: it filters only the present',
    'Query parameter sort cannot be sent together with as_of: it filters only the present',
  ]);
  assert.deepEqual(await refused('tag_ids=1,0'), [
    'Query parameter tag_ids cannot have 0 together with other ids: "1,0"',
  ]);
  assert.deepEqual(await refused('counts_as=income&is_pending=true'), [
    'Query parameter is_pending cannot be true together with counts_as "income": pending transactions do not count',
  ]);
  const twice = await client.refused(
    'GET',
    '/coffer/sums?start_month=2024-01&start_date=2024-01-02',
  );
  assert.deepEqual(pick(twice, 'errMsg'), [
    'Query parameter start_month cannot be sent together with start_date',
  ]);
  const long = ['1'.repeat(17), `${'1,'.repeat(100)}1`];
  for (const ids of ['', '1,', ',1', '-1', '01', '1.0', 'x', ...long])
    assert.equal((await refused(`category_ids=${ids}`)).length, 1, ids);
  for (const query of ['by=', 'by=year', 'by=month,', 'start_month=2024-13', 'end_month=2024'])
    assert.equal((await client.refused('GET', `/coffer/sums?${query}`)).length, 1, query);
  assert.equal((await client.refused('GET', `${list}/months?limit=3`)).length, 1);
  assert.equal((await client.refused('GET', '/coffer/payees?limit=101')).length, 1);
});

test('payees that begin with the words come first, with the category that was last used', async () => {
  const named = { name: 'Travel' };
  const { body: category } = await client.send<{ id: number }>('POST', '/v2/categories', named);
  const day = (date: number) => `2025-01-0${date}`;
  const rows = [
    { payee: 'Big Rail', date: day(1) },
    { payee: 'Big Rail', date: day(2) },
    { payee: 'Rail Café', date: day(3), category_id: category.id },
    { payee: 'Rail Café', date: day(4) },
    { payee: 'Other', notes: 'rail', date: day(5) },
  ];
  const transactions = rows.map((row) => ({ amount: '1', ...row }));
  await client.send('POST', '/v2/transactions', { transactions });
  const payeesOf = async (query: string): Promise<PayeeList['payees']> =>
    (await client.send<PayeeList>('GET', `/coffer/payees?${query}`)).body.payees;
  assert.deepEqual(await payeesOf('q=RAIL'), [
    { payee: 'Rail Café', count: 2, last_date: day(4), category_id: category.id },
    { payee: 'Big Rail', count: 2, last_date: day(2), category_id: null },
  ]);
  assert.deepEqual(pick(await payeesOf('q=rail&limit=1'), 'payee'), ['Rail Café']);
  assert.equal((await payeesOf('limit=1'))[0]?.payee, 'Someone');
});

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

test('a list of what counts has no parent of a split, whatever else is sent', async () => {
  const transactions = [
    { amount: '9', payee: 'Whole', date: '2024-06-01' },
    { amount: '-4', payee: 'Paid back', date: '2024-06-02' },
  ];
  const { body: made } = await client.send<{ transactions: { id: number }[] }>(
    'POST',
    '/v2/transactions',
    { transactions },
  );
  const parts = [5, 4].map((amount) => ({ amount, payee: `Part ${amount}` }));
  const split = `/v2/transactions/split/${made.transactions[0]!.id}`;
  await client.send('POST', split, { child_transactions: parts });
  const payeesOf = async (side: string): Promise<unknown[]> => {
    const query =
      'start_date=2024-06-01&end_date=2024-06-30&include_split_parents=true&sort=amount';
    const path = `${list}?${query}${side}`;
    const { body } = await client.send<{ transactions: { payee: string }[] }>('GET', path);
    return pick(body.transactions, 'payee');
  };
  assert.deepEqual(await payeesOf(''), ['Paid back', 'Part 4', 'Part 5', 'Whole']);
  assert.deepEqual(await payeesOf('&counts_as=spending'), ['Part 4', 'Part 5']);
  assert.deepEqual(await payeesOf('&counts_as=income'), ['Paid back']);
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
