import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { leases } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { endLease, forgetLease, holdsLease, takeLease } from './leases.ts';
import type { Lease } from './leases.ts';

const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

for (const { name, skip, openNodes } of engines) {
  describe(`a lease on ${name}`, { skip }, () => {
    let nodes: Engine[];
    before(async () => {
      // The clocks of the nodes must not matter.
      const now = Date.parse('2026-01-01T00:00:00.000Z');
      nodes = await openNodes([now - yearMs, now, now, now + yearMs].map((at) => () => at));
    });

    let leaseNames = 0;
    const newName = (): string => `lease ${(leaseNames += 1)}`;
    const take = (node: number, lease: string, durationMs = minuteMs, holder = `node ${node}`) =>
      nodes[node]!.write(() => takeLease(lease, holder, durationMs));
    const holds = (lease: Lease) => nodes[0]!.read(() => holdsLease(lease));

    it('has one holder, however many try to take it at once', async () => {
      for (let round = 0; round < 20; round += 1) {
        const lease = newName();
        const askers = [0, 1, 2, 3, 0, 1, 2, 3];
        const taken = await Promise.all(
          askers.map((node, index) => take(node, lease, minuteMs, `asker ${index}`)),
        );
        const held = taken.filter((each) => each !== null);
        assert.equal(held.length, 1);
        assert.equal(await holds(held[0]!), true);
      }
    });

    it('cannot be taken until it expires or ends, and then gets a greater number', async () => {
      const lease = newName();
      const numbers: number[] = [];
      // With a duration of 0 it expires at once on the clock of the database.
      for (const durationMs of [0, -minuteMs, minuteMs]) {
        const held = await take(numbers.length, lease, durationMs);
        numbers.push(held!.number);
        assert.deepEqual(held, {
          name: lease,
          holder: `node ${numbers.length - 1}`,
          number: numbers.at(-1),
        });
      }
      assert.deepEqual(await Promise.all([0, 1, 3].map((node) => take(node, lease))), [
        null,
        null,
        null,
      ]);
      await nodes[2]!.write(() => endLease({ name: lease, holder: 'node 2', number: numbers[2]! }));
      numbers.push((await take(3, lease))!.number);
      assert.deepEqual(
        numbers,
        [...new Set(numbers)].toSorted((a, b) => a - b),
      );
      assert.equal(
        await take(0, newName()).then((other) => other === null),
        false,
        'another lease',
      );
    });

    it('is still held after it has expired until another holder takes it', async () => {
      const lease = newName();
      const first = await take(0, lease, 0);
      assert.equal(await holds(first!), true);
      const second = await take(1, lease);
      assert.equal(await holds(first!), false);
      assert.equal(await holds(second!), true);
      assert.equal(await holds({ ...second!, holder: 'node 0' }), false);
      assert.equal(await holds({ ...second!, number: first!.number }), false);
    });

    it('cannot be ended by an earlier holder', async () => {
      const lease = newName();
      const first = await take(0, lease, 0);
      const second = await take(1, lease);
      await nodes[0]!.write(() => endLease(first!));
      assert.equal(await take(2, lease), null);
      assert.equal(await holds(second!), true);
    });

    it('has a number of at least the time of the database in microseconds', async () => {
      const lease = newName();
      const { number } = (await take(3, lease, 0))!;
      const row = await nodes[0]!.read(() => find(leases, { name: lease }));
      assert.ok(number >= row!.expires_at_ms * 1000, `${number}`);
      assert.ok(Number.isSafeInteger(number));
    });

    it('can be deleted, and then taken again', async () => {
      const lease = newName();
      const held = await take(0, lease);
      await nodes[0]!.write(() => forgetLease(lease));
      assert.equal(await holds(held!), false);
      assert.notEqual(await take(1, lease), null);
    });
  });
}
