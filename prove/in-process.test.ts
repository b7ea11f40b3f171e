import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutProcesses } from '../test/service/server-process.ts';
import { check as f11 } from './http/f11-foreign-records.ts';
import { check as f12 } from './records/f12-pages.ts';
import { check as f15 } from './records/f15-repeated-writes.ts';
import { goals } from './run/goals.ts';

/** The checks that `npm test` runs, with few rounds: the service is in this process, and its records in SQLite. */
for (const [check, rounds] of [
  [f11, 400],
  [f12, 25],
  [f15, 1],
] as const) {
  const { promise } = goals.find(({ id }) => id === check.id)!;
  test(`${check.id}: ${promise}`, async (t) => {
    const { figure, problems } = await withoutProcesses(() => check.run(rounds));
    t.diagnostic(figure);
    assert.deepEqual(problems, []);
  });
}
