import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { Refusal } from '../statement-error.ts';
import { camtEntry, camtStatement, camtText } from '../testing/camt-text.ts';
import { sourceOf } from '../testing/sources.ts';
import { zipBytes, type ZipFile } from '../testing/zip-bytes.ts';
import { unzip } from './unzip.ts';
import { runs } from '../../../core/src/testing/length.ts';

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

async function unpacked(...files: ZipFile[]): Promise<Buffer> {
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
    const others = [
      '__MACOSX/._a.csv',
      '.DS_Store',
      'a.pdf',
      'x/.hidden',
      'Thumbs.db',
      'empty.txt',
    ];
    for (const isStored of [true, false]) {
      const file = { name: 'x/../../a.csv', content: csv, isStored };
      const more = others.map((name) => ({ name, content: name === 'empty.txt' ? '' : 'x' }));
      assert.equal(String(await unpacked(...more, { name: 'x/', content: '' }, file)), csv);
      const { content } = await outcomeOf(zipBytes([file], 'PK\x05\x06 a comment'));
      assert.equal(String(content), csv);
    }
    const long = `${csv}${'2024-01-31,5\n'.repeat(50_000)}`;
    assert.equal(String(await unpacked({ name: 'a', content: long })), long);
  });

  it('joins CAMT files in the order of their names', async () => {
    const files = [
      { name: 'b.xml', content: `\uFEFF${camt('SECOND-2')}` },
      { name: 'c.xml', content: camt('THIRD-3').replace(/^<\?.*\n/, '') },
      { name: 'a.xml', content: camt('FIRST-1') },
    ];
    const statement = readStatement(sourceOf(await unpacked(...files)));
    assert.deepEqual(
      [...statement.entries()].map(({ externalId }) => externalId),
      ['FIRST-1', 'SECOND-2', 'THIRD-3'],
    );
  });

  it('refuses several files of other formats, and none', async () => {
    const two = [
      { name: 'a.csv', content: csv },
      { name: 'b.csv', content: csv },
    ];
    assert.match(await reasonOf(zipBytes(two)), /has 2 files, which is possible only for CAMT/);
    assert.match(await reasonOf(zipBytes([])), /has no statement/);
    assert.match(await reasonOf(zipBytes([{ name: 'a.pdf', content: 'x' }])), /has no statement/);
  });

  it('refuses an archive in an archive', async () => {
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
    const place = fc.nat(archive.length - 1);
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = Buffer.from(archive);
        changed[at]! ^= change;
        const { fault, content } = await outcomeOf(changed);
        if (fault === null) assert.equal(String(content), csv.repeat(5));
        else assert.ok(fault instanceof Refusal);
      }),
      { numRuns: runs(400) },
    );
  });
});
