import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandOf, stepFrom } from './sheet.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const size = { rows: 5, columns: 2 };
const at = { row: 2, column: 0 };

test('digits begin to edit, Enter edits what is there, and keys of the browser are left alone', () => {
  assert.deepEqual(commandOf({ key: '7', ...plain }, at, size), { kind: 'edit', text: '7' });
  assert.deepEqual(commandOf({ key: 'Enter', ...plain }, at, size), { kind: 'edit', text: null });
  assert.deepEqual(commandOf({ key: 'Delete', ...plain }, at, size), { kind: 'clear' });
  assert.deepEqual(commandOf({ key: 'PageDown', ...plain }, at, size), { kind: 'turn', step: 1 });
  assert.equal(commandOf({ key: '1', ...plain, ctrlKey: true }, at, size), null);
  assert.equal(commandOf({ key: 'Tab', ...plain }, at, size), null);
  assert.equal(commandOf({ key: 'ArrowLeft', ...plain, altKey: true }, at, size), null);
});

test('Home and End lead along the row, with Control through the sheet', () => {
  const to = (key: string, ctrlKey = false) => commandOf({ key, ...plain, ctrlKey }, at, size);
  assert.deepEqual(to('End'), { kind: 'move', to: { row: 2, column: 1 } });
  assert.deepEqual(to('End', true), { kind: 'move', to: { row: 4, column: 1 } });
  assert.deepEqual(to('Home', true), { kind: 'move', to: { row: 0, column: 0 } });
});

test('no step leaves the sheet', () => {
  const step = fc.integer({ min: -100, max: 100 });
  fc.assert(
    fc.property(fc.nat(4), fc.nat(1), step, step, (row, column, rows, columns) => {
      const to = stepFrom({ row, column }, [rows, columns], size);
      assert.ok(to.row >= 0 && to.row < size.rows && to.column >= 0 && to.column < size.columns);
    }),
  );
});
