import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { count, quote } from './format.ts';
import { writeList } from './table.ts';

const records = [
  {
    id: 9,
    display_name: '電話 📱',
    balance: '12.5000',
    at: '2026-11-20T12:00:59.999Z',
    is_group: true,
  },
  { id: 10, display_name: 'a\u001b[2Jb', balance: '-3.0000', at: null, is_group: false },
];

function write(list: readonly object[], { isTTY = false, json = false } = {}) {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const context = { stdin: stderr, stdout, stderr, isTerminal: isTTY, environment: {} };
  writeList(list, 'There is nothing', json ? { json } : {}, { ...context, now: () => new Date() });
  return [stdout.read(), stderr.read()] as [unknown, unknown];
}

test('a list is aligned, numbers on the right, and no text writes control characters', () => {
  assert.deepEqual(write(records), [
    'ID  DISPLAY NAME  BALANCE  AT                 IS GROUP\n' +
      ' 9  電話 📱       12.5000  2026-11-20T12:00Z  yes\n' +
      '10  a\\u001b[2Jb   -3.0000  -                  no\n',
    null,
  ]);
});

test('a terminal shows a line below the titles', () => {
  const [text] = write([{ id: 1, name: 'A' }], { isTTY: true });
  assert.equal(text, 'ID  NAME\n──  ────\n 1  A\n');
});

test('with --json each record is a complete line of JSON', () => {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  assert.deepEqual(write(records, { json: true }), [lines.join(''), null]);
});

test('an empty list is a message on stderr', () => {
  for (const json of [true, false])
    assert.deepEqual(write([], { json }), [null, 'There is nothing\n']);
});

test('a quoted text is printable, and a count agrees with its noun', () => {
  assert.equal(quote('a\u001b[2Jb "x"'), '"a\\u001b[2Jb "x""');
  const counts = [0, 1, 12_000].map((number) => count(number, 'row'));
  assert.deepEqual(counts, ['0 rows', '1 row', '12,000 rows']);
  assert.equal(count(2, 'category', 'categories'), '2 categories');
});
