import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookClient } from '../../../http/testing/book-client.ts';
import { BulkRows } from '../writes.ts';
import { insertRuled } from '../complete.ts';
import type { InsertedTransactions } from './bodies.ts';
import type { Transaction } from '../schema.ts';
import { keysOf, makeWriteClient } from '../testing/write-client.ts';

const url = '/v2/transactions';

test('transactions are inserted with defaults, as whole objects, as one version', async () => {
  const { insert, send, changes, balance, scene } = await makeWriteClient();
  const { cash, card, food, tagA, tagB } = scene;
  const { transactions, skipped_duplicates } = await insert(
    { date: '2026-03-01', amount: 99.99 },
    {
      ...{
        date: '2026-03-02',
        amount: '-5',
        currency: 'eur',
        payee: 'Shop',
        original_name: 'SHOP 1',
      },
      ...{
        category_id: food,
        notes: 'n',
        manual_account_id: cash,
        external_id: 'x',
        status: 'reviewed',
      },
      ...{ tag_ids: [tagB, tagA, tagB], custom_metadata: { a: [1, { b: null }] } },
    },
    {
      date: '2026-03-02',
      amount: 7,
      currency: 'usd',
      payee: null,
      notes: '',
      manual_account_id: card,
    },
  );
  assert.deepEqual(skipped_duplicates, []);
  const { id, created_at } = transactions[0]!;
  const plain = {
    ...{ id, date: '2026-03-01', amount: '99.9900', currency: 'eur', to_base: 99.99 },
    ...{ recurring_id: null, payee: '[No Payee]', original_name: '[No Payee]', category_id: null },
    ...{
      plaid_account_id: null,
      manual_account_id: null,
      external_id: null,
      tag_ids: [],
      notes: null,
    },
    ...{ status: 'unreviewed', is_pending: false, created_at, updated_at: created_at },
    ...{
      is_split_parent: false,
      split_parent_id: null,
      is_group_parent: false,
      group_parent_id: null,
    },
    ...{ source: 'api', plaid_metadata: null, custom_metadata: null, files: [] },
  };
  const shop = {
    ...{ ...plain, id: id + 1, date: '2026-03-02', amount: '-5.0000', to_base: -5, payee: 'Shop' },
    ...{ original_name: 'SHOP 1', category_id: food, notes: 'n', manual_account_id: cash },
    ...{ external_id: 'x', status: 'reviewed', tag_ids: [tagB, tagA] },
    custom_metadata: { a: [1, { b: null }] },
  };
  // There is no rate of usd, so it has no value in eur.
  const usd = { amount: '7.0000', currency: 'usd', to_base: 0, manual_account_id: card };
  const card1 = { ...plain, ...usd, id: id + 2, date: '2026-03-02' };
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
  const { transactions: before } = await insert(
    first,
    { ...coffee, plaid_account_id: bank },
    coffee,
  );
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
    { ...coffee, plaid_account_id: bank },
    { ...coffee, manual_account_id: cash },
    { ...coffee, manual_account_id: cash, external_id: 'a' },
  ];
  const all = await send<InsertedTransactions>('POST', url, {
    transactions: sent,
    skip_duplicates: true,
  });
  assert.deepEqual([all.status, all.body.transactions], [201, []]);
  assert.deepEqual(
    all.body.skipped_duplicates.map((each) => [each.reason, each.existing_transaction_id]),
    [
      ['duplicate_payee_amount_date', ids[2]],
      ['duplicate_payee_amount_date', ids[1]],
      ['duplicate_payee_amount_date', ids[0]],
      ['duplicate_external_id', ids[0]],
    ],
  );
  assert.deepEqual(
    all.body.skipped_duplicates.map((each) => each.request_transaction),
    sent,
  );
  assert.deepEqual(await changes(), []);
  const others = [
    { ...coffee, date: '2026-03-02' },
    { ...coffee, payee: 'Cafe' },
    { ...coffee, amount: -4.5 },
    { ...coffee, manual_account_id: scene.cash, amount: '4.5001' },
  ];
  const kept = await send<InsertedTransactions>('POST', url, {
    transactions: others,
    skip_duplicates: true,
  });
  assert.equal(kept.body.transactions.length, 4);
  const twice = { ...coffee, manual_account_id: card, external_id: 'b' };
  const repeated = await refused('POST', url, {
    transactions: [twice, { ...first, external_id: 'new' }, twice, { ...twice, external_id: 'c' }],
  });
  assert.deepEqual(keysOf(repeated), [
    {
      ...{ error: 'Duplicate External ID', transaction_property: 'external_id' },
      ...{ external_id: 'b', transactions_indices: [0, 2] },
    },
  ]);
  // Without a manual account, or in two accounts, an external id may be repeated. An empty one is none.
  const b = { ...coffee, external_id: 'b' };
  const empty = { ...coffee, external_id: '', manual_account_id: cash };
  const allowed = await insert(
    b,
    b,
    { ...b, manual_account_id: cash },
    { ...b, manual_account_id: card },
    empty,
    empty,
  );
  assert.deepEqual(
    allowed.transactions.map((each) => each.external_id),
    ['b', 'b', 'b', 'b', null, null],
  );
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
  const of = (
    transaction_index: number,
    error: string,
    invalid_property: string,
    rest: object,
  ) => ({
    ...{ transaction_index, error, invalid_property },
    ...rest,
  });
  const tag = (index: number, tag_id: number) =>
    of(0, 'Invalid Tag ID', 'tag_ids', { tag_id, tag_ids_index: index });
  assert.deepEqual(keysOf(errors), [
    of(0, 'Invalid Category ID', 'category_id', { category_id: 9_999_999 }),
    of(0, 'Invalid Manual Account ID', 'manual_account_id', { manual_account_id: -1 }),
    tag(0, 0),
    tag(1, 77),
    of(1, 'Invalid Category ID', 'category_id', {
      category_id: group,
      category_group_name: 'Group',
    }),
    of(1, 'Invalid Plaid Account ID', 'plaid_account_id', { plaid_account_id: locked }),
    of(1, 'Invalid Recurring ID', 'recurring_id', { recurring_id: 5 }),
    of(2, 'Invalid Account', 'plaid_account_id', {
      manual_account_id: cash,
      plaid_account_id: bank,
    }),
    of(3, 'Invalid Amount', 'amount', { amount: '900719925474.0992' }),
    of(3, 'Invalid Custom Metadata', 'custom_metadata', {}),
    of(4, 'Invalid Plaid Account ID', 'plaid_account_id', { plaid_account_id: 88 }),
  ]);
  assert.equal(errors[0]?.['errMsg'], 'transactions[0] category ID does not exist: 9999999');
  assert.deepEqual(await changes(), []);
});

test('records of another book are refused as those that do not exist', async () => {
  const { made, scene } = await makeWriteClient();
  const ben = bookClient(made, made.ben);
  const { cash, bank, food, tagA } = scene;
  const row = { date: '2026-03-01', amount: 1, category_id: food, tag_ids: [tagA] };
  const errors = await ben.refused('POST', url, {
    transactions: [
      { ...row, manual_account_id: cash },
      { ...row, plaid_account_id: bank },
    ],
  });
  assert.equal(errors.length, 6);
});

test('malformed transactions are refused by the place of each problem', async () => {
  const { refused } = await makeWriteClient();
  const row = { date: '2026-03-01', amount: 1 };
  const hostile: [unknown, number][] = [
    [undefined, 1],
    [[], 1],
    [{}, 1],
    [{ transactions: [] }, 1],
    [{ transactions: {} }, 1],
    [{ transactions: [null, 1, []] }, 3],
    [{ transactions: [{}] }, 2],
    [{ transactions: Array(501).fill(row) }, 1],
    [{ transactions: [row], check_for_recurring: true, apply_rules: 'yes' }, 2],
    [{ transactions: [{ ...row, asset_id: 1, date: '2026-02-30', amount: '1.23456' }] }, 3],
    [
      {
        transactions: [
          { ...row, amount: null },
          { ...row, amount: '' },
          { ...row, amount: '1e3' },
        ],
      },
      3,
    ],
    [{ transactions: [{ ...row, currency: 'EUR', status: 'delete_pending', tag_ids: ['a'] }] }, 3],
    [{ transactions: [{ ...row, external_id: 'x'.repeat(76), custom_metadata: [1] }] }, 2],
    [{ transactions: [{ ...row, category_id: 1e300, manual_account_id: 1.5, notes: 3 }] }, 3],
    [{ transactions: [{ ...row, payee: 'a\u0000b', notes: '\ud800' }] }, 2],
    [
      {
        transactions: [
          { ...row, amount: 1e21 },
          { ...row, amount: -9007199254740993 },
        ],
      },
      2,
    ],
  ];
  for (const [body, count] of hostile) {
    const errors = await refused('POST', url, body);
    assert.equal(errors.length, count, JSON.stringify(errors));
  }
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

test('500 transactions are inserted at once', async () => {
  const { insert, balance, scene } = await makeWriteClient();
  const rows = Array.from({ length: 500 }, (_, at) => ({
    ...{ date: `2026-01-${String(1 + (at % 28)).padStart(2, '0')}`, amount: at, payee: `P${at}` },
    ...{
      manual_account_id: scene.cash,
      external_id: `e${at}`,
      tag_ids: at % 2 ? [scene.tagA] : [],
    },
  }));
  const { transactions } = await insert(...rows);
  assert.deepEqual(
    transactions.map(({ payee }) => payee),
    rows.map(({ payee }) => payee),
  );
  assert.equal(await balance(scene.cash), -1_247_500_000);
  const again = await insert(...rows);
  assert.equal(again.skipped_duplicates.length, 500);
});

test('a transaction that a rule splits moves its balance once, and is returned with its parts', async () => {
  const { change, send, balance, scene } = await makeWriteClient();
  const columns = { date: '2026-03-01', amount: 100_000, to_base: 100_000, currency: 'eur' };
  const text = { payee: 'Shop', status: 'reviewed', manual_account_id: scene.cash };
  const parts = [{ amount: 30_000, payee: 'One' }, { amount: 70_000 }];
  const ids = await change(function* (change) {
    const bulk = new BulkRows(change);
    const row = { id: yield* bulk.nextId(), ...columns, ...text, recurring_id: null };
    const linked = { ...row, id: yield* bulk.nextId(), recurring_id: 5 };
    yield* insertRuled(change, [
      { row, parts },
      { row: linked, parts },
    ]);
    return [row.id, linked.id];
  });
  const [split, whole] = await Promise.all(
    ids.map(async (id) => (await send<Transaction>('GET', `${url}/${id}`)).body),
  );
  assert.deepEqual(
    split?.children?.map(({ payee, amount, source }) => [payee, amount, source]),
    [
      ['One', '3.0000', 'rule'],
      ['Shop', '7.0000', 'rule'],
    ],
  );
  assert.equal(whole?.is_split_parent, false);
  assert.equal(await balance(scene.cash), -200_000);
});

test('the rules of the book apply if the request wants it; a rule may split a transaction', async () => {
  const { send, scene, balance } = await makeWriteClient();
  const { cash, food } = scene;
  const parts = [{ percentage: 50, category_id: food }, { notes: 'rest' }];
  const rule = { name: 'Rent', conditions: { payee: { operator: 'is', value: 'Landlord' } } };
  const made = await send('POST', '/coffer/rules', { ...rule, actions: { split: parts } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const row = { date: '2026-03-01', amount: 10, payee: 'Landlord', manual_account_id: cash };
  const transactions = [row, { ...row, payee: 'Other' }];
  for (const apply_rules of [false, true]) {
    const { body } = await send<InsertedTransactions>('POST', url, { transactions, apply_rules });
    const children = body.transactions.map((each) =>
      each.children?.map(({ amount, category_id, notes }) => [amount, category_id, notes]),
    );
    const split = [
      ['5.0000', food, null],
      ['5.0000', null, 'rest'],
    ];
    assert.deepEqual(children, [apply_rules ? split : undefined, undefined]);
  }
  assert.equal(await balance(cash), -400_000);
});
