import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keySheet } from '../../packages/web/src/texts/en/keys.ts';
import { ROOT } from '../house/tracked-files.ts';

/** The rows of the table of keys in the guide: keys and what they do. */
function keysOf(page: string): (readonly [keys: string, action: string])[] {
  const [, table = ''] = /^\| Where .*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
  return table
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, , keys = '', action = '']) => [keys.replaceAll('`', ''), action]);
}

test('the guide has every key of the sheet in the browser, and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/browser.md'), 'utf8');
  assert.deepEqual(
    keysOf(page),
    keySheet.flatMap(({ keys }): (readonly [string, string])[] => [...keys]),
  );
});
