import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyboardEvent } from 'react';
import { pressInGrid, type GridActions } from './grid-keys.ts';

/** What a key does: the name of the action and what it is given; empty for nothing, which leaves the key alone. */
function done(key: string, held: object = {}, hasLetterKeys = true): string {
  const calls: string[] = [];
  const actions = new Proxy({} as GridActions, {
    get:
      (_actions, name) =>
      (...given: readonly unknown[]) =>
        void calls.push([String(name), ...given].join(' ')),
  });
  let isTaken = false;
  const usual = { ctrlKey: false, metaKey: false, altKey: false, target: 1, currentTarget: 1 };
  const preventDefault = (): void => void (isTaken = true);
  const event = { key, ...usual, preventDefault, ...held } as unknown as KeyboardEvent;
  pressInGrid(event, actions, hasLetterKeys);
  assert.equal(isTaken, calls.length > 0, key);
  return calls.join();
}

test('each key has its action; letters only where they are on', () => {
  for (const [key, action] of [
    ['ArrowDown', 'move 1'] as const,
    ['ArrowUp', 'move -1'] as const,
    ['PageDown', 'move 15'] as const,
    ['PageUp', 'move -15'] as const,
    ['Home', 'toEnd false'] as const,
    ['End', 'toEnd true'] as const,
    ['ArrowRight', 'unfold true'] as const,
    ['ArrowLeft', 'unfold false'] as const,
    ['Enter', 'edit payee'] as const,
    [' ', 'select'] as const,
    ['Delete', 'remove'] as const,
    ['Escape', 'deselect'] as const,
    ['Tab', ''] as const,
  ])
    for (const isOn of [true, false]) assert.equal(done(key, {}, isOn), action, key);
  for (const [key, action] of [
    ['j', 'move 1'] as const,
    ['k', 'move -1'] as const,
    ['g', 'toEnd false'] as const,
    ['G', 'toEnd true'] as const,
    ['/', 'search'] as const,
    ['p', 'edit payee'] as const,
    ['c', 'edit category'] as const,
    ['t', 'edit tags'] as const,
    ['n', 'edit notes'] as const,
    ['d', 'edit date'] as const,
    ['m', 'edit amount'] as const,
    ['e', 'review'] as const,
    ['s', 'split'] as const,
    ['r', 'makeRule'] as const,
    ['x', 'select'] as const,
    ['X', 'selectUpTo'] as const,
    ['A', 'selectPayee'] as const,
    ['u', 'undo'] as const,
    ['q', ''] as const,
  ]) {
    assert.equal(done(key), action, key);
    assert.equal(done(key, {}, false), '', key);
  }
});

test('keys of the browser, and those of a field in the list, are left alone', () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { target: 2 }])
    assert.equal(done('j', held), '');
});
