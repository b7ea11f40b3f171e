import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../house/tracked-files.ts';

const rows = textOf('docs/reference/daily-features.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Feature|-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('each daily feature names a test of the browser that exists', () => {
  assert.equal(rows.length, 20);
  for (const [, feature, , named = ''] of rows) {
    if (named === 'none') continue;
    const [, file, title] = /^`([\w-]+)`: (.+)$/.exec(named)!;
    assert.ok(textOf(`test/web/${file}.test.ts`).includes(`test('${title}'`), feature);
  }
});
