import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOfRule, draftOfRule, emptyRule, movedBy, ruleLike, type Rule } from './draft.ts';

const rule: Rule = {
  id: 3,
  position: 1,
  name: 'Coffee',
  conditions: {
    payee: { operator: 'starts_with', value: 'blue' },
    notes: { operator: 'is', value: 'x' },
    amount: { min: '1.0000', max: '20.0000', sign: 'debit' },
    manual_account_id: 4,
    category_id: 5,
  },
  actions: {
    payee: 'Blue',
    category_id: 6,
    tag_ids: [7, 8],
    notes: 'y',
    reviewed: false,
    split: [{ percentage: '50.0000' }, {}],
  },
  stop: true,
  enabled: true,
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: '2026-01-02T09:00:00.000Z',
};

test('a rule that is edited and not changed is sent as it was', () => {
  const { name, conditions, actions, stop } = rule;
  assert.deepEqual(bodyOfRule(draftOfRule(rule), name), { name, conditions, actions, stop });
  const others: Rule = {
    ...rule,
    conditions: { amount: { equals: '9.5000' }, plaid_account_id: 2 },
    actions: { exclude: true, reviewed: true },
  };
  const sent = bodyOfRule(draftOfRule(others), name);
  assert.deepEqual([sent?.conditions, sent?.actions], [others.conditions, others.actions]);
});

test('what has no condition or no action is not sent', () => {
  assert.equal(bodyOfRule(emptyRule, 'n'), null);
  assert.equal(bodyOfRule({ ...emptyRule, payee: 'x' }, 'n'), null);
  assert.equal(bodyOfRule({ ...emptyRule, payee: ' ', stop: true, category_id: 1 }, 'n'), null);
  const made = ruleLike({ payee: 'Shop', category_id: 4 });
  assert.deepEqual(bodyOfRule(made, 'n'), {
    name: 'n',
    conditions: { payee: { operator: 'is', value: 'Shop' } },
    actions: { category_id: 4 },
    stop: false,
  });
  assert.equal(bodyOfRule({ ...made, payee: ' ' }, 'n'), null);
});

test('a rule moves within its list', () => {
  assert.deepEqual(movedBy([1, 2, 3], 2, -1), [2, 1, 3]);
  assert.deepEqual(movedBy([1, 2, 3], 2, 1), [1, 3, 2]);
  assert.deepEqual(movedBy([1, 2, 3], 1, -1), [1, 2, 3]);
  assert.deepEqual(movedBy([1, 2, 3], 3, 5), [1, 2, 3]);
});
