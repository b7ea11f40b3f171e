import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from '../../http/testing/pick.ts';
import { openBooks } from '../../http/testing/strict-client.ts';
import type { Rule, RulePreview } from './schema.ts';

const { send, ok, refused, changes } = await openBooks();
const url = '/coffer/rules';

const category = async (name: string, more: object = {}) =>
  (await ok<{ id: number }>('POST', '/v2/categories', { name, ...more })).id;
const food = await category('Food');
const transfers = await category('Transfers', { exclude_from_totals: true });
const group = await category('Group', { is_group: true });
const { id: trip } = await ok<{ id: number }>('POST', '/v2/tags', { name: 'trip' });
const create = (body: object) => ok<Rule>('POST', url, body);
const conditions = { payee: { operator: 'contains', value: 'some' } };
await changes();

test('rules are created, listed, found, updated, ordered and deleted, one version each', async () => {
  const body = {
    name: 'Everything',
    conditions: { ...conditions, amount: { min: 1, max: '9.5', sign: 'debit' } },
    actions: {
      payee: 'Somebody',
      tag_ids: [trip, trip],
      exclude: true,
      reviewed: false,
      split: [{ percentage: 33.33, category_id: food }, { amount: '0.01' }, { notes: 'rest' }],
    },
  };
  const created = await send<Rule>('POST', url, body);
  assert.equal(created.status, 201);
  const { id, created_at, ...rest } = created.body;
  assert.deepEqual(rest, {
    ...body,
    position: 1,
    stop: false,
    enabled: true,
    updated_at: created_at,
    conditions: { ...conditions, amount: { min: '1.0000', max: '9.5000', sign: 'debit' } },
    actions: {
      ...body.actions,
      tag_ids: [trip],
      split: [
        { percentage: '33.3300', category_id: food },
        { amount: '0.0100' },
        { notes: 'rest' },
      ],
    },
  });
  const one = await send<Rule>('GET', `${url}/${id}`);
  assert.deepEqual(one.body, created.body);
  assert.deepEqual(await ok('PUT', `${url}/${id}`, one.body), one.body);
  assert.equal((await send('GET', `${url}/${id}`)).etag, one.etag);
  const second = await create({ ...body, stop: true });
  assert.deepEqual([second.position, second.stop], [2, true]);
  const order = { rule_ids: [second.id, id] };
  const { rules: ordered } = await ok<{ rules: Rule[] }>('PUT', `${url}/order`, order);
  assert.deepEqual(pick(ordered, 'id'), order.rule_ids);
  assert.deepEqual(pick(ordered, 'position'), [1, 2]);
  assert.deepEqual(await ok('GET', url), { rules: ordered });
  const renaming = { name: 'Renamed', stop: true, enabled: false };
  const renamed = await ok<Rule>('PUT', `${url}/${id}`, renaming);
  assert.deepEqual(renamed, { ...ordered[1], ...renaming, updated_at: renamed.updated_at });
  for (const each of [second.id, id]) await ok('DELETE', `${url}/${each}`);
  assert.deepEqual(await ok('GET', url), { rules: [] });
  assert.deepEqual(await changes(), [
    'createRule',
    'createRule',
    'orderRules',
    'updateRule',
    'deleteRule',
    'deleteRule',
  ]);
});

test('what is wrong with a rule is listed, and nothing changes', async () => {
  const errors = await refused('POST', url, {
    name: 'Wrong',
    conditions: {
      amount: { equals: '-1', min: '2', max: '1' },
      manual_account_id: 1,
      plaid_account_id: 1,
      category_id: group,
    },
    actions: {
      category_id: 99,
      tag_ids: [trip, 99],
      exclude: true,
      split: [{ amount: 0, percentage: 100 }, {}, { amount: 1, category_id: 99 }],
    },
  });
  const ofSplit = ['0', '0/amount', '1', '2/category_id', '2'].map((at) => `actions/split/${at}`);
  assert.deepEqual(pick(errors, 'invalid_property'), [
    'conditions',
    'conditions/manual_account_id',
    'conditions/plaid_account_id',
    'conditions/category_id',
    'conditions/amount/equals',
    'conditions/amount',
    'conditions/amount/min',
    'actions/category_id',
    'actions/tag_ids/1',
    'actions/exclude',
    ...ofSplit,
    'actions/split',
  ]);
  const actions = { reviewed: true };
  const good = { name: 'n', conditions, actions };
  for (const [bad, errMsg] of [
    [{ conditions: {} }, /conditions must have at least one condition: \{\}/],
    [{ actions: {} }, /actions must have at least one action/],
    [{ conditions: { amount: {} } }, /amount must have equals, min, max or sign/],
    [{ name: ' ' }, /name must be more than blanks/],
    [{ conditions: { payee: { operator: 'matches', value: 'x' } } }, /"is" or/],
    [{ conditions: { payee: { operator: 'is', value: 'x\0' } } }, /NUL/],
    [{ actions: { exclude: false } }, /exclude must be true/],
    [{ more: 1 }, /Unknown body property "more"/],
  ] as const) {
    const [first] = await refused('POST', url, { ...good, ...bad });
    assert.match(String(first?.['errMsg']), errMsg);
  }
});

test('an amount can be exactly one: from 5 to 5', async () => {
  const amount = { min: '5.0000', max: '5.0000' };
  const rule = await create({ name: 'n', conditions: { amount }, actions: { reviewed: true } });
  assert.deepEqual(rule.conditions.amount, amount);
  await ok('DELETE', `${url}/${rule.id}`);
});

test('an order names every rule of the book once', async () => {
  const body = { name: 'n', conditions, actions: { reviewed: true } };
  const [{ id: a }, { id: b }] = [await create(body), await create(body)];
  for (const [ids, errMsg] of [
    [[a], `Body property rule_ids must also have ${b}: [${a}]`],
    [[a, b, a], `Body property rule_ids/2 is repeated: ${a}`],
    [[a, b, 9999], 'Body property rule_ids/2 is not a rule of this book: 9999'],
  ] as const)
    assert.deepEqual(pick(await refused('PUT', `${url}/order`, { rule_ids: ids }), 'errMsg'), [
      errMsg,
    ]);
  await refused('PUT', `${url}/${a}`, { id: a, position: 3, created_at: 'x' });
  for (const id of [a, b]) await ok('DELETE', `${url}/${id}`);
});

test('a preview shows differences and changes nothing; the same request applies them once', async () => {
  const rule = {
    name: 'Excluded',
    conditions: { payee: { operator: 'is', value: 'SOMEONE' } },
    actions: { exclude: true, split: [{ percentage: '50' }, { notes: 'second' }] },
  };
  await changes();
  const range = { start_date: '2024-03-01', end_date: '2024-03-31', transactions: 3 };
  const planned = await send<RulePreview>('POST', `${url}/preview`, { rule, ...range });
  assert.equal(planned.status, 200);
  assert.equal(planned.etag, undefined);
  const [first] = planned.body.transactions;
  const payee = 'Someone';
  const before = { payee, category_id: null, tag_ids: [], notes: null, status: 'reviewed' };
  const after = { ...before, category_id: transfers };
  const part = { amount: '0.6200', payee, category_id: transfers, notes: null };
  assert.deepEqual(first, {
    id: 1030,
    date: '2024-03-01',
    amount: '1.2300',
    currency: 'eur',
    rule_ids: [],
    before,
    after,
    parts: [part, { ...part, amount: '0.6100', notes: 'second' }],
  });
  assert.deepEqual([planned.body.examined, planned.body.transactions.length], [3, 3]);
  const counted = await ok<RulePreview>('POST', `${url}/preview`, { rule, ...range, limit: 0 });
  assert.deepEqual(counted, { examined: 3, changed: 3, transactions: [] });
  assert.deepEqual(await changes(), []);
  const { id } = await create(rule);
  const stored = await ok<RulePreview>('POST', `${url}/preview`, { rule_id: id, ...range });
  const named = planned.body.transactions.map((each) => ({ ...each, rule_ids: [id] }));
  assert.deepEqual(stored.transactions, named);
  const apply = () => ok('POST', `${url}/apply`, { rule_id: id, ...range });
  assert.deepEqual(await apply(), { examined: 3, changed: 3 });
  assert.deepEqual(await apply(), { examined: 3, changed: 0 });
  assert.deepEqual(await changes(), ['createRule', 'applyRules']);
  const changed = await ok<object>('GET', '/v2/transactions/1030');
  assert.deepEqual({ ...changed, category_id: transfers, amount: '1.2300' }, changed);
  await refused('POST', `${url}/preview`, { rule, rule_id: id });
  await refused('POST', `${url}/preview`, { start_date: '2024-03-02', end_date: '2024-03-01' });
  await refused('POST', `${url}/apply`, { rule });
  await ok('DELETE', `${url}/${id}`);
});
