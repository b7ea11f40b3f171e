import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemKeys } from './item-keys.ts';

const keysOf = (instancePath: string, keyword = 'type', params = {}) =>
  itemKeys({ instancePath, keyword, params });

test('a problem inside an item of an array has its index and the property', () => {
  assert.deepEqual(keysOf('/body/ids/3'), { ids_index: 3, invalid_property: 'ids' });
  const transaction = { transaction_index: 12, invalid_property: 'tag_ids' };
  assert.deepEqual(keysOf('/body/transactions/12/tag_ids/0'), transaction);
  const part = { child_transactions_index: 0, invalid_property: 'amount' };
  assert.deepEqual(
    keysOf('/body/child_transactions/0', 'required', { missingProperty: 'amount' }),
    { ...part, error: 'Missing required property' },
  );
  const unknown = { additionalProperty: 'amuont' };
  assert.deepEqual(keysOf('/body/child_transactions/0', 'additionalProperties', unknown), {
    ...part,
    invalid_property: 'amuont',
  });
});

test('other problems have no such keys', () => {
  for (const path of ['', '/body', '/body/ids', '/body/name', '/body/a/b', '/query/1', '/path/id'])
    assert.deepEqual(keysOf(path, 'required', { missingProperty: 'x' }), {}, path);
});
