import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { zipBytes } from '../../../../statements/src/testing/zip-bytes.ts';
import { coffer, makeBook, makeFolder, refuses } from '../../testing/run-coffer.ts';
import { openStatementFile } from './statement-file.ts';

const folder = makeFolder();
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const { TMPDIR: before } = process.env;
process.env['TMPDIR'] = temporary;
after(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
});

const head = 'Date,Payee,Amount,Account\n';
const row = '2024-01-02,Shop,-1.00,Cash\n';

function write(name: string, content: Uint8Array | string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test('a compressed file is decompressed into a file without a name', async () => {
  const text = head + row.repeat(100_000);
  const path = write('long.csv.gz', gzipSync(text));
  const file = await openStatementFile(path, {
    isTerminal: false,
    stderr: process.stderr,
    now: () => new Date(),
  });
  try {
    assert.deepEqual(readdirSync(temporary), []);
    assert.equal(file.bytes, text.length);
    for (let time = 1; time <= 2; time += 1) {
      const read: number[] = [];
      const pieces = [...file.source((bytes) => read.push(bytes)).open()];
      assert.equal(Buffer.concat(pieces).toString(), text);
      assert.equal(read.at(-1), text.length);
    }
  } finally {
    file.close();
  }
});

test('what a reader keeps is in a file without a name until the statement is closed', async () => {
  const file = await openStatementFile(write('kept.csv', head + row), {
    isTerminal: false,
    stderr: process.stderr,
    now: () => new Date(),
  });
  const scratch = file.source().scratch!();
  scratch.write(Buffer.from('first'), 0);
  scratch.write(Buffer.from('second'), 5);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(Buffer.from(scratch.read(5, 6)).toString(), 'second');
  file.close();
  assert.throws(() => scratch.read(0, 5), { code: 'EBADF' });
});

test('a packed file is imported or refused, and no temporary file is left', async () => {
  const whose = await makeBook(folder);
  const damaged = gzipSync(`${head}2024-01-32,Shop,-1.00,Cash\n${row.repeat(3)}`);
  damaged[damaged.length - 6]! ^= 1;
  for (const [name, content, message] of [
    ['x.xlsx', zipBytes([{ name: '[Content_Types].xml', content: '<a/>' }]), /:1: Of spreadsheets/],
    ['b.zip', zipBytes([{ name: 'b.csv', content: Buffer.alloc(2 ** 25, 10) }]), /200 times/],
    [
      'damaged.csv.gz',
      damaged,
      /:2: column "Date": .* Not a date\n.*:6: Gzip data does not match its checksum\n/,
    ],
  ] as const)
    await refuses(['import', write(name, content), ...whose], 1, message);
  const zip = write('one.zip', zipBytes([{ name: '../one.csv', content: head + row }]));
  assert.match(await coffer('import', zip, ...whose), /1 transaction imported/);
  assert.deepEqual(readdirSync(temporary), []);
});

test('a missing temporary folder is reported', async () => {
  const whose = await makeBook(folder, 'other.db');
  const path = write('short.csv.gz', gzipSync(head + row));
  process.env['TMPDIR'] = join(folder, 'missing');
  try {
    const message = /^Cannot use ".*missing\/coffer-[-0-9a-f]+": ENOENT/;
    await refuses(['import', path, ...whose], 1, message);
  } finally {
    process.env['TMPDIR'] = temporary;
  }
  assert.match(await coffer('import', path, ...whose), /: 1 transaction imported/);
});
