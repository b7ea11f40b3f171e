import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../../db/testing/engines.ts';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { ManualAccount } from './schema.ts';
import type { AccountDays, AccountProof, BalanceAnchorWire } from './proof-schema.ts';

const { send, ok, status, refused } = await openBooks();
const accounts = '/v2/manual_accounts';
const today = '2023-11-14';

let names = 0;
const create = (body: object = {}) =>
  ok<ManualAccount>('POST', accounts, {
    name: `Account ${(names += 1)}`,
    type: 'cash',
    currency: 'usd',
    balance: 0,
    ...body,
  });
const balanceOf = async (id: number) =>
  (await ok<ManualAccount>('GET', `${accounts}/${id}`)).balance;
const insert = async (
  id: number,
  rows: readonly (readonly [date: string, amount: number])[],
  more = {},
) => {
  const transactions = rows.map(([date, amount]) => ({
    date,
    amount,
    manual_account_id: id,
    currency: 'usd',
  }));
  const body = { transactions, ...more };
  return (await ok<{ transactions: { id: number }[] }>('POST', '/v2/transactions', body))
    .transactions;
};
const proofOf = (id: number) => ok<AccountProof>('GET', `/coffer/accounts/${id}/proof`);
const know = (id: number, day: string, balance: string) =>
  ok<BalanceAnchorWire>('POST', `/coffer/accounts/${id}/anchors`, { day, balance });
const states = async (id: number) =>
  (await proofOf(id)).stretches.map(({ state, from, to }) => `${from.day} ${to.day} ${state}`);

test('a request that moves a balance sets the anchor of today, one for each day, whatever its date is', async () => {
  const { id } = await create({ balance: 100 });
  await insert(id, [['2020-01-01', 30]]);
  await insert(id, [['2030-01-01', 5]]);
  assert.equal(await balanceOf(id), '65.0000');
  assert.equal((await proofOf(id)).anchors, 1);
  await know(id, '2020-06-30', '65');
  const { stretches, state } = await proofOf(id);
  assert.equal(state, 'unknown');
  assert.deepEqual(pick(pick(stretches, 'to'), 'source', 'day', 'balance'), [
    ['api', today, '65.0000'],
  ]);
  assert.deepEqual([stretches[0]!.state, stretches[0]!.difference], ['moved', '5.0000']);
});

for (const { name, skip, open } of engines)
  test(`a balance may have more ahead of it than any amount: ${name}`, { skip }, async () => {
    const clock = () => Date.parse(`${today}T22:00:00Z`);
    const book = await openBooks({ opened: await open(clock) });
    const account = { name: 'Ahead', type: 'cash', currency: 'usd', balance: 100 };
    const { id } = await book.ok<ManualAccount>('POST', accounts, account);
    const rows = ['2030-01-01', '2030-01-02', '2030-01-03'].map((date) => {
      return { date, amount: '900719925474.0991', manual_account_id: id, currency: 'usd' };
    });
    const path = '/v2/transactions';
    await book.ok('POST', path, { transactions: rows, skip_balance_update: true });
    for (const amount of [5, 6])
      await book.ok('POST', path, { transactions: [{ ...rows[0]!, amount }] });
    const { balance } = await book.ok<ManualAccount>('GET', `${accounts}/${id}`);
    const { state } = await book.ok<AccountProof>('GET', `/coffer/accounts/${id}/proof`);
    assert.deepEqual([balance, state], ['89.0000', 'unknown']);
  });

test('a balance is followed by later rows, and a wrong one is found with what explains it', async () => {
  const { id } = await create();
  const rows = await insert(id, [
    ['2023-01-10', 10],
    ['2023-02-10', 20],
    ['2023-02-11', -7],
  ]);
  await ok('POST', `/coffer/accounts/${id}/anchors`, {
    ...{ day: '2022-12-31', balance: 100 },
    forget_moved: true,
  });
  assert.equal(await balanceOf(id), '77.0000');
  await know(id, '2023-01-31', '90');
  await know(id, '2023-02-28', '77');
  assert.deepEqual(await states(id), [
    '2023-01-31 2023-02-28 proved',
    '2022-12-31 2023-01-31 proved',
  ]);
  assert.equal((await proofOf(id)).proved_until, '2023-02-28');
  assert.equal(await balanceOf(id), '77.0000');
  await ok('PUT', `/v2/transactions/${rows[2]!.id}`, { amount: 7 });
  const proof = await proofOf(id);
  const { write, explanations } = proof.stretches.find(({ state }) => state === 'broken')!;
  assert.deepEqual(
    [proof.state, proof.proved_until, proof.broken_on, proof.difference],
    ['broken', '2023-01-31', '2023-02-28', '14.0000'],
  );
  assert.deepEqual(explanations, [{ kind: 'turned', transaction_ids: [rows[2]!.id] }]);
  assert.equal(write!.operation, 'updateTransaction');
  await ok('PUT', `/v2/transactions/${rows[2]!.id}`, { amount: -7 });
  assert.equal((await proofOf(id)).state, 'proved');
  await send('DELETE', `/v2/transactions/${rows[0]!.id}`);
  const [{ write: removal }] = (await proofOf(id)).stretches.filter(
    ({ state }) => state === 'broken',
  ) as [AccountProof['stretches'][number]];
  assert.equal(removal!.operation, 'deleteTransactionById');
});

test('the balances of days follow from the known ones; debts are negative', async () => {
  const { id } = await create({ type: 'credit', balance: 50 });
  await insert(id, [['2023-03-01', 20]], { skip_balance_update: true });
  assert.equal(await balanceOf(id), '50.0000');
  await know(id, '2023-02-28', '-30');
  const days = await ok<AccountDays>(
    'GET',
    `/coffer/accounts/${id}/days?start_date=2023-02-01&end_date=2023-12-31`,
  );
  assert.deepEqual(pick(days.days, 'date', 'balance', 'state'), [
    ['2023-03-01', '-50.0000', 'proved'],
    ['2023-12-31', '-50.0000', null],
  ]);
});

test('another currency or type keeps the balance, and its anchors count no more, or are right as they are', async () => {
  const { id } = await create({ balance: 10 });
  await know(id, '2023-01-31', '7');
  await ok('PUT', `${accounts}/${id}`, { currency: 'eur' });
  assert.deepEqual([await balanceOf(id), (await proofOf(id)).anchors], ['10.0000', 1]);
  await ok('PUT', `${accounts}/${id}`, { currency: 'usd' });
  assert.equal((await proofOf(id)).anchors, 2);
  await ok('PUT', `${accounts}/${id}`, { type: 'loan' });
  const [stretch] = (await proofOf(id)).stretches;
  assert.deepEqual([stretch!.from.balance, stretch!.to.balance], ['7.0000', '-10.0000']);
});

test('anchors go with a merged and a removed account', async () => {
  const from = await create({ balance: 10 });
  const into = await create({ balance: 5 });
  await know(from.id, '2023-01-31', '7');
  await insert(from.id, [['2023-02-01', 3]]);
  await ok('POST', `/coffer/manual_accounts/${from.id}/merge`, { into_id: into.id });
  assert.equal(await status('GET', `/coffer/accounts/${from.id}/proof`), 404);
  assert.deepEqual([(await proofOf(into.id)).anchors, await balanceOf(into.id)], [1, '5.0000']);
  const known = await know(into.id, '2023-01-31', '7');
  assert.equal(await status('DELETE', `${accounts}/${into.id}`), 204);
  assert.equal(await status('DELETE', `/coffer/balance_anchors/${known.id}`), 404);
});

test('a known balance can be forgotten, and then the one before counts', async () => {
  const { id } = await create();
  await know(id, '2023-01-31', '7');
  const { id: wrong } = await know(id, '2023-02-28', '9');
  assert.equal(await balanceOf(id), '9.0000');
  assert.equal(await status('DELETE', `/coffer/balance_anchors/${wrong}`), 204);
  assert.equal(await balanceOf(id), '7.0000');
});

test('a day in the future, and a balance that is too large, are refused', async () => {
  const { id } = await create();
  const path = `/coffer/accounts/${id}/anchors`;
  assert.deepEqual(
    pick(await refused('POST', path, { day: '2023-11-15', balance: 1 }), 'instancePath'),
    ['/body/day'],
  );
  assert.deepEqual(
    pick(await refused('POST', path, { day: today, balance: '1e3' }), 'instancePath'),
    ['/body/balance'],
  );
  for (const balance of [9_007_199_254_740_993, '-900719925474.0992'])
    assert.deepEqual(
      pick(
        await refused('POST', path, { day: today, balance }),
        'errMsg',
        'instancePath',
        'balance',
      ),
      [[`Body property balance is too large: "${balance}"`, '/body/balance', balance]],
    );
  assert.equal((await proofOf(id)).anchors, 0);
});
