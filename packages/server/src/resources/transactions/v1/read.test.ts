import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change } from '../../../changes/change.ts';
import { changing } from '../../../changes/changing.ts';
import type { Steps } from '../../../db/engine.ts';
import { categories, recurringItems } from '../../../db/tables.ts';
import { bookClient } from '../../../http/testing/book-client.ts';
import type { BookClient } from '../../../http/testing/book-client.ts';
import { makeTestApp } from '../../../http/testing/test-app.ts';
import { makeWriteScene } from '../testing/write-scene.ts';
import { BulkRows, insertTransactions } from '../writes.ts';
import type { NewTransaction } from '../writes.ts';
import { examplesV1 } from './examples.ts';
import type { TransactionV1 } from './schema.ts';

interface Page {
  readonly transactions: readonly TransactionV1[];
  readonly has_more: boolean;
}

const day = '2023-11-05';

/** A book with rows of every kind. The clock of the service is in November 2023. */
async function makeBook() {
  const made = await makeTestApp();
  const bookId = made.ada.identity.book.id;
  const write = <T>(work: (change: Change) => Steps<T>) =>
    made.engine.write(() => changing({ bookId, actor: 'test', operation: 'fill' }, work));
  const scene = await write(makeWriteScene);
  const insert = (rows: readonly Partial<NewTransaction>[]) =>
    write(function* (change) {
      const ids: number[] = [];
      for (const row of rows) {
        const id = yield* new BulkRows(change).nextId();
        const money = { amount: 12_300, to_base: 6150, currency: 'eur', status: 'unreviewed' };
        yield* insertTransactions(change, [{ id, date: day, payee: 'P', ...money, ...row }]);
        ids.push(id);
      }
      return ids;
    });
  const client = bookClient(made, made.ada);
  return { made, scene, write, insert, client };
}

/** The transactions of a list. */
async function listed({ send }: BookClient, query: string): Promise<readonly TransactionV1[]> {
  const { status, body } = await send<Page>('GET', `/v1/transactions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.transactions;
}

const month = 'start_date=2023-11-01&end_date=2023-11-30';
const ids = (rows: readonly TransactionV1[]) => rows.map(({ id }) => id);

/** The keys of a transaction, in the order of recorded responses. */
const keys = [
  'id date amount currency to_base payee category_id category_name category_group_id',
  'category_group_name is_income exclude_from_budget exclude_from_totals created_at',
  'updated_at status is_pending notes original_name recurring_id recurring_payee',
  'recurring_description recurring_cadence recurring_granularity recurring_quantity',
  'recurring_type recurring_amount recurring_currency parent_id has_children group_id',
  'is_group asset_id asset_institution_name asset_name asset_display_name asset_status',
  'plaid_account_id plaid_account_name plaid_account_mask institution_name',
  'plaid_account_display_name plaid_metadata source display_name display_notes',
  'account_display_name tags external_id',
].flatMap((line) => line.split(' '));

test('v1 shows a transaction with the texts of all that it refers to, with exactly its keys', async () => {
  const { made, scene, write, insert, client } = await makeBook();
  const { send } = client;
  const [home, rent, item] = await write(function* (change) {
    const home = yield* change.insert(categories, {
      ...{ name: 'Home', is_group: true, is_income: true, exclude_from_totals: true },
    });
    const flags = { is_income: true, exclude_from_totals: true };
    const rent = yield* change.insert(categories, { name: 'Rent', group_id: home.id, ...flags });
    const item = yield* change.insert(recurringItems, {
      ...{ granularity: 'month', quantity: 3, anchor_date: day, amount: -50_000, to_base: 1 },
      ...{ currency: 'usd', created_by: 1, status: 'reviewed', source: 'manual' },
      ...{ payee: 'Landlord', description: 'Flat' },
    });
    return [home, rent, item];
  });
  const [plain, synced, linked] = await insert([
    {
      ...{ category_id: rent.id, manual_account_id: scene.cash, status: 'reviewed' },
      ...{
        tag_ids: `[${scene.tagB},${scene.tagA}]`,
        notes: 'N',
        external_id: 'E',
        source: 'split',
      },
    },
    { plaid_account_id: scene.bank, is_pending: true, plaid_metadata: '{"a": 1}', source: 'plaid' },
    { recurring_id: item.id, status: 'delete_pending' },
  ]);
  const one = async (id: number | undefined, query = '') =>
    (await send<TransactionV1>('GET', `/v1/transactions/${id}${query}`)).body;
  const shown = await one(plain);
  assert.deepEqual(Object.keys(shown), keys);
  const { created_at, updated_at } = shown;
  const expected: TransactionV1 = {
    ...examplesV1.one.bakery.value,
    ...{ id: plain!, date: day, amount: '1.2300', to_base: 0.615, payee: 'P', original_name: null },
    ...{ category_id: rent.id, category_name: 'Rent', category_group_id: home.id },
    ...{ category_group_name: 'Home', is_income: true, exclude_from_totals: true },
    ...{ created_at, updated_at, notes: 'N', asset_id: scene.cash, asset_name: 'Cash' },
    ...{ source: 'api', display_name: 'P', display_notes: 'N', account_display_name: 'Cash' },
    external_id: 'E',
    tags: [
      { name: 'b', id: scene.tagB },
      { name: 'a', id: scene.tagA },
    ],
  };
  assert.deepEqual(shown, expected);
  const negated = { ...expected, amount: '-1.2300', to_base: -0.615 };
  assert.deepEqual(await one(plain, '?debit_as_negative=true'), negated);
  const bank = await one(synced);
  const account = [bank.plaid_account_id, bank.plaid_account_name, bank.plaid_account_mask];
  assert.deepEqual(account, [scene.bank, 'Bank', '1234']);
  assert.deepEqual([bank.institution_name, bank.account_display_name], ['Bank', 'Bank Bank']);
  assert.deepEqual(
    [bank.status, bank.is_pending, bank.plaid_metadata],
    ['pending', true, '{"a":1}'],
  );
  const recurring = Object.entries(await one(linked, '?debit_as_negative=true')).filter(([name]) =>
    /^recurring|^display|^payee|^status/.test(name),
  );
  assert.deepEqual(Object.fromEntries(recurring), {
    ...{ status: 'uncleared', payee: 'P', display_name: 'P', display_notes: null },
    ...{ recurring_id: item.id, recurring_payee: 'Landlord', recurring_description: 'Flat' },
    ...{ recurring_cadence: 'every 3 months', recurring_granularity: 'month' },
    ...{ recurring_quantity: 3, recurring_type: 'cleared', recurring_amount: '5.0000' },
    recurring_currency: 'usd',
  });
  const other = await bookClient(made, made.ben).send('GET', `/v1/transactions/${plain}`);
  assert.deepEqual([other.status, other.body], [404, { error: 'Transaction ID not found.' }]);
});

test('v1 lists everything at once, filtered, the newest page in ascending order', async () => {
  const { scene, insert, client } = await makeBook();
  const { send } = client;
  const made = await insert([
    { date: '2023-11-30', amount: 20_000, to_base: 20_000, category_id: scene.food },
    { date: '2023-11-01', manual_account_id: scene.cash, tag_ids: `[${scene.tagA}]` },
    { date: '2023-11-01', status: 'reviewed' },
    { plaid_account_id: scene.bank, is_pending: true },
    { plaid_account_id: scene.bank, status: 'delete_pending' },
    { date: '2023-10-31' },
    { date: '2023-12-01' },
  ]);
  const [parent, asset, reviewed, pending, gone] = made as [number, number, number, number, number];
  const split = { child_transactions: [{ amount: 0.5 }, { amount: 1.5 }] };
  const { body } = await send<{ children: { id: number }[] }>(
    ...(['POST', `/v2/transactions/split/${parent}`, split] as const),
  );
  const [first, second] = body.children.map(({ id }) => id) as [number, number];
  const grouped = { date: '2023-11-06', payee: 'G', transactions: [asset, reviewed] };
  const { body: group } = await send<number>('POST', '/v1/transactions/group', grouped);
  const all = [asset, reviewed, gone, group, parent, first, second];
  assert.deepEqual(ids(await listed(client, month)), all);
  // Without dates it is the current month; unknown parameters are ignored.
  const rows = await listed(client, 'is_pending=1&colour=red');
  assert.deepEqual(ids(rows), all);
  const parts = rows.filter(({ parent_id: id }) => id === parent);
  assert.deepEqual(ids(parts), [first, second]);
  const has = (name: 'has_children' | 'is_group') => ids(rows.filter((row) => row[name]));
  assert.deepEqual([has('has_children'), has('is_group')], [[parent], [group]]);
  const members = rows.filter(({ group_id: id }) => id === group);
  assert.deepEqual(ids(members), [asset, reviewed]);
  assert.deepEqual(Object.keys(rows.at(-3)!).includes('children'), false);
  assert.equal(rows.at(-3)!.amount, '2.0000');
  const bySign = await listed(client, `${month}&debit_as_negative=true&is_group=true`);
  assert.deepEqual(
    bySign[0]!.children!.map(({ amount }) => amount),
    ['-1.2300', '-1.2300'],
  );
  assert.deepEqual([bySign[0]!.amount, bySign[0]!.to_base], ['-2.46', -1.23]);
  const filtered: [string, number[]][] = [
    ['pending=true', [asset, reviewed, pending, gone, group, parent, first, second]],
    ['status=cleared&pending=true', [reviewed]],
    ['status=uncleared&pending=true', all.filter((id) => id !== reviewed)],
    ['status=pending', [pending]],
    ['status=recurring', []],
    ['status=recurring_suggested', []],
    [`category_id=${scene.food}`, [parent, first, second]],
    [`tag_id=${scene.tagA}`, [asset]],
    [`asset_id=${scene.cash}`, [asset]],
    [`plaid_account_id=${scene.bank}`, [gone]],
    ['recurring_id=9', []],
    ['is_group=true', [group]],
    ['is_group=false', all.filter((id) => id !== group)],
    [`group_id=${group}`, [asset, reviewed]],
    ['limit=1000000', all],
  ];
  for (const [query, expected] of filtered)
    assert.deepEqual(ids(await listed(client, `${month}&${query}`)), expected, query);
  const pages: Page[] = [];
  for (const offset of [0, 3, 6])
    pages.push((await send<Page>('GET', `/v1/transactions?limit=3&offset=${offset}`)).body);
  assert.deepEqual(
    pages.map((page) => ids(page.transactions)),
    [[parent, first, second], [reviewed, gone, group], [asset]],
  );
  assert.deepEqual(
    pages.map((page) => page.has_more),
    [true, true, false],
  );
  const exact = await send<Page>('GET', '/v1/transactions?limit=7');
  assert.equal(exact.body.has_more, false);
});

test('v1 returns, creates and deletes groups', async () => {
  const { scene, insert, client } = await makeBook();
  const { send } = client;
  const [one, two, three] = (await insert([
    { category_id: scene.food, notes: 'N', manual_account_id: scene.cash },
    { category_id: scene.food, amount: 5_000_000, to_base: -50_000 },
    {},
  ])) as [number, number, number];
  const body = {
    ...{ date: '2023-11-06T23:30:00-08:00', payee: 'Trip', category_id: null, unknown: 1 },
    ...{ notes: 'All', tags: [scene.tagA], transactions: [one, two] },
  };
  const made = await send<number>('POST', '/v1/transactions/group', body);
  assert.deepEqual([made.status, typeof made.body], [200, 'number']);
  const got = await send<TransactionV1>(
    'GET',
    `/v1/transactions/group?transaction_id=${made.body}`,
  );
  const { children, ...group } = got.body;
  assert.deepEqual(
    [group.date, group.payee, group.notes, group.amount, group.to_base, group.category_name],
    ['2023-11-06', 'Trip', 'All', '501.23', -4.385, 'Food'],
  );
  assert.deepEqual([group.asset_id, group.original_name], [null, 'Trip']);
  const member = { payee: 'P', currency: 'eur', date: day, formatted_date: day, to_base: 0.615 };
  assert.deepEqual(children, [
    {
      ...member,
      id: one,
      amount: '1.2300',
      notes: 'N',
      asset_id: scene.cash,
      plaid_account_id: null,
    },
    {
      ...{ ...member, id: two, amount: '500.0000', to_base: -5 },
      ...{ notes: null, asset_id: null, plaid_account_id: null },
    },
  ]);
  for (const path of [
    `group?transaction_id=${one}`,
    `group/${two}`,
    `group/${made.body}`,
    made.body,
  ])
    assert.deepEqual((await send('GET', `/v1/transactions/${path}`)).body, got.body);
  const none = (id: number) =>
    `Transaction ${id} is not a transaction group, or part of a transaction group.`;
  for (const id of [three, 9]) {
    const refused = await send('GET', `/v1/transactions/group?transaction_id=${id}`);
    assert.deepEqual([refused.status, refused.body], [404, { error: [none(id)] }]);
  }
  const taken = (id: number) =>
    `Transaction ${id} is in a transaction group already (${made.body}) and cannot be added to another transaction group.`;
  const again = await send('POST', '/v1/transactions/group', { ...body, tags: [9] });
  const tag = 'Transaction group tag ID does not exist: 9';
  assert.deepEqual([again.status, again.body], [404, { error: [taken(one), taken(two), tag] }]);
  const deleted = await send('DELETE', `/v1/transactions/group/${made.body}`, {});
  assert.deepEqual([deleted.status, deleted.body], [200, { transactions: [one, two] }]);
  assert.deepEqual(ids(await listed(client, month)), [one, two, three]);
  for (const id of [made.body, one]) {
    const refused = await send('DELETE', `/v1/transactions/group/${id}`);
    const text = `No transactions found for this group_id ${id}.`;
    assert.deepEqual([refused.status, refused.body], [404, { error: [text] }]);
  }
});

test('v1 refuses reads and groups with 404 and all problems, and changes nothing', async () => {
  const { client } = await makeBook();
  const { send } = client;
  await client.changes();
  const half = 'Both start_date and end_date must be specified.';
  for (const name of ['start_date', 'end_date']) {
    const { status, body } = await send('GET', `/v1/transactions?${name}=2023-11-01`);
    assert.deepEqual([status, body], [404, { error: half }]);
  }
  const invalid: [string, string, unknown?][] = [
    ['GET', '/v1/transactions?start_date=2023-11-02&end_date=2023-11-01'],
    ['GET', '/v1/transactions?limit=0&status=open'],
    ['GET', '/v1/transactions?offset=-1&limit=x'],
    ['GET', '/v1/transactions/x'],
    ['GET', '/v1/transactions/group'],
    [
      'POST',
      '/v1/transactions/group',
      { date: '2023-11-31', payee: 'P', transactions: [1001, 1002] },
    ],
    ['POST', '/v1/transactions/group', { date: day, payee: 'P', transactions: [1001] }],
    ['POST', '/v1/transactions/group', {}],
    ['POST', '/v1/transactions/group', { date: day, payee: 'P', transactions: [1, 1001, 1001] }],
  ];
  for (const [method, url, body] of invalid) {
    const { status, body: refused } = await send<{ error: string[] }>(method, url, body);
    assert.equal(status, 404, url);
    assert.ok(refused.error.every((text) => typeof text === 'string') && refused.error.length > 0);
  }
  assert.deepEqual(await client.changes(), []);
});
