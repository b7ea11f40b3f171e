import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays } from '@coffer/core/dates';
import { coffer, makeFolder, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();

function inDatabase(name: string): string[] {
  return ['--database', `sqlite:${join(folder, name)}`];
}

test('without a last day, the book ends on the day of the clock in UTC', async () => {
  for (const now of ['2026-11-27T00:00:00Z', '2028-02-29T23:59:59Z']) {
    const [name, today] = [`${now.slice(0, 4)}.db`, now.slice(0, 10)];
    const argv = ['demo', '--transactions', '400', ...inDatabase(name)];
    assert.equal((await runCoffer(argv, { now: () => new Date(now) })).code, 0);
    const whose = ['--email', 'demo@coffer.example', ...inDatabase(name)];
    const lines = (await coffer('export', '--format', 'ndjson', ...whose)).split('\n');
    const rows = lines.filter((line) => line.startsWith('{"type":"transaction",'));
    const dates = rows.map((line) => /"date":"([-0-9]{10})"/.exec(line)![1]!);
    const newest = dates.toSorted().at(-1)!;
    assert.ok(newest <= today && newest >= addDays(today, -2), newest);
  }
});
