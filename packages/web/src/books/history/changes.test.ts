import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  actorKey,
  byDay,
  describeCounts,
  fieldsOf,
  operationWords,
  readChangeFilter,
  titleOf,
  writeChangeFilter,
} from './changes.ts';
import { describeConflict } from './conflicts.ts';
import type { UndoConflict } from '../types.ts';

const words = {
  verbs: {
    made: (what: string) => `added ${what}`,
    changed: (what: string) => `changed ${what}`,
    removed: (what: string) => `deleted ${what}`,
  },
  counted: (record: string, count: number) => `${count} ${record}`,
  list: (parts: readonly string[]) => parts.join(', '),
  nothing: 'nothing',
  others: (kinds: number) => `${kinds} others`,
};

test('counts become a sentence, without what only follows', () => {
  const made = { record: 'transactions', kind: 'made', count: 2 } as const;
  const moved = { record: 'manual_accounts', kind: 'changed', count: 1 } as const;
  assert.equal(describeCounts([moved, made], words), 'added 2 transactions');
  assert.equal(describeCounts([moved], words), 'changed 1 manual_accounts');
  assert.equal(describeCounts([], words), 'nothing');
  const removed = { record: 'tags', kind: 'removed', count: 1 } as const;
  const shown = describeCounts([removed, made, { ...made, record: 'categories', count: 5 }], words);
  assert.equal(shown, 'added 5 categories, 2 transactions; deleted 1 tags');
});

test('of many kinds of records the most frequent is named, the others counted', () => {
  const counts = ['tags', 'transactions', 'categories', 'budgets'].map((record, place) => ({
    record,
    kind: 'made' as const,
    count: place + 1,
  }));
  assert.equal(describeCounts(counts, words, 3), 'added 4 budgets, 3 others');
  const shown = describeCounts(counts.slice(1), words, 3);
  assert.equal(shown, 'added 4 budgets, 3 categories, 2 transactions');
});

test('operations are named in words', () => {
  assert.equal(operationWords('updateTransaction'), 'Update transaction');
  assert.equal(operationWords('category merge'), 'Category merge');
});

test('of a new record the values that say something, of a changed one all that changed', () => {
  const after = { id: 1, payee: 'Baker', notes: null, is_pending: false, created_at: 'x' };
  const columns = fieldsOf({ kind: 'made', before: null, after }).map(({ column }) => column);
  assert.deepEqual(columns, ['payee']);
  const change = { kind: 'changed', before: { notes: null }, after: { notes: 'x' } } as const;
  assert.deepEqual(fieldsOf(change), [{ column: 'notes', before: null, after: 'x' }]);
  assert.equal(titleOf({ kind: 'made', before: null, after }), 'Baker');
  assert.equal(titleOf(change), null);
});

test('an actor is written as the filter has it', () => {
  assert.equal(actorKey({ kind: 'token', id: 12 }), 'token 12');
  assert.equal(actorKey({ kind: 'command', id: null }), 'command');
});

test('days keep every change, in its order', () => {
  const times = fc
    .array(fc.integer({ min: 0, max: 10 ** 12 }))
    .map((all) => all.toSorted((a, b) => b - a).map((ms) => ({ at: new Date(ms).toISOString() })));
  fc.assert(
    fc.property(times, (entries) => {
      const days = byDay(entries, (ms) => new Date(ms).toISOString().slice(0, 10));
      const shown = days.flatMap((day) => day.entries);
      assert.deepEqual(shown, entries);
      assert.equal(new Set(days.map(({ date }) => date)).size, days.length);
    }),
  );
});

test('a filter survives the address; what is invalid does not filter', () => {
  const date = fc.constantFrom('', '2026-01-31', '2025-12-01');
  const filters = fc.record(
    {
      actor: fc.constantFrom('', 'token 12', 'command'),
      operation: fc.constantFrom('', 'updateTransaction', 'category merge'),
      record: fc.constantFrom('', 'transactions', 'budget_settings'),
      from: date,
      to: date,
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(filters, (filter) => {
      assert.deepEqual(readChangeFilter(writeChangeFilter(filter)), filter);
    }),
  );
  assert.equal(writeChangeFilter(readChangeFilter('from=yesterday&record=<b>&x=1')), '');
});

test('a conflict says which record it is, which of its values, and what hangs on it', () => {
  const says = {
    reasons: { changed: 'was changed since' },
    column: (column: string, reason: string) => `${column} ${reason}`,
    blocked: (count: number) => `blocks ${count}`,
    records: { tags: { one: 'Tag' } },
  };
  const plain = { record: 'tags', id: 4, column: null, reason: 'changed', blocked: [] };
  const blocked = [
    { record: 'tags', id: 4 },
    { record: 'tags', id: 5 },
    { record: 'rules', id: 4 },
  ];
  for (const [part, record, reason, others] of [
    [{}, 'Tag 4', 'was changed since', null],
    [{ column: 'text_color' }, 'Tag 4', 'text color was changed since', null],
    [{ record: 'rules', reason: 'gone', key: { a: 1, b: 'x' } }, 'rules 4 1 x', 'gone', null],
    [{ blocked }, 'Tag 4', 'was changed since', 'blocks 2'],
    [{ blocked: blocked.slice(0, 1) }, 'Tag 4', 'was changed since', null],
  ] as const) {
    const { key, ...shown } = describeConflict({ ...plain, ...part } as UndoConflict, says);
    assert.deepEqual(shown, { record, reason, blocked: others });
    assert.ok(key.length > 0);
  }
});
