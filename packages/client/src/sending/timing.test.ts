import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilAborted } from './timing.ts';
import { Pacer } from './pacing.ts';
import { always, bench, inTurn } from '../testing/client-bench.ts';
import type { Simulation } from '../testing/simulated-service.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';

describe('an abort', () => {
  const moments: [string, Partial<Simulation>, number][] = [
    ['while it waits for a response', { fault: always('hang') }, 1_000],
    ['while it waits after a failure', { fault: inTurn('503-retry-after') }, 3_000],
    ['while it waits for the reset', { limit: 1 }, 20_000],
  ];
  for (const [when, simulation, afterMs] of moments) {
    for (const whose of ['client', 'call'] as const) {
      test(`${when}: the ${whose}'s signal rejects with its reason and leaves no timer or listener`, async () => {
        const controller = new AbortController();
        const { signal } = controller;
        const listeners = countListeners(signal);
        const { clock, client, service } = bench(simulation, whose === 'client' ? { signal } : {});
        const call = whose === 'call' ? { signal } : {};
        const reason = new Error('enough');
        clock.after(afterMs, () => controller.abort(reason));
        const work = Promise.all([
          client.transactions.page({}, call),
          client.transactions.page({}, call),
        ]);
        await assert.rejects(clock.run(work), (error) => error === reason);
        assert.equal(clock.nowMs(), 1_000 + afterMs);
        await clock.run(Promise.resolve());
        assert.deepEqual(
          clock.pending.filter(({ delayMs }) => delayMs > 3),
          [],
        );
        assert.equal(listeners(), 0);
        assert.ok(service.requests.length <= 2);
      });
    }
  }

  test('before the call: nothing is sent', async () => {
    const { clock, client, service } = bench({});
    const signal = AbortSignal.abort();
    await assert.rejects(clock.run(client.me({ signal })), { name: 'AbortError' });
    assert.equal(service.requests.length, 0);
    assert.deepEqual(clock.pending, []);
  });

  test('of one call passes its turn to the next call', async () => {
    const { clock, client, service } = bench({ limit: 2 });
    const controller = new AbortController();
    await clock.run(client.transactions.page());
    const aborted = client.transactions.page({}, { signal: controller.signal });
    const kept = client.transactions.page();
    controller.abort();
    await assert.rejects(clock.run(aborted), { name: 'AbortError' });
    await clock.run(kept);
    assert.equal(service.count(429), 0);
  });

  test('at any moment around permission to send never costs the next request its turn', async () => {
    let unused = 0;
    for (let moment = 0; moment <= 12; moment += 1) {
      const clock = new VirtualClock();
      const pacer = new Pacer(clock);
      const turn = async (signal = new AbortController().signal) => {
        const given = await pacer.turn(signal, Infinity);
        return 'end' in given ? given : assert.fail('it was refused');
      };
      // The reset is not known, so a request may go while one is left or none is in flight.
      const headers = new Headers({ 'ratelimit-limit': '10', 'ratelimit-remaining': '1' });
      const head = { status: 200, headers, sentAtMs: clock.nowMs(), receivedAtMs: clock.nowMs() };
      const first = await turn();
      const controller = new AbortController();
      const second = turn(controller.signal).then(
        (given) => given.end(null),
        () => (unused += 1),
      );
      controller.abort();
      for (let tick = 0; tick < moment; tick += 1) await Promise.resolve();
      first.end(head);
      await second;
      let isGiven = false;
      void turn().then(() => (isGiven = true));
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(isGiven, `aborted ${moment} steps before`);
    }
    assert.ok(unused > 0);
  });
});

test('waiting for work leaves no listener, however it ends', async () => {
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  await untilAborted(signal, Promise.resolve(1));
  await assert.rejects(untilAborted(signal, Promise.reject(new Error('no'))), /no/);
  assert.equal(listeners(), 0);
});

/** How many listeners a signal has. */
function countListeners(signal: AbortSignal): () => number {
  const held = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: () => void, options?: object) => {
    held.add(listener);
    add(type, listener, options);
  };
  signal.removeEventListener = (type: string, listener: () => void) => {
    held.delete(listener);
    remove(type, listener);
  };
  return () => held.size;
}
