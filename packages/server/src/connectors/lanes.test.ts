import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createLanes } from './lanes.ts';

const key = fc.constantFrom('a', 'b', 'c');
const works = fc.array(fc.record({ key, fails: fc.boolean() }), { maxLength: 20 });

it('a lane runs one after the other in the order of asking, whatever fails, and is forgotten', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), works, async (scheduler, planned) => {
      const lanes = createLanes();
      const asked: number[] = [];
      const begun: number[] = [];
      const underWay = new Set<string>();
      const runs = planned.map(async (work, n) => {
        // Some ask when others have begun, or are done.
        await scheduler.schedule(Promise.resolve());
        asked.push(n);
        return lanes.run(work.key, async () => {
          assert.ok(!underWay.has(work.key));
          underWay.add(work.key);
          begun.push(n);
          await scheduler.schedule(Promise.resolve());
          underWay.delete(work.key);
          if (work.fails) throw new Error(`run ${n}`);
          return n;
        });
      });
      const results = await scheduler.waitFor(Promise.allSettled(runs));
      const outcomes = results.map((result) =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error).message,
      );
      const expected = planned.map(({ fails }, n) => (fails ? `run ${n}` : n));
      assert.deepEqual(outcomes, expected);
      for (const one of ['a', 'b', 'c']) {
        const ofOne = (n: number) => planned[n]!.key === one;
        assert.deepEqual(begun.filter(ofOne), asked.filter(ofOne));
      }
      assert.equal(lanes.size, 0);
    }),
  );
});
