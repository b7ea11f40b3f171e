import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ElasticBuffer } from './elastic-buffer.ts';

const STEP = 262_144;

/** The length of the buffer after each of `times` calls of `giveBack(bytes)`. */
function lengthsOf(memory: ElasticBuffer, bytes: number, times: number): number[] {
  return Array.from({ length: times }, () => {
    memory.giveBack(bytes);
    return memory.buffer.byteLength;
  });
}

describe('elastic buffer', () => {
  it('takes whole steps, as few as are needed, and nothing before', () => {
    const memory = new ElasticBuffer(10 * STEP);
    assert.equal(memory.buffer.byteLength, 0);
    const lengths = [1, STEP, STEP + 1, 5 * STEP, 2].map((bytes) => {
      assert.equal(memory.take(bytes), true);
      return memory.buffer.byteLength;
    });
    assert.deepEqual(lengths, [STEP, STEP, 2 * STEP, 5 * STEP, 5 * STEP]);
  });

  it('may take its first bytes at once', () => {
    const memory = new ElasticBuffer(100, 24);
    assert.equal(memory.buffer.byteLength, 24);
    assert.equal(memory.take(25), true);
    assert.equal(memory.buffer.byteLength, 100);
  });

  it('takes no more than its maximum', () => {
    const memory = new ElasticBuffer(STEP + 7);
    assert.equal(memory.take(STEP + 8), false);
    assert.equal(memory.buffer.byteLength, 0);
    assert.equal(memory.take(STEP + 7), true);
    assert.equal(memory.buffer.byteLength, STEP + 7);
  });

  it('gives back one step at a time, and keeps two beyond what is needed', () => {
    const memory = new ElasticBuffer(6 * STEP);
    memory.take(6 * STEP);
    assert.deepEqual(
      lengthsOf(memory, STEP, 5),
      [5, 4, 3, 3, 3].map((steps) => steps * STEP),
    );
    assert.deepEqual(lengthsOf(memory, 0, 2), [2 * STEP, 2 * STEP]);
    assert.deepEqual(lengthsOf(memory, 2 * STEP, 2), [2 * STEP, 2 * STEP]);
  });

  it('keeps the bytes in use, and clears returned bytes before they are used again', () => {
    const memory = new ElasticBuffer(4 * STEP);
    const view = new Uint8Array(memory.buffer);
    memory.take(4 * STEP);
    view.fill(7);
    lengthsOf(memory, 1, 4);
    assert.equal(view.length, 2 * STEP);
    memory.take(4 * STEP);
    assert.deepEqual([view.indexOf(0), view.lastIndexOf(7)], [2 * STEP, 2 * STEP - 1]);
    assert.equal(view.length, 4 * STEP);
  });
});
