import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coffer, jsonLines, newBook, refuses, runCoffer } from '../../testing/run-coffer.ts';

const book = await newBook();
const run = (...argv: string[]) => runCoffer(['recurring', ...argv, ...book]);
const list = async () => jsonLines((await run('list', '--json')).stdout);

test('items are added, listed, changed and removed', async () => {
  const empty = { code: 0, stdout: '', stderr: 'There are no recurring items\n' };
  assert.deepEqual(await run('list'), empty);
  const rent = ['--amount', '950', '--anchor', '2026-01-31', '--every', '2weeks'];
  const more = ['--tolerance', '5', '--from', '2026-01-01', '--show-payee', 'Rent'];
  const added = await run('add', 'Landlord', ...rent, ...more, '--currency', 'EUR', '--json');
  const item = {
    id: 1,
    description: null,
    status: 'reviewed',
    payee: 'Landlord',
    amount: '950.0000',
    amount_tolerance: '5.0000',
    currency: 'eur',
    every: '2 weeks',
    granularity: 'week',
    quantity: 2,
    anchor_date: '2026-01-31',
    start_date: '2026-01-01',
    end_date: null,
    manual_account_id: null,
    plaid_account_id: null,
    shown_payee: 'Rent',
    shown_notes: null,
    shown_category_id: null,
  };
  assert.deepEqual(JSON.parse(added.stdout), item);
  const [titles, line] = (await coffer('recurring', 'list', ...book)).split('\n');
  assert.match(titles!, /^ID {2}PAYEE +AMOUNT +CURRENCY {2}EVERY +ANCHOR DATE {2}STATUS$/);
  assert.match(line!, /^ 1 {2}Landlord {2}950\.0000 {2}eur +2 weeks {2}2026-01-31 {3}reviewed$/);
  const changes = ['--amount', '-9.5', '--from', '', '--show-notes', 'n'];
  const { code, stderr } = await run('update', 'rent', ...changes);
  assert.deepEqual([code, stderr], [0, 'Changed the recurring item 1 "Landlord"\n']);
  const after = { ...item, amount: '-9.5000', start_date: null, shown_notes: 'n' };
  assert.deepEqual(await list(), [after]);
  await run('update', '1', '--payee', 'Owner', '--description', 'flat', '--show-payee', '');
  assert.deepEqual(await list(), [
    { ...after, payee: 'Owner', description: 'flat', shown_payee: null },
  ]);
  assert.equal((await run('dismiss', 'flat')).stderr, 'Dismissed the recurring item 1 "Owner"\n');
  assert.equal((await list())[0]!['status'], 'dismissed');
  assert.equal((await run('accept', 'owner')).stderr, 'Accepted the recurring item 1 "Owner"\n');
  assert.equal((await list())[0]!['status'], 'reviewed');
  assert.equal((await run('remove', '1')).stderr, 'Removed the recurring item 1 "Owner"\n');
  assert.deepEqual(await list(), []);
});

test('invalid options and unknown records are refused', async () => {
  const valid = ['--amount', '1', '--anchor', '2026-01-01'];
  for (const [argv, code, message] of [
    [['add', 'A'], 2, /^Give the item an --amount and an --anchor\n$/],
    [['add', 'A', ...valid, '--amount', '1,5'], 2, /^--amount: "1,5" is not an amount/],
    [['add', 'A', ...valid, '--anchor', '2026-02-30'], 2, /^--anchor: "2026-02-30" is not a date/],
    [['add', 'A', ...valid, '--every', '0weeks'], 2, /^--every: "0weeks" is not a period/],
    [['add', 'A', ...valid, '--currency', 'x'], 2, /^--currency: "x" is not a supported/],
    [['add', 'A', ...valid, '--account', 'X'], 1, /^The book "My book" has no accounts\n$/],
    [['add', 'A', ...valid, '--tolerance', '-1'], 1, /amount_tolerance must not be negative: "-1"/],
    [['accept', 'A'], 1, /^The book "My book" has no recurring items\n$/],
  ] as const) {
    await refuses(['recurring', ...argv, ...book], code, message);
  }
  assert.equal((await run('add', 'A', ...valid)).code, 0);
  await refuses(['recurring', 'update', 'A', ...book], 2, 'Nothing to change: give an option\n');
});
