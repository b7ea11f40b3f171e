import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { gunzip } from './bytes/gunzip.ts';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement-error.ts';
import type { StatementSource } from './statement.ts';
import { errorOf } from './testing/reading.ts';
import { sourceOf, unpackedSource } from './testing/sources.ts';
import { runs } from '../../core/src/testing/length.ts';

describe('hostile files', () => {
  const head = 'Date,Amount,Payee\n2024-01-31,5,x\n';

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

  it('stops a gzip bomb at maxBytes, with a fraction of it in memory', async () => {
    const rows = Buffer.from(`Date,Amount\n${'2024-01-31,5\n'.repeat(1_000_000)}`);
    const bomb = gzipSync(rows, { level: 9 });
    const before = process.memoryUsage().arrayBuffers;
    let length = 0;
    const fault = await gunzip([bomb], (piece) => (length += piece.length), 1_000_000);
    assert.match(fault!.message, /^File is longer than 1000000 bytes unpacked$/);
    assert.ok(length <= 1_000_000);
    assert.ok(process.memoryUsage().arrayBuffers - before < 8_000_000);
    const few = rows.subarray(0, 1_300_012);
    const packed = gzipSync(few);
    const whole = await unpackedSource(packed, few.length);
    assert.equal(readStatement(whole, { maxBytes: few.length }).entryCount, 100_000);
    assert.match(errorOf(whole, { maxBytes: few.length - 1 }).message, /is longer than/);
    assert.match(errorOf(await unpackedSource(packed, few.length - 1)).message, /is longer than/);
  });

  it('refuses content of more than 16 MiB and 200 times its packed length', async () => {
    const blank = Buffer.from('\n'.repeat(2 ** 22));
    const members = async (count: number): Promise<StatementSource> =>
      unpackedSource(Buffer.concat([gzipSync(head), ...Array<Buffer>(count).fill(packed)]));
    const packed = gzipSync(blank);
    const { message } = errorOf(await members(5));
    assert.match(message, /File unpacks to more than 200 times its length$/);
    assert.equal(readStatement(await members(3)).entryCount, 1);
  });

  it('refuses a gzip header that never ends, and too many members without content', async () => {
    const named = Buffer.concat([
      Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.alloc(70_000, 65),
    ]);
    const nameless = errorOf(await unpackedSource(named));
    assert.match(nameless.message, /Gzip data has a name that is too long/);
    const empty = Buffer.concat(Array.from<Buffer>({ length: 1_001 }).fill(gzipSync('')));
    assert.match(errorOf(await unpackedSource(empty)).message, /Gzip data has too many members/);
  });

  it('reports damaged gzip data at the line where it ends', async () => {
    const packed = gzipSync(head.repeat(50));
    const cut = errorOf(await unpackedSource(packed.subarray(0, 40)));
    assert.match(cut.message, /Gzip data ends too early/);
    const rows = gzipSync(`${head}2024-01-32,5,x\n${'2024-01-31,5,x\n'.repeat(50)}`);
    rows[rows.length - 6]! ^= 1;
    assert.deepEqual(
      errorOf(await unpackedSource(rows)).problems.map(({ line, reason }) => [line, reason]),
      [
        [3, 'Not a date'],
        [54, 'Gzip data does not match its checksum'],
      ],
    );
  });

  it('accepts any bytes and any text, or refuses them with a StatementError', async () => {
    const line = fc.stringMatching(/^[-0-9,;"'.$ dDaAteCR/\t]{0,30}$/);
    const text = fc
      .array(line)
      .map((lines) => Buffer.from(`Date,Amount,Payee\n${lines.join('\n')}`));
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.uint8Array()), fc.boolean(), async (bytes, isPacked) => {
        const source = isPacked ? await unpackedSource(gzipSync(bytes)) : sourceOf(bytes);
        try {
          const statement = readStatement(source);
          assert.equal([...statement.entries()].length, statement.entryCount);
        } catch (error) {
          assert.ok(error instanceof StatementError, String(error));
          assert.ok(error.problems.every(({ line }) => line >= 1));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
