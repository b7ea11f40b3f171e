import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RowBytes } from './row-bytes.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

const message = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);

const dataRow = (...values: (Uint8Array | null)[]): Buffer => {
  const cells = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(value.length), value]),
  );
  return message('D', Buffer.concat([int16(values.length), ...cells]));
};

/** One message of the server. `value` is that of a row to take; undefined for any other message. */
interface Sent {
  readonly bytes: Buffer;
  readonly value?: Uint8Array | null;
}

const value = fc.uint8Array({ maxLength: 300 });
const sent: fc.Arbitrary<Sent> = fc.oneof(
  fc.option(value).map((each) => ({ bytes: dataRow(each), value: each })),
  fc.tuple(value, value).map((values) => ({ bytes: dataRow(...values) })),
  fc
    .tuple(fc.constantFrom('1', '2', 'T', 'C', 'N', 'S', 'd'), value)
    .map(([type, body]) => ({ bytes: message(type, Buffer.from(body)) })),
);

function inPieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...pieces, bytes.subarray(at)].filter(({ length }) => length > 0);
}

describe('rows taken as bytes', () => {
  const sizes = fc.array(fc.nat(40), { maxLength: 200 });

  it('are joined with commas, and all else is passed on unchanged, however the stream is split', () => {
    const property = fc.property(fc.array(sent), sizes, (messages, cuts) => {
      const passed: Buffer[] = [];
      const rowBytes = new RowBytes((bytes) => passed.push(Buffer.from(bytes)));
      rowBytes.begin();
      const stream = Buffer.concat(messages.map(({ bytes }) => bytes));
      for (const piece of inPieces(stream, cuts)) rowBytes.read(Buffer.from(piece));
      const values = messages.flatMap(({ value: each }) => (each ? [each] : []));
      const joined = values.flatMap((each, index) =>
        index === 0 ? [each] : [Buffer.of(0x2c), each],
      );
      assert.deepEqual(rowBytes.end(), Buffer.concat(joined));
      const others = messages.filter((each) => each.value === undefined);
      assert.deepEqual(Buffer.concat(passed), Buffer.concat(others.map(({ bytes }) => bytes)));
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('are passed to the driver while no rows are taken', () => {
    const passed: Buffer[] = [];
    const rowBytes = new RowBytes((bytes) => passed.push(Buffer.from(bytes)));
    const row = dataRow(Buffer.from('{}'));
    rowBytes.read(row);
    rowBytes.begin();
    rowBytes.read(row);
    assert.equal(rowBytes.end().toString(), '{}');
    rowBytes.read(row);
    assert.deepEqual(Buffer.concat(passed), Buffer.concat([row, row]));
  });

  it('of two statements are two buffers, and the first does not change', () => {
    const rowBytes = new RowBytes(() => assert.fail('nothing is passed on'));
    const take = (text: string): Buffer => {
      rowBytes.begin();
      rowBytes.read(dataRow(Buffer.from(text)));
      return rowBytes.end();
    };
    const first = take('a'.repeat(100_000));
    const second = take('b'.repeat(90_000));
    assert.deepEqual([first.toString(), second.length], ['a'.repeat(100_000), 90_000]);
  });
});
