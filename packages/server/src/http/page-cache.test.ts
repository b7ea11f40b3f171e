import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PageCache, type NewBody } from './page-cache.ts';

const overhead = 512;
const keyOf = (name: string | number) => `W/"${hash('sha256', String(name), 'base64url')}"`;
const bodyOf = (length: number, text = 'x'): NewBody => ({
  pieces: [Buffer.alloc(length, text)],
  encoding: null,
});
const textOf = ({ pieces }: NewBody) => Buffer.concat(pieces).toString();

/** Requests a body as the service does; returns whether it was held. */
async function request(cache: PageCache, name: string | number, body = bodyOf(488)) {
  if (cache.find(keyOf(name)) !== undefined) return true;
  await cache.read(keyOf(name), () => Promise.resolve(body));
  return false;
}

describe('admission', () => {
  test('the encodings of a page are admitted together, and held apart', async () => {
    const cache = new PageCache(100_000);
    await cache.read(keyOf('a'), () => Promise.resolve(bodyOf(9)));
    const gzip = { pieces: [Buffer.from('gzip')], encoding: 'gzip' } as const;
    await cache.read(`${keyOf('a')}gzip`, () => Promise.resolve(gzip));
    assert.equal(cache.find(keyOf('a')), undefined);
    const { pieces, encoding } = cache.find(`${keyOf('a')}gzip`)!;
    assert.deepEqual([Buffer.concat(pieces).toString(), encoding], ['gzip', 'gzip']);
  });

  test('a walk over more than twice the capacity holds nothing, however often', async () => {
    const cache = new PageCache(10_000);
    await request(cache, 'hot');
    await request(cache, 'hot');
    for (let round = 0; round < 3; round += 1)
      for (let page = 0; page < 25; page += 1) assert.equal(await request(cache, page), false);
    assert.equal(cache.counts.bytes, 1000);
    assert.equal(await request(cache, 'hot'), true);
  });

  test('a walk over less is held, so that it is read only twice', async () => {
    const cache = new PageCache(10_000);
    const held = [];
    for (let round = 0; round < 3; round += 1)
      for (let page = 0; page < 9; page += 1) held.push(await request(cache, page));
    assert.deepEqual(held, [...Array<boolean>(18).fill(false), ...Array<boolean>(9).fill(true)]);
  });

  test('many small bodies are remembered in bounded memory', async () => {
    const cache = new PageCache(1e9);
    for (let page = 0; page < 3 * 4096; page += 1) await request(cache, page, bodyOf(1));
    await request(cache, 0, bodyOf(1));
    await request(cache, 2 * 4096, bodyOf(1));
    assert.equal(cache.find(keyOf(0)), undefined);
    assert.notEqual(cache.find(keyOf(2 * 4096)), undefined);
  });

  test('neither a provisional body is held, nor one that is more than a quarter of the capacity', async () => {
    const cache = new PageCache(4000);
    for (const body of [{ ...bodyOf(9), isProvisional: true }, bodyOf(1000 - overhead + 1)]) {
      for (let time = 0; time < 3; time += 1) assert.equal(await request(cache, 'a', body), false);
      assert.equal(cache.counts.bytes, 0);
    }
    await request(cache, 'a', bodyOf(1000 - overhead));
    assert.equal(cache.counts.bytes, 1000);
  });
});

describe('bounds', () => {
  test('a held body has a block of its own size, also when its pieces are parts of larger ones', async () => {
    const cache = new PageCache(1_000_000);
    const large = Buffer.alloc(100_000, 'abc');
    const pieces = [large.subarray(0, 3), Buffer.from('x'), large.subarray(3, 6)];
    for (let time = 0; time < 2; time += 1) await request(cache, 'a', { pieces, encoding: null });
    const [held, ...rest] = cache.find(keyOf('a'))!.pieces;
    assert.deepEqual([held!.buffer.byteLength, rest.length], [7, 0]);
    assert.equal(Buffer.from(held!).toString(), 'abcxabc');
    assert.equal(cache.counts.bytes, 7 + overhead);
  });

  test('it behaves as a simple model, and never exceeds its capacity', async () => {
    const step = fc.record({ name: fc.nat(12), length: fc.nat(1200) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const cache = new PageCache(5000);
        const lengths = new Map<number, number>();
        let held: number[] = [];
        for (const { name, length } of steps) {
          const own = lengths.get(name) ?? length;
          lengths.set(name, own);
          const body = bodyOf(own, String.fromCharCode(97 + name));
          const found = cache.find(keyOf(name));
          assert.equal(found !== undefined, held.includes(name));
          if (found === undefined) await cache.read(keyOf(name), () => Promise.resolve(body));
          else assert.equal(textOf(found), textOf(body));
          held = held.filter((other) => other !== name);
          if (cache.find(keyOf(name)) !== undefined) held.push(name);
          const sizeOf = (all: number[]) =>
            all.reduce((sum, each) => sum + lengths.get(each)! + overhead, 0);
          while (sizeOf(held) > 5000) held.shift();
          assert.equal(cache.counts.bytes, sizeOf(held));
          assert.ok(cache.counts.bytes <= 5000);
        }
      }),
    );
  });
});

describe('one reader', () => {
  /** A read that ends when the test says so. */
  const slowRead = () => {
    const { promise, resolve, reject } = Promise.withResolvers<NewBody>();
    let calls = 0;
    const read = () => {
      calls += 1;
      return promise;
    };
    return { read, resolve, reject, calls: () => calls };
  };

  test('requests for an admitted body wait for the one that reads it', async () => {
    const cache = new PageCache(100_000);
    await request(cache, 'a');
    const slow = slowRead();
    const all = Array.from({ length: 5 }, () => cache.read(keyOf('a'), slow.read));
    slow.resolve(bodyOf(3, 'abc'));
    for (const body of await Promise.all(all)) assert.equal(textOf(body), 'abc');
    assert.equal(slow.calls(), 1);
    assert.deepEqual([cache.counts.hits, cache.counts.misses], [4, 2]);
  });

  test('when it fails, only its own request fails', async () => {
    const cache = new PageCache(100_000);
    await request(cache, 'a');
    const slow = slowRead();
    const first = cache.read(keyOf('a'), slow.read);
    const others = ['b', 'c', 'd'].map((text) =>
      cache.read(keyOf('a'), () => Promise.resolve(bodyOf(1, text))),
    );
    slow.reject(new Error('its own time limit'));
    await assert.rejects(first, /its own time limit/);
    const texts = (await Promise.all(others)).map(textOf);
    assert.ok(texts.every((text) => ['b', 'c', 'd'].includes(text)));
    assert.equal(await request(cache, 'a'), true, 'one of them was held');
  });

  test('a failure is not remembered: neither an error thrown at once, nor one of every request', async () => {
    const cache = new PageCache(100_000);
    await request(cache, 'a');
    const fail = () => Promise.reject(new Error('refused'));
    const results = await Promise.allSettled([1, 2, 3].map(() => cache.read(keyOf('a'), fail)));
    assert.ok(results.every(({ status }) => status === 'rejected'));
    assert.equal(await request(cache, 'a'), false);
    assert.equal(await request(cache, 'a'), true);
    await assert.rejects(cache.read(keyOf('b'), fail));
    assert.equal(await request(cache, 'b'), false, 'a first request that fails admits nothing');
    assert.equal(await request(cache, 'b'), false);
  });
});
