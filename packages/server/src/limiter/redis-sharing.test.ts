import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Hit } from './limiter.ts';
import { SPECIFIED } from './testing/sharing.ts';
import { SharedLimiter, within } from './redis.ts';
import type { SharedCount, SharedCounter, SharingState } from './redis.ts';

type Fault = Error | 'silence';

/** A counter on two servers, whose clients begin with their name. */
class FakeCounter implements SharedCounter {
  readonly faults: Record<string, Fault | undefined> = {};
  readonly keys: string[] = [];
  readonly #counts = new Map<string, number>();
  connection: Promise<void> = Promise.resolve();

  connected(): Promise<void> {
    return this.connection;
  }

  serverOf(key: string): string {
    return this.keys.length > 0 && key.includes(this.second) ? 'two' : 'one';
  }

  /** A part of the keys of the clients on the second server. */
  second = 'none';

  async count(key: string): Promise<SharedCount> {
    this.keys.push(key);
    const fault = this.faults[this.serverOf(key)];
    if (fault === 'silence') await new Promise(() => undefined);
    if (fault instanceof Error) throw fault;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return { count, nowUs: 5_000_001, endUs: 60_000_000 };
  }

  close(): void {
    this.faults['one'] = new Error('closed');
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A limiter that waits 100 ms, on a clock that only `pass` moves. */
function make(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const counter = new FakeCounter();
  const states: SharingState[] = [];
  const limiter = new SharedLimiter({
    rateLimit: SPECIFIED,
    counter,
    timeoutMs: 100,
    onStateChange: (state) => states.push(state),
  });
  t.after(() => limiter.close());
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      t.mock.timers.tick(100);
      await turn();
    }
  };
  const hits = (client: string, times: number): Promise<Hit[]> =>
    Promise.all(Array.from({ length: times }, async () => limiter.hit(client)));
  return { counter, states, limiter, pass, hits };
}

const shared = { isShared: true, reason: '' };

describe('a shared limiter', () => {
  it('returns the counts of the counter, and counts nothing locally when the limit is reached', async (t) => {
    const { states, limiter, hits } = make(t);
    await limiter.open();
    assert.deepEqual(states, [shared], 'before the first hit');
    const all = await hits('a', 250);
    assert.equal(all.filter(({ allowed }) => allowed).length, 100);
    assert.deepEqual(all[1], {
      limit: 100,
      remaining: 98,
      allowed: true,
      resetsAtMs: 60_000,
      retryAfterMs: 54_999.999,
    });
    assert.deepEqual(limiter.sharing(), { isShared: true, fallbacks: 0 });
    assert.deepEqual([limiter.clientCount(), states], [0, [shared]]);
  });

  for (const [fault, reason] of [
    [new Error('OOM'), 'OOM'],
    ['silence', 'no reply within 100 ms'],
  ] as const)
    it(`counts locally, each client with its full limit, after ${reason}, and then shares again`, async (t) => {
      const { counter, states, limiter, pass, hits } = make(t);
      await hits('a', 40);
      counter.faults['one'] = fault;
      const sent = hits('a', 20);
      await pass(100);
      const rest = await hits('a', 130);
      const keys = counter.keys.length;
      assert.ok(!(limiter.hit('a') instanceof Promise), 'it does not wait for the counter');
      assert.equal(counter.keys.length, keys, 'and sends it nothing that it could count later');
      assert.equal([...(await sent), ...rest].filter(({ allowed }) => allowed).length, 100);
      assert.deepEqual(limiter.sharing(), { isShared: false, fallbacks: 151 });
      // About two probes a second, which fail and are not reported again.
      await pass(10_000);
      const probes = counter.keys.length - keys;
      assert.ok(probes >= 15 && probes <= 20, `${probes} probes`);
      delete counter.faults['one'];
      await pass(600);
      assert.deepEqual(states, [shared, { isShared: false, reason }, shared]);
      assert.equal((await limiter.hit('a')).remaining, 100 - 41, 'no hit was counted twice');
      assert.equal(limiter.clientCount(), 1);
      await pass(SPECIFIED.windowMs);
      assert.equal(limiter.clientCount(), 0, 'its local counts are forgotten');
    });

  it('counts only the clients of unavailable servers locally, and shares when all are back', async (t) => {
    const { counter, states, limiter, pass } = make(t);
    await limiter.hit('first');
    await limiter.hit('other');
    counter.second = counter.keys[1]!;
    counter.faults['two'] = new Error('lost');
    for (let n = 0; n < 3; n += 1) {
      await limiter.hit('first');
      await limiter.hit('other');
    }
    assert.deepEqual(limiter.sharing(), { isShared: false, fallbacks: 3 });
    counter.faults['one'] = new Error('lost too');
    await limiter.hit('first');
    delete counter.faults['two'];
    await pass(500);
    assert.equal(states.length, 2, 'one is still unavailable');
    delete counter.faults['one'];
    await pass(500);
    assert.deepEqual(states, [shared, { isShared: false, reason: 'lost' }, shared]);
  });

  it('opens within a second without a connection, or without a reply, and shares later', async (t) => {
    for (const [connection, fault, reason] of [
      [Promise.reject(new Error('ECONNREFUSED')), 'silence', 'ECONNREFUSED'],
      [new Promise<void>(() => undefined), 'silence', 'no reply within 1000 ms'],
      [Promise.resolve(), 'silence', 'no reply within 1000 ms'],
    ] as const) {
      const { counter, states, limiter, pass, hits } = make(t);
      counter.connection = connection;
      counter.faults['one'] = fault;
      const opening = limiter.open();
      await turn();
      await pass(1000);
      await opening;
      assert.deepEqual(states, [{ isShared: false, reason }]);
      assert.equal((await hits('a', 101)).at(-1)?.allowed, false);
      delete counter.faults['one'];
      await pass(1000);
      assert.equal(limiter.sharing().isShared, true);
      t.mock.timers.reset();
    }
  });

  it('does nothing after it was closed, also during a probe', async (t) => {
    const { counter, states, limiter, pass } = make(t);
    counter.faults['one'] = 'silence';
    void limiter.hit('a');
    await pass(100);
    await pass(500);
    assert.equal(counter.keys.length, 2, 'a probe is under way');
    await limiter.close();
    await limiter.close();
    await pass(60_000);
    assert.deepEqual([counter.keys.length, states.length], [2, 1]);
  });
});

describe('a time limit for work', () => {
  it('gives the result or the error of the work, and leaves no timer', async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    assert.equal(await within(Promise.resolve(7), 60_000), 7);
    await assert.rejects(within(Promise.reject(new Error('planted')), 60_000), /planted/);
    await turn();
    assert.equal(timers(), before);
  });

  it('rejects at the limit, unless the reply has arrived by then, and ignores a later one', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const late = Promise.withResolvers<number>();
    const refused = assert.rejects(within(late.promise, 30), /^Error: no reply within 30 ms$/);
    t.mock.timers.tick(30);
    await refused;
    // Unhandled, this rejection would end the process.
    late.reject(new Error('planted'));
    await turn();
    const arrived = Promise.withResolvers<number>();
    const result = within(arrived.promise, 30);
    t.mock.timers.tick(30);
    // Timers run before the data is read that arrived while the process was busy.
    arrived.resolve(7);
    assert.equal(await result, 7);
  });
});
