import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalTables } from '../../changes/history.ts';
import { bookTables } from '../../db/tables.ts';
import { formOf, isShown, shownColumns } from './column-forms.ts';

test('somebody has decided how every column of every table is shown, or that it is not', () => {
  for (const { name, columns } of bookTables)
    for (const [column, { type, placeholder }] of Object.entries(columns)) {
      const form = formOf(name, column);
      const place = `${name}.${column}`;
      if (!isShown(name) || column === 'book_id') assert.equal(form, undefined, place);
      else if (placeholder !== undefined || type === 'bytes') assert.equal(form, 'hidden', place);
      else if (type === 'flag' || form === 'flag') assert.equal(form, type, place);
      else if (form === 'amount') assert.equal(type, 'integer', place);
      else if (form === undefined || !['plain', 'hidden'].includes(form))
        assert.deepEqual([form !== undefined, type], [true, 'text'], place);
    }
  const names = bookTables.map(({ name }) => name);
  const unknown = [...internalTables].filter((name) => !names.includes(name));
  assert.deepEqual(unknown, []);
});

test('values are shown as in the API', () => {
  const table = (wanted: string) => bookTables.find(({ name }) => name === wanted)!;
  const row = {
    ...{ book_id: 1, id: 5, amount: -125_000, is_pending: true, notes: null, tag_ids: '[1,2]' },
    ...{ custom_metadata: '{"a":{"b":1}}', created_at: '2026-01-01T00:00:00.000Z' },
  };
  assert.deepEqual(shownColumns(table('transactions'), row), {
    ...{ id: 5, amount: '-12.5000', is_pending: true, notes: null, tag_ids: [1, 2] },
    ...{ custom_metadata: { a: { b: 1 } }, created_at: '2026-01-01T00:00:00.000Z' },
  });
  const rule = { conditions: '{"amount":{"min":10000}}', actions: '{"split":[{"amount":5}]}' };
  assert.deepEqual(shownColumns(table('rules'), rule), {
    conditions: { amount: { min: '1.0000' } },
    actions: { split: [{ amount: '0.0005' }] },
  });
  const file = { id: 1, name: 'a.pdf', storage_key: 'secret' };
  assert.deepEqual(shownColumns(table('transaction_files'), file), { id: 1, name: 'a.pdf' });
});
