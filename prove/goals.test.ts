import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { goals } from './run/goals.ts';
import { readResults, tableOf } from './run/record.ts';

const document = readFileSync(new URL('../docs/reference/reliability.md', import.meta.url), 'utf8');

test('every goal has either a check or a statement that it has none', () => {
  const files = globSync('*/f[0-9][0-9]-*.ts', { cwd: import.meta.dirname });
  const checked = files.map((file) => `F${Number(/f(\d\d)-/.exec(file)?.[1])}`);
  const unchecked = goals.filter((goal) => goal.unchecked !== undefined).map(({ id }) => id);
  assert.deepEqual([...checked, ...unchecked].toSorted(), goals.map(({ id }) => id).toSorted());
});

test('the reference has a row for every goal, with the kept results', () => {
  const ids = [...document.matchAll(/^\| (F\d+) /gm)].map(([, id]) => id);
  assert.deepEqual(
    ids,
    Array.from({ length: goals.length }, (_, n) => `F${n + 1}`),
  );
  assert.ok(document.includes(`-->\n\n${tableOf(readResults())}\n\n<!--`));
});
