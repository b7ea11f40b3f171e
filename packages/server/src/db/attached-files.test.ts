import assert from 'node:assert/strict';
import { it } from 'node:test';
import sql from 'sql-template-tag';
import { attachedFiles } from './attached-files.ts';
import { rows, type Steps } from './engine.ts';
import { engines } from './testing/engines.ts';

it('reads of the log only the lines about files', async () => {
  const engine = await engines.find(({ name }) => name === 'SQLite')!.open();
  const plan = await engine.read(() => plansOf(attachedFiles(1)));
  const ofLog = plan.filter((line) => line.includes('changed_records'));
  assert.equal(ofLog.length, 1);
  assert.match(ofLog[0]!, /changed_records_by_record \(book_id=\? AND record=\? /);
});

/** Runs steps, and returns the plans of their statements. */
function* plansOf(steps: Steps<unknown>): Steps<string[]> {
  const plans: string[] = [];
  for (let next = steps.next(); next.done !== true;) {
    if ('text' in next.value) {
      const plan = yield* rows<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${next.value}`);
      plans.push(...plan.map(({ detail }) => detail));
    }
    next = steps.next(yield next.value);
  }
  return plans;
}
