import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { categories } from '../../db/tables/tables.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import {
  makeWriteClient,
  type WriteClient,
} from '../../ledger/transactions/testing/write-client.ts';
import { examplesV1 } from './routes.ts';
import type { TransactionV1 } from './schema.ts';

interface Page {
  readonly transactions: readonly TransactionV1[];
  readonly has_more: boolean;
}

const day = '2023-11-05';
const month = 'start_date=2023-11-01&end_date=2023-11-30';
const money = { amount: 12_300, to_base: 6150, status: 'unreviewed', date: day, payee: 'P' };

/** A book of its own. The clock of the service is in November 2023. */
async function makeBook(): Promise<WriteClient> {
  const client = await makeWriteClient();
  after(() => client.made.app.close());
  const add: WriteClient['add'] = (...rows) =>
    client.add(...rows.map((row) => ({ ...money, ...row })));
  return { ...client, add };
}

async function listed({ send }: WriteClient, query: string): Promise<readonly TransactionV1[]> {
  const { status, body } = await send<Page>('GET', `/v1/transactions?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.transactions;
}

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
  const client = await makeBook();
  const { scene, send } = client;
  const flags = { is_income: true, exclude_from_totals: true };
  const [home, rent] = await client.change(function* (change) {
    const home = yield* change.insert(categories, { name: 'Home', is_group: true, ...flags });
    return [home, yield* change.insert(categories, { name: 'Rent', group_id: home.id, ...flags })];
  });
  const tags = [
    { name: 'b', id: scene.tagB },
    { name: 'a', id: scene.tagA },
  ];
  const tag_ids = `[${scene.tagB},${scene.tagA}]`;
  const own = { notes: 'N', external_id: 'E', source: 'split', status: 'reviewed' };
  const [plain, synced, deleted] = await client.add(
    { ...own, tag_ids, category_id: rent.id, manual_account_id: scene.cash },
    { plaid_account_id: scene.bank, is_pending: true, plaid_metadata: '{"a": 1}', source: 'plaid' },
    { status: 'delete_pending' },
  );
  const one = async (id: number | undefined) =>
    (await send<TransactionV1>('GET', `/v1/transactions/${id}`)).body;
  const shown = await one(plain);
  assert.deepEqual(Object.keys(shown), keys);
  const { created_at, updated_at } = shown;
  const expected: TransactionV1 = {
    ...examplesV1.one.bakery.value,
    id: plain!,
    date: day,
    amount: '1.2300',
    to_base: 0.615,
    payee: 'P',
    original_name: null,
    category_id: rent.id,
    category_name: 'Rent',
    category_group_id: home.id,
    category_group_name: 'Home',
    is_income: true,
    exclude_from_totals: true,
    created_at,
    updated_at,
    notes: 'N',
    asset_id: scene.cash,
    asset_name: 'Cash',
    source: 'api',
    display_name: 'P',
    display_notes: 'N',
    account_display_name: 'Cash',
    external_id: 'E',
    tags,
  };
  assert.deepEqual(shown, expected);
  const bank = await one(synced);
  const account = [bank.plaid_account_id, bank.plaid_account_name, bank.plaid_account_mask];
  assert.deepEqual(account, [scene.bank, 'Bank', '1234']);
  assert.deepEqual([bank.institution_name, bank.account_display_name], ['Bank', 'Bank Bank']);
  assert.deepEqual(
    [bank.status, bank.is_pending, bank.plaid_metadata],
    ['pending', true, '{"a":1}'],
  );
  assert.equal((await one(deleted)).status, 'uncleared');
  const { made } = client;
  const other = await bookClient(made, made.ben).send('GET', `/v1/transactions/${plain}`);
  assert.deepEqual([other.status, other.body], [404, { error: 'Transaction ID not found.' }]);
});

test('v1 lists everything at once, filtered, the newest page in ascending order', async () => {
  const client = await makeBook();
  const { scene, send } = client;
  const made = await client.add(
    { date: '2023-11-30', amount: 20_000, to_base: 20_000, category_id: scene.food },
    { date: '2023-11-01', manual_account_id: scene.cash, tag_ids: `[${scene.tagA}]` },
    { date: '2023-11-01', status: 'reviewed' },
    { plaid_account_id: scene.bank, is_pending: true },
    { plaid_account_id: scene.bank, status: 'delete_pending' },
    { date: '2023-10-31' },
    { date: '2023-12-01' },
  );
  const [parent, asset, reviewed, pending, gone] = made as [number, number, number, number, number];
  const split = { child_transactions: [{ amount: 0.5 }, { amount: 1.5 }] };
  const splitUrl = `/v2/transactions/split/${parent}`;
  const { body } = await send<{ children: { id: number }[] }>('POST', splitUrl, split);
  const [first, second] = body.children.map(({ id }) => id) as [number, number];
  const grouped = { date: '2023-11-06', payee: 'G', transactions: [asset, reviewed] };
  const { body: group } = await send<number>('POST', '/v1/transactions/group', grouped);
  const all = [asset, reviewed, gone, group, parent, first, second];
  // Without dates it is the current month; unknown parameters are ignored.
  const rows = await listed(client, 'is_pending=1&colour=red');
  assert.deepEqual(ids(rows), all);
  const filtered: [string, number[]][] = [
    ['', all],
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
    ['is_group=True', [group]],
    ['is_group=TRUE', [group]],
    ['is_group=false', all.filter((id) => id !== group)],
    [`group_id=${group}`, [asset, reviewed]],
    ['limit=1000000', all],
  ];
  for (const [query, expected] of filtered)
    assert.deepEqual(ids(await listed(client, `${month}&${query}`)), expected, query);
  const pages: unknown[] = [];
  for (const page of ['3&offset=0', '3&offset=3', '3&offset=6', '7']) {
    const { body } = await send<Page>('GET', `/v1/transactions?limit=${page}`);
    pages.push([ids(body.transactions), body.has_more]);
  }
  assert.deepEqual(pages, [
    [[parent, first, second], true],
    [[reviewed, gone, group], true],
    [[asset], false],
    [all, false],
  ]);
});

test('v1 returns, creates and deletes groups', async () => {
  const client = await makeBook();
  const { scene, send, add } = client;
  const [one, two, three] = (await add(
    { category_id: scene.food, notes: 'N', manual_account_id: scene.cash },
    { category_id: scene.food, amount: 5_000_000, to_base: -50_000 },
    {},
  )) as [number, number, number];
  const body = {
    date: '2023-11-06T23:30:00-08:00',
    payee: 'Trip',
    category_id: null,
    unknown: 1,
    notes: 'All',
    tags: [scene.tagA],
    transactions: [one, two],
  };
  const made = await send<number>('POST', '/v1/transactions/group', body);
  assert.deepEqual([made.status, typeof made.body], [200, 'number']);
  const { body: got } = await send<TransactionV1>('GET', `/v1/transactions/${made.body}`);
  assert.deepEqual(
    [got.date, got.payee, got.notes, got.amount, got.to_base, got.category_name],
    ['2023-11-06', 'Trip', 'All', '501.23', -4.385, 'Food'],
  );
  assert.deepEqual([got.asset_id, got.original_name], [null, null]);
  const member = { payee: 'P', currency: 'eur', date: day, formatted_date: day };
  const ofCash = { notes: 'N', asset_id: scene.cash, plaid_account_id: null };
  assert.deepEqual(got.children, [
    { ...member, ...ofCash, id: one, amount: '1.2300', to_base: 0.615 },
    { ...member, ...ofCash, id: two, amount: '500.0000', to_base: -5, notes: null, asset_id: null },
  ]);
  for (const path of [`group?transaction_id=${one}`, `group/${two}`, `group/${made.body}`])
    assert.deepEqual((await send('GET', `/v1/transactions/${path}`)).body, got);
  const taken = (id: number) =>
    `Transaction ${id} is in a transaction group already (${made.body}) and cannot be added to another transaction group.`;
  const tag = 'Transaction group tag ID does not exist: 9';
  const again = await send('POST', '/v1/transactions/group', { ...body, tags: [9] });
  assert.deepEqual([again.status, again.body], [404, { error: [taken(one), taken(two), tag] }]);
  const unknown = await send('DELETE', `/v1/transactions/group/${one}`);
  const text = `No transactions found for this group_id ${one}.`;
  assert.deepEqual([unknown.status, unknown.body], [404, { error: [text] }]);
  const single = await send('GET', `/v1/transactions/group?transaction_id=${three}`);
  const none = `Transaction ${three} is not a transaction group, or part of a transaction group.`;
  assert.deepEqual([single.status, single.body], [404, { error: [none] }]);
  const both = 'Both start_date and end_date must be specified.';
  const half = await send('GET', `/v1/transactions?start_date=${day}`);
  assert.deepEqual([half.status, half.body], [404, { error: both }]);
  const deleted = await send('DELETE', `/v1/transactions/group/${made.body}`, {});
  assert.deepEqual([deleted.status, deleted.body], [200, { transactions: [one, two] }]);
  assert.deepEqual(ids(await listed(client, month)), [one, two, three]);
});
