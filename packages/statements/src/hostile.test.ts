import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement-error.ts';
import { errorOf } from './testing/reading.ts';
import { sourceOf } from './testing/sources.ts';

describe('hostile files', () => {
  const head = 'Date,Amount,Payee\n2024-01-31,5,x\n';

  it('refuses a line of 10 MB, an open quote and a NUL at their line', () => {
    const long = 'x'.repeat(10_000_000);
    for (const text of [long, head + long, `${head}2024-01-31,5,"${long}`]) {
      assert.match(errorOf(text).message, /: Row is longer than 1048576 characters/);
    }
    assert.equal(errorOf(`${head}2024-01-31,5,"x\ny`).message, 'Line 3: Quote is never closed');
    assert.match(errorOf(`${head}2024-01-31,5,\0`).message, /^Line 3: NUL character/);
  });

  it('refuses a row of more than 4,096 cells, bare or in quotes', () => {
    const cells = (count: number, cell: string): string => `${`${cell},`.repeat(count - 1)}x\n`;
    for (const cell of ['a', '"a"']) {
      assert.match(
        errorOf(head + cells(4097, cell)).message,
        /^Line 3: Row has more than 4096 cells/,
      );
      assert.doesNotMatch(errorOf(head + cells(4096, cell)).message, /more than 4096/);
    }
  });

  it('stops a gzip bomb at maxBytes, having held a fraction of it', () => {
    const rows = Buffer.from(`Date,Amount\n${'2024-01-31,5\n'.repeat(1_000_000)}`);
    const bomb = gzipSync(rows, { level: 9 });
    const before = process.memoryUsage().arrayBuffers;
    const error = errorOf(bomb, { maxBytes: 1_000_000 });
    assert.match(error.message, /File is longer than 1000000 bytes unpacked$/);
    assert.ok(process.memoryUsage().arrayBuffers - before < 8_000_000);
    assert.equal(readStatement(sourceOf(bomb), { maxBytes: rows.length }).entryCount, 1_000_000);
    assert.match(errorOf(bomb, { maxBytes: rows.length - 1 }).message, /is longer than/);
  });

  it('refuses more than 16 MiB that are more than 200 times as long as they are packed', () => {
    const blank = Buffer.from('\n'.repeat(2 ** 22));
    const members = (count: number): Buffer =>
      Buffer.concat([gzipSync(head), ...Array.from({ length: count }, () => packed)]);
    const packed = gzipSync(blank);
    assert.match(errorOf(members(5)).message, /File unpacks to more than 200 times its length$/);
    assert.equal(readStatement(sourceOf(members(3))).entryCount, 1);
  });

  it('refuses packing whose header has no end, or that has no content over and over', () => {
    const named = Buffer.concat([
      Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.alloc(70_000, 65),
    ]);
    assert.match(errorOf(named).message, /Packed data has a name without end/);
    const empty = Buffer.concat(Array.from<Buffer>({ length: 1_001 }).fill(gzipSync('')));
    assert.match(errorOf(empty).message, /Packed data has too many parts/);
  });

  it('refuses damaged packing', () => {
    const packed = gzipSync(head.repeat(50));
    assert.match(errorOf(packed.subarray(0, 40)).message, /Packed data ends too early/);
  });

  it('takes or refuses any bytes and any text, and never fails otherwise', () => {
    const line = fc.stringMatching(/^[-0-9,;"'.$ dDaAteCR/\t]{0,30}$/);
    const text = fc
      .array(line)
      .map((lines) => Buffer.from(`Date,Amount,Payee\n${lines.join('\n')}`));
    fc.assert(
      fc.property(fc.oneof(text, fc.uint8Array()), fc.boolean(), (bytes, isPacked) => {
        const content = isPacked ? gzipSync(bytes) : bytes;
        try {
          const statement = readStatement(sourceOf(content));
          assert.equal([...statement.entries()].length, statement.entryCount);
        } catch (error) {
          assert.ok(error instanceof StatementError, String(error));
          assert.ok(error.problems.every(({ line }) => line >= 1));
        }
      }),
      { numRuns: 300 },
    );
  });
});
