import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InsertedTransactions, UpdatedTransactions } from './bodies.ts';
import { exampleOf } from '../../../operations/schema.ts';
import { Transaction } from '../schema.ts';
import { keysOf, makeWriteClient } from '../testing/write-client.ts';
import { pick } from '../../../http/testing/pick.ts';

const url = '/v2/transactions';

test('transactions are inserted with defaults, as whole objects, as one version', async () => {
  const { insert, send, changes, balance, scene } = await makeWriteClient();
  const { cash, card, food, tagA, tagB } = scene;
  const date = '2026-03-02';
  const own = { date, payee: 'Shop', original_name: 'SHOP 1', category_id: food, notes: 'n' };
  const more = { manual_account_id: cash, external_id: 'x', status: 'reviewed' } as const;
  const custom_metadata = { a: [1, { b: null }] };
  const { transactions, skipped_duplicates } = await insert(
    { date: '2026-03-01', amount: 99.99 },
    {
      ...own,
      ...more,
      amount: '-5',
      currency: 'eur',
      tag_ids: [tagB, tagA, tagB],
      custom_metadata,
    },
    { date, amount: 7, currency: 'usd', payee: null, notes: '', manual_account_id: card },
  );
  assert.deepEqual(skipped_duplicates, []);
  const { id, created_at } = transactions[0]!;
  const plain = {
    ...exampleOf(Transaction),
    id,
    date: '2026-03-01',
    amount: '99.9900',
    currency: 'eur',
    to_base: 99.99,
    payee: '[No Payee]',
    original_name: '[No Payee]',
    category_id: null,
    tag_ids: [],
    notes: null,
    manual_account_id: null,
    status: 'unreviewed',
    source: 'api',
    created_at,
    updated_at: created_at,
    files: [],
    custom_metadata: null,
    external_id: null,
    plaid_metadata: null,
  };
  const shop = {
    ...plain,
    ...own,
    ...more,
    id: id + 1,
    amount: '-5.0000',
    to_base: -5,
    tag_ids: [tagB, tagA],
    custom_metadata,
  };
  // There is no rate of usd, so it has no value in eur.
  const usd = { amount: '7.0000', currency: 'usd', to_base: 0, manual_account_id: card };
  const card1 = { ...plain, ...usd, id: id + 2, date };
  assert.deepEqual(transactions, [plain, shop, card1]);
  for (const each of transactions)
    assert.deepEqual((await send<Transaction>('GET', `${url}/${each.id}`)).body, each);
  assert.deepEqual(await changes(), ['createNewTransactions']);
  // Money in raises an asset; money out raises a liability.
  assert.deepEqual([await balance(cash), await balance(card)], [50_000, 70_000]);
  const listed = await send<InsertedTransactions>('GET', `${url}?start_date=2026-03-01`);
  assert.equal(listed.body.transactions.length, 3);
});

test('balances stay when a request skips them, and never move for synced accounts', async () => {
  const { insert, send, balance, scene } = await makeWriteClient();
  const row = { date: '2026-03-01', amount: 3 };
  const transactions = [{ ...row, manual_account_id: scene.cash }];
  await send('POST', url, { transactions, skip_balance_update: true });
  await insert({ ...row, plaid_account_id: scene.bank });
  assert.equal(await balance(scene.cash), 0);
});

test('duplicates of existing transactions are skipped, the others are inserted', async () => {
  const { insert, send, refused, changes, scene } = await makeWriteClient();
  const { cash, card, bank } = scene;
  const coffee = { date: '2026-03-01', amount: '4.50', payee: 'Café' };
  const first = { ...coffee, manual_account_id: cash, external_id: 'a' };
  const ofBank = { ...coffee, plaid_account_id: bank };
  const { transactions: before } = await insert(first, ofBank, coffee);
  const ids = before.map(({ id }) => id);
  const again = await insert(first, { ...first, amount: 9 + 0.5, manual_account_id: card }, coffee);
  assert.equal(again.transactions.length, 2);
  const skipped = { reason: 'duplicate_external_id', request_transactions_index: 0 };
  assert.deepEqual(again.skipped_duplicates, [
    { ...skipped, existing_transaction_id: ids[0], request_transaction: first },
  ]);
  await changes();
  const sent = [
    { ...coffee, amount: 4.5, external_id: 'a' },
    ofBank,
    { ...coffee, manual_account_id: cash, payee: ` ${coffee.payee}\u00a0` },
    { ...coffee, manual_account_id: cash, external_id: 'a' },
  ];
  const skipping = (transactions: object[]) =>
    send<InsertedTransactions>('POST', url, { transactions, skip_duplicates: true });
  const all = await skipping(sent);
  assert.deepEqual([all.status, all.body.transactions], [201, []]);
  assert.deepEqual(pick(all.body.skipped_duplicates, 'reason', 'existing_transaction_id'), [
    ['duplicate_payee_amount_date', ids[2]],
    ['duplicate_payee_amount_date', ids[1]],
    ['duplicate_payee_amount_date', ids[0]],
    ['duplicate_external_id', ids[0]],
  ]);
  assert.deepEqual(pick(all.body.skipped_duplicates, 'request_transaction'), sent);
  assert.deepEqual(await changes(), []);
  const others = [
    { ...coffee, date: '2026-03-02' },
    { ...coffee, payee: 'Cafe' },
    { ...coffee, amount: -4.5 },
    { ...coffee, manual_account_id: scene.cash, amount: '4.5001' },
  ];
  const kept = await skipping(others);
  assert.equal(kept.body.transactions.length, 4);
  const twice = { ...coffee, manual_account_id: card, external_id: 'b' };
  const repeated = await refused('POST', url, {
    transactions: [twice, { ...first, external_id: 'new' }, twice, { ...twice, external_id: 'c' }],
  });
  assert.deepEqual(keysOf(repeated), [
    {
      error: 'Duplicate External ID',
      transaction_property: 'external_id',
      external_id: 'b',
      transactions_indices: [0, 2],
    },
  ]);
  // Without a manual account, or in two accounts, an external id may be repeated. An empty one is none.
  const b = { ...coffee, external_id: 'b' };
  const empty = { ...coffee, external_id: '', manual_account_id: cash };
  const inAccounts = [cash, card].map((manual_account_id) => ({ ...b, manual_account_id }));
  const allowed = await insert(b, b, ...inAccounts, empty, empty);
  assert.deepEqual(pick(allowed.transactions, 'external_id'), ['b', 'b', 'b', 'b', null, null]);
});

test('all problems of all transactions are listed, and nothing is inserted', async () => {
  const { refused, scene, changes } = await makeWriteClient();
  const { cash, bank, locked, group } = scene;
  const row = { date: '2026-03-01', amount: 1 };
  const errors = await refused('POST', url, {
    transactions: [
      { ...row, category_id: 9_999_999, manual_account_id: -1, tag_ids: [0, 77] },
      { ...row, category_id: group, plaid_account_id: locked, recurring_id: 5 },
      { ...row, manual_account_id: cash, plaid_account_id: bank },
      { ...row, amount: '900719925474.0992', custom_metadata: { a: 'x'.repeat(4089) } },
      { ...row, plaid_account_id: 88 },
    ],
  });
  const of = (transaction_index: number, error: string, invalid_property: string, rest = {}) => ({
    transaction_index,
    error,
    invalid_property,
    ...rest,
  });
  const tag = (index: number, tag_id: number) =>
    of(0, 'Invalid Tag ID', 'tag_ids', { tag_id, tag_ids_index: index });
  const named = { category_id: group, category_group_name: 'Group' };
  const both = { manual_account_id: cash, plaid_account_id: bank };
  assert.deepEqual(keysOf(errors), [
    of(0, 'Invalid Category ID', 'category_id', { category_id: 9_999_999 }),
    of(0, 'Invalid Manual Account ID', 'manual_account_id', { manual_account_id: -1 }),
    tag(0, 0),
    tag(1, 77),
    of(1, 'Invalid Category ID', 'category_id', named),
    of(1, 'Invalid Plaid Account ID', 'plaid_account_id', { plaid_account_id: locked }),
    of(1, 'Invalid Recurring ID', 'recurring_id', { recurring_id: 5 }),
    of(2, 'Invalid Account', 'plaid_account_id', both),
    of(3, 'Invalid Amount', 'amount', { amount: '900719925474.0992' }),
    of(3, 'Invalid Custom Metadata', 'custom_metadata'),
    of(4, 'Invalid Plaid Account ID', 'plaid_account_id', { plaid_account_id: 88 }),
  ]);
  assert.equal(errors[0]?.['errMsg'], 'transactions[0] category ID does not exist: 9999999');
  assert.deepEqual(await changes(), []);
});

test('the bounds of a request are kept, and each problem has its place', async () => {
  const { refused } = await makeWriteClient();
  const row = { date: '2026-03-01', amount: 1 };
  for (const [transactions, count] of [
    [[], 1],
    [Array(501).fill(row), 1],
    [[{ ...row, asset_id: 1, date: '2026-02-30', amount: '1.23456' }], 3],
    [[1e21, -9007199254740993].map((amount) => ({ ...row, amount })), 2],
    [[{ ...row, external_id: 'x'.repeat(76), custom_metadata: [1] }], 2],
  ] as const)
    assert.equal((await refused('POST', url, { transactions })).length, count);
});

test('amounts keep four decimals up to the largest, and texts and metadata any characters', async () => {
  const { insert } = await makeWriteClient();
  const row = { date: '0001-01-01', amount: '-900719925474.0991' };
  const text = '\u{1f600} "\\\n\u2028 ünï';
  const metadata = { 'k\u0000': text, deep: { __proto: [true, null, 1.5e-7] } };
  const { transactions } = await insert(
    { ...row, payee: text, notes: text, external_id: 'x'.repeat(75), custom_metadata: metadata },
    { ...row, date: '9999-12-31', amount: 0.00005, payee: '' },
    { ...row, amount: 0.00015, custom_metadata: { a: 'x'.repeat(4088) } },
  );
  const [one, two, three] = transactions;
  assert.deepEqual([one?.payee, one?.notes, one?.amount], [text, text, '-900719925474.0991']);
  assert.deepEqual(one?.custom_metadata, metadata);
  // Halves are rounded to the even digit.
  assert.deepEqual([two?.amount, two?.payee, three?.amount], ['0.0000', '', '0.0002']);
});

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

test('the rules of the book apply if the request wants it; a rule may split what has no recurring item', async () => {
  const { send, scene, balance } = await makeWriteClient();
  const { cash, food } = scene;
  const parts = [{ percentage: 50, category_id: food }, { notes: 'rest' }];
  const rule = { name: 'Rent', conditions: { payee: { operator: 'is', value: 'Landlord' } } };
  const made = await send('POST', '/coffer/rules', { ...rule, actions: { split: parts } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const row = { date: '2026-03-01', amount: 10, payee: 'Landlord', manual_account_id: cash };
  const criteria = { anchor_date: '2026-01-05', granularity: 'month', quantity: 1, amount: '1' };
  const item = { transaction_criteria: { ...criteria, payee: 'X' } };
  const { body: recurring } = await send<{ id: number }>('POST', '/coffer/recurring_items', item);
  const linked = { ...row, recurring_id: recurring.id };
  const transactions = [row, { ...row, payee: 'Other' }, linked];
  for (const apply_rules of [false, true]) {
    const { body } = await send<InsertedTransactions>('POST', url, { transactions, apply_rules });
    const children = body.transactions.map((each) =>
      each.children?.map(({ amount, category_id, notes, source }) => [
        amount,
        category_id,
        notes,
        source,
      ]),
    );
    const split = [
      ['5.0000', food, null, 'rule'],
      ['5.0000', null, 'rest', 'rule'],
    ];
    assert.deepEqual(children, [apply_rules ? split : undefined, undefined, undefined]);
  }
  assert.equal(await balance(cash), -600_000);
});
