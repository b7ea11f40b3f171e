import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bulkUpdateOf } from './bulk.ts';

const row = { tag_ids: [1, 2] };

test('an edit of one row becomes one of all: tags are added or taken away, not replaced', () => {
  assert.deepEqual(bulkUpdateOf(row, { tag_ids: [1, 2, 3] }), { add_tag_ids: [3] });
  assert.deepEqual(bulkUpdateOf(row, { tag_ids: [2] }), { remove_tag_ids: [1] });
  const texts = { category_id: null, notes: null, status: 'reviewed' } as const;
  assert.deepEqual(bulkUpdateOf(row, texts), texts);
});

test('a payee does not bring the category of its last row with it', () => {
  const values = { payee: 'Shop', category_id: 7 };
  assert.deepEqual(bulkUpdateOf(row, values, true), { payee: 'Shop' });
  assert.deepEqual(bulkUpdateOf(row, values), values);
});

test('a date, an amount and an account are those of all', () => {
  const account = { manual_account_id: 1, plaid_account_id: null };
  for (const values of [{ date: '2026-01-01' }, { amount: '1' }, account])
    assert.deepEqual(bulkUpdateOf(row, values), values);
});
