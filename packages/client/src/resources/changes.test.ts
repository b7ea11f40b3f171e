import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { ApiError, createClient, GoneError, MalformedResponseError } from '../index.ts';
import type { ChangePage, FollowOptions } from '../index.ts';
import { clientOf, token } from '../testing/client-bench.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** What a service does with a request: it responds, or the connection breaks. */
type Reply = 'changes' | 'nothing' | 'broken' | 'cut off' | 408 | 500 | 429;

const change = { version: 1, at: '', record: 'tags', id: 1, kind: 'made', value: null };

/** A service with numbered changes, two on a page, whose positions are their numbers. */
class Feed {
  readonly clock = new VirtualClock();
  readonly sent: { after: string; wait: string; atMs: number }[] = [];
  readonly #replies: Reply[];

  constructor(replies: readonly Reply[]) {
    this.#replies = [...replies];
  }

  readonly #fetch = async (url: string): Promise<Response> => {
    const query = new URL(url).searchParams;
    const after = query.get('after')!;
    const wait = query.get('wait')!;
    this.sent.push({ after, wait, atMs: this.clock.nowMs() });
    const reply = this.#replies.shift() ?? 'changes';
    if (reply === 'broken') throw new TypeError('fetch failed');
    if (reply === 'cut off') return new Response('{"changes":[');
    if (typeof reply === 'number') return Response.json({ message: 'm' }, { status: reply });
    const from = Number(after);
    if (reply === 'changes') return Response.json(pageAfter(from));
    await this.clock.sleep(Number(wait) * 1000);
    return Response.json({ changes: [], position: after, has_more: false });
  };

  follow(options: FollowOptions = {}, timeoutMs = 30_000) {
    const base = { baseUrl: 'http://127.0.0.1', token, timeoutMs, maxAttempts: 2 };
    const client = createClient({ ...base, clock: this.clock, fetch: this.#fetch });
    return client.changes(options);
  }
}

function pageAfter(from: number): ChangePage {
  const changes = [1, 2].map((n) => ({ ...change, id: from + n })) as ChangePage['changes'];
  return { changes, position: String(from + 2), has_more: false };
}

async function take(pages: AsyncIterable<ChangePage>, count: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const { changes } of pages) {
    ids.push(...changes.map(({ id }) => id));
    if (ids.length >= count) break;
  }
  return ids;
}

describe('following changes', () => {
  const replies = fc.constantFrom<Reply>('changes', 'nothing', 'broken', 'cut off', 408, 500, 429);
  test('has every change once and in order, whatever fails on the way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(replies, { maxLength: 30 }), async (some) => {
        const feed = new Feed(some);
        const ids = await feed.clock.run(take(feed.follow({ after: '0' }), 20));
        assert.deepEqual(
          ids,
          Array.from({ length: 20 }, (_, index) => index + 1),
        );
        assert.equal(feed.clock.pending.length, 0);
      }),
      {
        numRuns: runs(100),
        examples: [408, 500].map((each) => [Array<Reply>(3).fill(each as Reply)]),
      },
    );
  });

  test('waits at the service for less than the time limit of an attempt, and rests after failures', async () => {
    const feed = new Feed(['nothing', ...Array<Reply>(20).fill('broken')]);
    await feed.clock.run(take(feed.follow({ limit: 2 }), 1));
    assert.equal(feed.sent[0]!.wait, '15');
    const waits = feed.sent.slice(1).map(({ atMs }, index) => atMs - feed.sent[index]!.atMs);
    assert.equal(waits[0], 15_000);
    assert.ok(Math.max(...waits.slice(1)) > 5000 && Math.max(...waits.slice(1)) <= 30_000);
    const slow = new Feed([]);
    await slow.clock.run(take(slow.follow({}, 120_000), 1));
    assert.equal(slow.sent[0]!.wait, '25');
  });

  test('does not hurry when the service returns nothing at once', async () => {
    const stop = new AbortController();
    const nothing = { changes: [], position: '0', has_more: false };
    const { client, clock, requests } = clientOf(() => Response.json(nothing));
    clock.after(300_000, () => stop.abort(new Error('enough')));
    const following = take(client.changes({ signal: stop.signal }), 1);
    await assert.rejects(clock.run(following), /enough/);
    assert.ok(requests.length < 60, `${requests.length} requests in five minutes`);
  });

  test('ends with a refusal, and with a GoneError that has the oldest version', async () => {
    const errors = [{ errMsg: 'The changes were pruned', oldest_version: 7 }];
    const refusal = (status: number) => {
      const { client } = clientOf(() => Response.json({ message: 'm', errors }, { status }));
      return take(client.changes({ after: '3' }), 1);
    };
    for (const status of [400, 401, 404])
      await assert.rejects(refusal(status), (error) => error instanceof ApiError);
    await assert.rejects(
      refusal(410),
      (error) => error instanceof GoneError && error.oldestVersion === 7,
    );
  });

  test('takes a body of another form for no page', async () => {
    const good = { changes: [], position: '2', has_more: false };
    for (const part of [
      { changes: {} },
      { changes: [null] },
      { position: 2 },
      { has_more: 'no' },
      { changes: undefined },
      { position: undefined },
      { has_more: undefined },
    ]) {
      const { client } = clientOf(() => Response.json({ ...good, ...part }));
      await assert.rejects(client.coffer.changes(), MalformedResponseError);
    }
    const { client } = clientOf(() => Response.json(good));
    assert.deepEqual(await client.coffer.changes(), good);
  });

  test('does not hold up other calls of the client', async () => {
    const clock = new VirtualClock();
    const fetch = async (url: string) => {
      if (url.includes('/coffer/')) await clock.sleep(15_000);
      return Response.json(url.includes('/me') ? { id: 1 } : pageAfter(0));
    };
    const client = createClient({ baseUrl: 'http://127.0.0.1', token, clock, fetch });
    const following = take(client.changes(), 1);
    await clock.run(client.me());
    assert.equal(clock.nowMs(), 1000);
    await clock.run(following);
  });
});
