import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesFromJson, entriesToJson } from './entry.ts';
import type { ImportEntry } from './entry.ts';

const plain: ImportEntry = {
  line: 2,
  date: '2026-01-31',
  amount: -45_000,
  currency: null,
  payee: '',
  notes: null,
  category: 'Food',
  account: null,
  externalId: null,
};
const full: ImportEntry = {
  ...{ ...plain, line: 3, currency: 'eur', notes: '本', account: 'Giro', externalId: 'a#2' },
  ...{ isPending: true, tags: ['a'], otherAccount: 'DE1' },
  parts: [{ amount: -45_000, payee: null, notes: null, category: null }],
  bankId: { id: 'a', nth: 2, isRepeated: false },
};

test('entries are stored with all that they have, and nothing else', () => {
  for (const entries of [[], [plain], [full], [plain, full, plain]])
    assert.deepEqual(entriesFromJson(entriesToJson(entries)), entries);
});
