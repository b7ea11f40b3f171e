import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constants, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { readStatement } from '../read-statement.ts';
import { Refusal } from '../statement/statement-error.ts';
import type { StatementSource } from '../statement/statement.ts';
import { camtEntry, camtStatement, camtText } from '../testing/camt-text.ts';
import { errorOf } from '../testing/reading.ts';
import { sourceOf, unpackedSource } from '../testing/sources.ts';
import { zipBytes, type ZipFile } from '../testing/zip-bytes.ts';
import { gunzip, isGzip, UnpackedLimit } from './unpack.ts';
import { unzip } from '../unzip.ts';

async function unpacked(...pieces: Uint8Array[]): Promise<Buffer> {
  const content: Uint8Array[] = [];
  const fault = await gunzip(pieces, (piece) => content.push(piece));
  if (fault !== null) throw fault;
  return Buffer.concat(content);
}

/** Packs bits in stream order, eight per byte from the lowest on, followed by zeros. */
function packedBits(bits: string): Uint8Array {
  const bytes = new Uint8Array(64);
  [...bits.replaceAll(' ', '')].forEach((bit, at) => {
    bytes[at >> 3]! |= Number(bit) << (at & 7);
  });
  return bytes;
}

async function withAnyByteChanged(packed: Buffer, check: (changed: Buffer) => Promise<void>) {
  const change = fc.integer({ min: 1, max: 255 });
  const property = fc.asyncProperty(fc.nat(packed.length - 1), change, async (at, by) => {
    const changed = Buffer.from(packed);
    changed[at]! ^= by;
    await check(changed);
  });
  await fc.assert(property, { numRuns: runs(400) });
}

/** Bytes with repetitions at many distances, like text, and bytes without. */
const content = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 400 })), {
    maxLength: 12,
  })
  .map((parts) =>
    Buffer.concat(parts.flatMap(([bytes, times]) => Array<Uint8Array>(times).fill(bytes))),
  );

describe('gunzip', () => {
  it('unpacks what zlib packs, at every level and with every strategy, wherever it is cut', async () => {
    const { Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED } = constants;
    const strategy = fc.constantFrom(Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED);
    const level = fc.integer({ min: 0, max: 9 });
    await fc.assert(
      fc.asyncProperty(content, level, strategy, fc.nat(100), async (bytes, depth, kind, cut) => {
        const packed = gzipSync(bytes, { level: depth, strategy: kind });
        const at = Math.floor((packed.length * cut) / 100);
        const content = await unpacked(packed.subarray(0, at), packed.subarray(at));
        assert.ok(content.equals(bytes));
      }),
      { numRuns: runs(60) },
    );
  });

  it('unpacks more than one window, in pieces of bounded size', async () => {
    const bytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${at};row\n`).join(''));
    let longest = 0;
    await gunzip([gzipSync(bytes)], ({ length }) => (longest = Math.max(longest, length)));
    assert.ok((await unpacked(gzipSync(bytes))).equals(bytes));
    assert.ok(longest <= 65_536, String(longest));
  });

  it('joins members and ignores what follows the last', async () => {
    const two = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    for (const rest of [Buffer.alloc(512), Buffer.from('\x1f'), Buffer.from('\x1f\x1f\x8b…')]) {
      assert.equal(String(await unpacked(two, rest)), 'one two');
      assert.equal(String(await unpacked(Buffer.concat([two, rest]))), 'one two');
    }
    const bytes = Array.from(two, (byte) => Uint8Array.of(byte));
    assert.equal(String(await unpacked(...bytes)), 'one two');
  });

  it('skips the optional parts of a header', async () => {
    const plain = gzipSync('text');
    const extras = Buffer.from('\x03\0\x01\x02\x03name\0note\0\x09\x09');
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 2 + 4 + 8 + 16;
    assert.equal(String(await unpacked(header, extras, plain.subarray(10))), 'text');
  });

  it('refuses data of another method, data that is not gzip, ends too early or has another trailer', async () => {
    const other = gzipSync('text');
    other[2] = 7;
    for (const data of [other, Buffer.from('text')])
      await assert.rejects(unpacked(data), new Refusal('Gzip data has an unknown format'));
    const packed = gzipSync('Date,Amount\n2024-01-01,5\n'.repeat(20));
    for (let length = 2; length < packed.length; length += 1)
      await assert.rejects(unpacked(packed.subarray(0, length)), Refusal, `${length} bytes`);
    for (let at = packed.length - 8; at < packed.length; at += 1) {
      const changed = Buffer.from(packed);
      changed[at]! ^= 1;
      await assert.rejects(unpacked(changed), new Refusal('Gzip data does not match its checksum'));
    }
  });

  it('refuses data with any byte changed, or returns the same content', async () => {
    const bytes = Buffer.from('Date,Amount\n2024-01-01,5\n2024-01-02,7\n'.repeat(5));
    await withAnyByteChanged(gzipSync(bytes), async (damaged) => {
      const content = await unpacked(damaged).catch((error: unknown) => error);
      if (Buffer.isBuffer(content)) assert.ok(content.equals(bytes));
      else assert.ok(content instanceof Refusal, String(content));
    });
  });

  it('refuses streams that break the rules of deflate', async () => {
    const fixed = '1 10'; // the last block, with the fixed code
    const dynamic = (codes: string) => `1 01 00000 00000 ${codes}`;
    const streams = {
      'a block of an unknown kind': '1 11',
      'a stored block whose length is not confirmed': `1 00 00000 ${'0'.repeat(32)}`,
      'a match before the start': `${fixed} 0000001 00000`,
      'a length code that does not exist': `${fixed} 11000110`,
      'a distance code that does not exist': `${fixed} 00110000 0000001 11110`,
      'more codes of a length than fit': dynamic('0000 100 100 100 100'),
      'a code without a meaning': dynamic('0000 000 000 000 100 1'),
      // Code lengths 18 (138 zeros) and 16 (repeat): one overruns the count, one has nothing to repeat.
      'more code lengths than announced': dynamic('0000 000 000 100 100 1 1111111 1 1111111'),
      'a repetition of nothing': dynamic('0000 100 000 000 100 0 00'),
    };
    const header = gzipSync('').subarray(0, 10);
    for (const [what, bits] of Object.entries(streams)) {
      const error = new Refusal('Gzip data is damaged');
      await assert.rejects(unpacked(header, packedBits(bits)), error, what);
    }
  });

  it('detects gzip by its first two bytes', () => {
    assert.equal(isGzip(gzipSync('')), true);
    assert.equal(isGzip(Buffer.from('Date,Amount')), false);
    assert.equal(isGzip(Uint8Array.of(0x1f)), false);
  });
});

async function outcomeOf(archive: Buffer, maxBytes?: number) {
  const pieces: Uint8Array[] = [];
  const read = (at: number, length: number) => archive.subarray(at, at + length);
  const fault = await unzip(
    { length: archive.length, read },
    (piece) => pieces.push(Buffer.from(piece)),
    maxBytes,
  );
  return { fault, content: Buffer.concat(pieces) };
}

async function unzipped(...files: ZipFile[]): Promise<Buffer> {
  const { fault, content } = await outcomeOf(zipBytes(files));
  assert.equal(fault, null);
  return content;
}

async function reasonOf(archive: Buffer, maxBytes?: number): Promise<string> {
  const { fault } = await outcomeOf(archive, maxBytes);
  assert.ok(fault instanceof Refusal, String(fault));
  return fault.message;
}

const csv = 'Date,Amount\n2024-01-31,5\n';
const camt = (ref: string) =>
  camtText({ statements: [camtStatement([camtEntry({ AcctSvcrRef: ref })])] });

describe('unzip', () => {
  it('unpacks the only statement, packed or stored, with a comment, and next to files that are none', async () => {
    const others = '__MACOSX/._a.csv .DS_Store a.pdf x/.hidden Thumbs.db empty.txt'.split(' ');
    for (const isStored of [true, false]) {
      const file = { name: 'x/../../a.csv', content: csv, isStored };
      const more = others.map((name) => ({ name, content: name === 'empty.txt' ? '' : 'x' }));
      assert.equal(String(await unzipped(...more, { name: 'x/', content: '' }, file)), csv);
      const { content } = await outcomeOf(zipBytes([file], 'PK\x05\x06 a comment'));
      assert.equal(String(content), csv);
    }
    const long = `${csv}${'2024-01-31,5\n'.repeat(50_000)}`;
    assert.equal(String(await unzipped({ name: 'a', content: long })), long);
  });

  it('joins CAMT files in the order of their names', async () => {
    const files = [
      { name: 'b.xml', content: `\uFEFF${camt('SECOND-2')}` },
      { name: 'c.xml', content: camt('THIRD-3').replace(/^<\?.*\n/, '') },
      { name: 'a.xml', content: camt('FIRST-1') },
    ];
    const statement = readStatement(sourceOf(await unzipped(...files)));
    const found = [...statement.entries()].map(({ externalId }) => externalId);
    assert.deepEqual(found, ['FIRST-1', 'SECOND-2', 'THIRD-3']);
  });

  it('refuses several files of other formats, none, and an archive in an archive', async () => {
    const two = ['a.csv', 'b.csv'].map((name) => ({ name, content: csv }));
    assert.match(await reasonOf(zipBytes(two)), /has 2 files, which is possible only for CAMT/);
    assert.match(await reasonOf(zipBytes([])), /has no statement/);
    assert.match(await reasonOf(zipBytes([{ name: 'a.pdf', content: 'x' }])), /has no statement/);
    const inner = zipBytes([{ name: 'a.csv', content: csv }]);
    assert.match(await reasonOf(zipBytes([{ name: 'b.zip', content: inner }])), /another archive/);
  });

  it('recognizes spreadsheets', async () => {
    for (const name of ['[Content_Types].xml', 'mimetype', 'Index/Document.iwa']) {
      const { fault, content } = await outcomeOf(zipBytes([{ name, content: 'x' }]));
      assert.deepEqual([fault, content.length], ['spreadsheet', 0]);
    }
  });

  it('stops bombs, and refuses too many, encrypted and unknown files', async () => {
    const blank = { name: 'a', content: Buffer.alloc(20 * 2 ** 20, 10) };
    assert.match(await reasonOf(zipBytes([blank])), /more than 200 times its length/);
    assert.match(await reasonOf(zipBytes([{ name: 'a', content: csv }]), 5), /longer than 5 bytes/);
    const count = (length: number) =>
      zipBytes(
        Array.from({ length }, (_, at) => ({ name: `${at}.xml`, content: 'x', isStored: true })),
      );
    assert.match(await reasonOf(count(1_001)), /has 1001 files/);
    assert.match(await reasonOf(count(10_001)), /more than 10000 files/);
    const encrypted = { name: 'a', content: csv, flags: 1 };
    for (const file of [encrypted, { name: 'a', content: csv, method: 14 }]) {
      assert.match(await reasonOf(zipBytes([file])), /encrypted or in an unusual format/);
    }
  });

  it('refuses entries that share their data, and entries of Zip64', async () => {
    const archive = zipBytes(
      [1, 2].map((at) => ({ name: `${at}`, content: Buffer.alloc(1_000, at), isStored: true })),
    );
    const second = archive.lastIndexOf('PK\x01\x02', undefined, 'latin1');
    const shared = Buffer.from(archive);
    shared.writeUInt32LE(shared.length, second + 20);
    assert.equal(await reasonOf(shared), 'The ZIP archive is damaged');
    archive.writeUInt32LE(0xffffffff, second + 24);
    assert.match(await reasonOf(archive), /Zip64/);
  });

  it('returns the same content or refuses, with any byte changed and at any length', async () => {
    const archive = zipBytes([{ name: 'a.csv', content: csv.repeat(5) }]);
    for (let length = 0; length < archive.length; length += 1) {
      assert.match(await reasonOf(archive.subarray(0, length)), /ZIP archive/);
    }
    await withAnyByteChanged(archive, async (changed) => {
      const { fault, content } = await outcomeOf(changed);
      if (fault === null) assert.equal(String(content), csv.repeat(5));
      else assert.ok(fault instanceof Refusal);
    });
  });
});

describe('hostile files', () => {
  const head = 'Date,Amount,Payee\n2024-01-31,5,x\n';

  it('refuses a row of more than 4,096 cells, bare or in quotes', () => {
    const cells = (count: number, cell: string): string => `${`${cell},`.repeat(count - 1)}x\n`;
    for (const cell of ['a', '"a"']) {
      const found = errorOf(head + cells(4097, cell)).message;
      assert.match(found, /^Line 3: Row has more than 4096 cells/);
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
});

it('16 MiB may be unpacked from anything, and more up to 200 times the packed bytes and the maximum', () => {
  const freeBytes = 16 * 2 ** 20;
  const limit = new UnpackedLimit(2 * freeBytes);
  limit.add(freeBytes, 1);
  assert.throws(() => limit.add(1, 1), {
    message: 'File unpacks to more than 200 times its length',
  });
  const packed = freeBytes / 100;
  const large = new UnpackedLimit(4 * freeBytes);
  large.add(packed * 200, packed);
  assert.throws(() => large.add(1, packed), /more than 200 times/);
  const longest = new UnpackedLimit(freeBytes);
  longest.add(freeBytes, freeBytes);
  assert.throws(() => longest.add(1, freeBytes), /File is longer than 16777216 bytes unpacked/);
});
