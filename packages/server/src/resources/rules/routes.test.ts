import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bookClient } from '../../http/testing/book-client.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import type { Rule, RulePreview } from './schema.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const made = await makeTestApp();
const { send, refused, changes } = bookClient(made, made.ada);
const url = '/coffer/rules';

const category = async (name: string, more: object = {}): Promise<number> =>
  (await send<{ id: number }>('POST', '/v2/categories', { name, ...more })).body.id;
const food = await category('Food');
const transfers = await category('Transfers', { exclude_from_totals: true });
const group = await category('Group', { is_group: true });
const { id: trip } = (await send<{ id: number }>('POST', '/v2/tags', { name: 'trip' })).body;
const conditions = { payee: { operator: 'contains', value: 'some' } };
await changes();

test('rules are created, listed, found, updated, ordered and deleted, one version each', async () => {
  const body = {
    name: 'Everything',
    conditions: { ...conditions, amount: { min: 1, max: '9.5', sign: 'debit' } },
    actions: {
      ...{ payee: 'Somebody', tag_ids: [trip, trip], exclude: true, reviewed: false },
      split: [{ percentage: 33.33, category_id: food }, { amount: '0.01' }, { notes: 'rest' }],
    },
  };
  const created = await send<Rule>('POST', url, body);
  assert.equal(created.status, 201);
  const { id, created_at, ...rest } = created.body;
  assert.deepEqual(rest, {
    ...{ ...body, position: 1, stop: false, updated_at: created_at },
    conditions: { ...conditions, amount: { min: '1.0000', max: '9.5000', sign: 'debit' } },
    actions: {
      ...{ ...body.actions, tag_ids: [trip] },
      split: [
        { percentage: '33.3300', category_id: food },
        { amount: '0.0100' },
        { notes: 'rest' },
      ],
    },
  });
  const one = await send<Rule>('GET', `${url}/${id}`);
  assert.deepEqual(one.body, created.body);
  const again = await send('PUT', `${url}/${id}`, one.body);
  assert.deepEqual([again.status, again.body], [200, one.body]);
  assert.equal((await send('GET', `${url}/${id}`)).etag, one.etag);
  const second = (await send<Rule>('POST', url, { ...body, stop: true })).body;
  assert.deepEqual([second.position, second.stop], [2, true]);
  const ordered = await send<{ rules: Rule[] }>('PUT', `${url}/order`, {
    rule_ids: [second.id, id],
  });
  assert.deepEqual(
    ordered.body.rules.map((rule) => [rule.id, rule.position]),
    [
      [second.id, 1],
      [id, 2],
    ],
  );
  assert.deepEqual((await send('GET', url)).body, ordered.body);
  const renamed = await send<Rule>('PUT', `${url}/${id}`, { name: 'Renamed', stop: true });
  assert.deepEqual(renamed.body, {
    ...{ ...ordered.body.rules[1], name: 'Renamed', stop: true },
    updated_at: renamed.body.updated_at,
  });
  assert.equal((await send('DELETE', `${url}/${second.id}`)).status, 204);
  assert.equal((await send('DELETE', `${url}/${id}`)).status, 204);
  assert.deepEqual((await send('GET', url)).body, { rules: [] });
  assert.deepEqual(await changes(), [
    ...['createRule', 'createRule', 'orderRules', 'updateRule', 'deleteRule', 'deleteRule'],
  ]);
});

test('what is wrong with a rule is listed, and nothing changes', async () => {
  const errors = await refused('POST', url, {
    name: 'Wrong',
    conditions: {
      amount: { equals: '-1', min: '2', max: '1' },
      ...{ manual_account_id: 1, plaid_account_id: 1, category_id: group },
    },
    actions: {
      ...{ category_id: 99, tag_ids: [trip, 99], exclude: true },
      split: [{ amount: 0, percentage: 100 }, {}, { amount: 1, category_id: 99 }],
    },
  });
  assert.deepEqual(
    errors.map(({ invalid_property: property }) => property),
    [
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
      'actions/split/0',
      'actions/split/0/amount',
      'actions/split/1',
      'actions/split/2/category_id',
      'actions/split/2',
      'actions/split',
    ],
  );
  const actions = { reviewed: true };
  for (const [body, errMsg] of [
    [{ name: 'n', conditions: {}, actions }, /conditions must have at least one condition: \{\}/],
    [{ name: 'n', conditions, actions: {} }, /actions must have at least one action/],
    [
      { name: 'n', conditions: { amount: {} }, actions },
      /amount must have equals, min, max or sign/,
    ],
    [{ name: ' ', conditions, actions }, /name must be more than blanks/],
    [{ name: 'n', conditions: { payee: { operator: 'matches', value: 'x' } }, actions }, /"is" or/],
    [{ name: 'n', conditions: { payee: { operator: 'is', value: 'x\0' } }, actions }, /NUL/],
    [{ name: 'n', conditions, actions: { exclude: false } }, /exclude must be true/],
    [{ name: 'n', conditions, actions, more: 1 }, /Unknown body property "more"/],
  ] as const) {
    const [first] = await refused('POST', url, body);
    assert.match(String(first?.['errMsg']), errMsg);
  }
});

test('a rule of another book is one that does not exist', async () => {
  const body = { name: 'n', conditions, actions: { reviewed: true } };
  const { id } = (await send<Rule>('POST', url, body)).body;
  const ben = bookClient(made, made.ben);
  for (const [method, path, payload] of [
    ['GET', `/${id}`, undefined],
    ['PUT', `/${id}`, { name: 'x' }],
    ['DELETE', `/${id}`, undefined],
  ] as const) {
    const theirs = await ben.send(method, `${url}${path}`, payload);
    assert.equal(theirs.status, 404);
    const missing = await ben.send<{ errors: object[] }>(method, `${url}/987654`, payload);
    const text = JSON.stringify(missing.body).replace('987654', String(id));
    assert.deepEqual(theirs.body, JSON.parse(text));
  }
  await ben.refused('POST', `${url}/preview`, { rule_id: id });
  await ben.refused('POST', `${url}/apply`, { rule_id: id });
  await ben.refused('PUT', `${url}/order`, { rule_ids: [id] });
  const foreign = { category_id: food, tag_ids: [trip] };
  const errors = await ben.refused('POST', url, { ...body, actions: foreign });
  assert.equal(errors.length, 2);
  assert.deepEqual((await ben.send('GET', url)).body, { rules: [] });
  await refused('PUT', `${url}/${id}`, { id, position: 3, created_at: 'x' });
  await send('DELETE', `${url}/${id}`);
});

test('an order names every rule once', async () => {
  const body = { name: 'n', conditions, actions: { reviewed: true } };
  const [a, b] = [
    (await send<Rule>('POST', url, body)).body.id,
    (await send<Rule>('POST', url, body)).body.id,
  ];
  for (const [ids, errMsg] of [
    [[a], `Body property rule_ids must also have ${b}: [${a}]`],
    [[a, b, a], `Body property rule_ids/2 is repeated: ${a}`],
    [[a, b, 9999], 'Body property rule_ids/2 is not a rule of this book: 9999'],
  ] as const) {
    const errors = await refused('PUT', `${url}/order`, { rule_ids: ids });
    assert.deepEqual(
      errors.map((each) => each['errMsg']),
      [errMsg],
    );
  }
  await send('DELETE', `${url}/${a}`);
  await send('DELETE', `${url}/${b}`);
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
  const before = {
    payee: 'Someone',
    category_id: null,
    tag_ids: [],
    notes: null,
    status: 'reviewed',
  };
  const after = { ...before, category_id: transfers };
  const { payee } = before;
  const part = { amount: '0.6200', payee, category_id: transfers, notes: null };
  assert.deepEqual(first, {
    ...{ id: 1030, date: '2024-03-01', amount: '1.2300', currency: 'eur', rule_ids: [] },
    ...{ before, after, parts: [part, { ...part, amount: '0.6100', notes: 'second' }] },
  });
  assert.deepEqual([planned.body.examined, planned.body.transactions.length], [3, 3]);
  assert.deepEqual(await changes(), []);
  const { id } = (await send<Rule>('POST', url, rule)).body;
  const stored = await send<RulePreview>('POST', `${url}/preview`, { rule_id: id, ...range });
  const named = planned.body.transactions.map((each) => ({ ...each, rule_ids: [id] }));
  assert.deepEqual(stored.body.transactions, named);
  const apply = () => send('POST', `${url}/apply`, { rule_id: id, ...range });
  assert.deepEqual((await apply()).body, { examined: 3, changed: 3 });
  assert.deepEqual((await apply()).body, { examined: 3, changed: 0 });
  assert.deepEqual(await changes(), ['createRule', 'applyRules']);
  const changed = await send<{ category_id: number; amount: string }>(
    'GET',
    '/v2/transactions/1030',
  );
  assert.deepEqual([changed.body.category_id, changed.body.amount], [transfers, '1.2300']);
  await refused('POST', `${url}/preview`, { rule, rule_id: id });
  await refused('POST', `${url}/preview`, { start_date: '2024-03-02', end_date: '2024-03-01' });
  await refused('POST', `${url}/apply`, { rule });
  await send('DELETE', `${url}/${id}`);
});

test('no body causes an error of the service', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ operator: fc.constant('contains'), value: fc.string({ unit: 'binary' }) }),
    fc.constantFrom(2 ** 53, -1, 1e308, '0.00001', [], [null], { amount: '1e3' }),
  );
  const part = fc.record({ amount: value, percentage: value, payee: value }, { requiredKeys: [] });
  const body = fc.record({
    name: fc.oneof(fc.constant('n'), value),
    conditions: fc.record(
      { payee: value, amount: value, category_id: value },
      { requiredKeys: [] },
    ),
    actions: fc.record({ tag_ids: value, split: fc.array(part) }, { requiredKeys: [] }),
  });
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.constantFrom('', '/preview', '/order', '/apply'),
      async (sent, path) => {
        const { statusCode } = await made.app.inject({
          ...{ method: path === '/order' ? 'PUT' : 'POST', url: `${url}${path}` },
          headers: { ...as(made.ada), 'content-type': 'application/json' },
          payload: JSON.stringify(path === '/preview' ? { rule: sent } : sent),
        });
        assert.ok([200, 201, 400].includes(statusCode), String(statusCode));
      },
    ),
    { numRuns: runs(150) },
  );
});
