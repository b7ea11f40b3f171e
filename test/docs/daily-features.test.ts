import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../house/tracked-files.ts';

const page = readFileSync(join(ROOT, 'docs/reference/daily-features.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Feature|-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('each daily feature names a test of the browser that exists', () => {
  assert.equal(rows.length, 20);
  for (const [, feature, , named = ''] of rows) {
    if (named === 'none') continue;
    const [, file, title] = /^`([\w-]+)`: (.+)$/.exec(named)!;
    const text = readFileSync(join(ROOT, `test/web/${file}.test.ts`), 'utf8');
    assert.ok(text.includes(`test('${title}'`), feature);
  }
});
