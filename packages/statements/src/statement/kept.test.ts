import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { AS_TEXT, asJson, Kept, type Scratch } from './kept.ts';

/** A place that only grows. */
class Memory implements Scratch {
  bytes = Buffer.alloc(0);

  write(bytes: Uint8Array, at: number): void {
    assert.equal(at, this.bytes.length);
    this.bytes = Buffer.concat([this.bytes, bytes]);
  }

  read(at: number, length: number): Uint8Array {
    return this.bytes.subarray(at, at + length);
  }
}

describe('Kept', () => {
  it('takes each item once, when it is needed, and has it again and again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40_000 })), fc.nat(20), (items, few) => {
        let taken = 0;
        const source = items.map((item) => ({ item }))[Symbol.iterator]();
        const kept = new Kept({ [Symbol.iterator]: () => counted() }, asJson<unknown>(), undefined);
        function* counted() {
          for (const each of source) {
            taken += 1;
            yield each;
          }
        }
        assert.equal(taken, 0);
        for (let at = 0; at < few; at += 1) kept[Symbol.iterator]().next();
        for (let times = 0; times < 3; times += 1)
          assert.deepEqual(
            [...kept],
            items.map((item) => ({ item })),
          );
        assert.equal(taken, items.length);
      }),
      { numRuns: runs(100) },
    );
  });

  it('throws the error of its sequence each time, after the items before it', () => {
    function* failing() {
      yield 1;
      yield 2;
      throw new RangeError('Disk was removed');
    }
    const kept = new Kept(failing(), asJson<number>(), undefined);
    for (let times = 0; times < 2; times += 1) {
      const seen: number[] = [];
      assert.throws(() => {
        for (const each of kept) seen.push(each);
      }, RangeError);
      assert.deepEqual(seen, [1, 2]);
    }
    assert.throws(() => new Kept(failing(), asJson<number>(), undefined).whole(), RangeError);
  });

  it('has 4 Mi characters in memory, and the others in the place for them', () => {
    const piece = 'aé€😀'.repeat(13_200);
    const scratch = new Memory();
    const count = 100;
    const kept = new Kept(Array<string>(count).fill(piece), AS_TEXT, scratch).whole();
    const outside = Math.floor((4 * 2 ** 20) / piece.length);
    assert.equal(scratch.bytes.length, (count - outside) * Buffer.byteLength(piece));
    assert.equal([...kept].join(''), piece.repeat(count));
    assert.equal([...kept].join(''), piece.repeat(count));
  });
});
