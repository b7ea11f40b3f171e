import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commandOf, stepFrom } from './sheet.ts';

const size = { rows: 5, columns: 2 };
const move = (row: number, column: number) => ({ kind: 'move', to: { row, column } });

test('keys edit, clear, turn and move, with Control through the sheet; those of the browser are left alone', () => {
  for (const [key, held, expected] of [
    ['7', {}, { kind: 'edit', text: '7' }],
    ['Enter', {}, { kind: 'edit', text: null }],
    ['Delete', {}, { kind: 'clear' }],
    ['PageDown', {}, { kind: 'turn', step: 1 }],
    ['1', { ctrlKey: true }, null],
    ['Tab', {}, null],
    ['ArrowUp', {}, move(1, 0)],
    ['ArrowDown', {}, move(3, 0)],
    ['ArrowRight', {}, move(2, 1)],
    ['ArrowDown', { metaKey: true }, null],
    ['PageUp', {}, { kind: 'turn', step: -1 }],
    ['F2', {}, { kind: 'edit', text: null }],
    ['Backspace', {}, { kind: 'clear' }],
    ['Home', {}, move(2, 0)],
    ['x', {}, null],
    ['ArrowLeft', { altKey: true }, null],
    ['End', {}, move(2, 1)],
    ['End', { ctrlKey: true }, move(4, 1)],
    ['Home', { ctrlKey: true }, move(0, 0)],
  ] as const) {
    const pressed = { key, ctrlKey: false, metaKey: false, altKey: false, ...held };
    assert.deepEqual(commandOf(pressed, { row: 2, column: 0 }, size), expected, key);
  }
});

test('arrows go back, too', () => {
  const pressed = { key: 'ArrowLeft', ctrlKey: false, metaKey: false, altKey: false };
  assert.deepEqual(commandOf(pressed, { row: 2, column: 1 }, size), move(2, 0));
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
