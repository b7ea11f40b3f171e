import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { zipBytes } from '../../../../statements/src/testing/zip-bytes.ts';
import { coffer, makeBook, makeFolder, runCoffer } from '../../testing/run-coffer.ts';
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

test('a ZIP archive is unpacked like a compressed file, and a spreadsheet is refused', async () => {
  const whose = await makeBook(folder, 'zip.db');
  const path = write('one.zip', zipBytes([{ name: '../one.csv', content: head + row }]));
  const imported = await runCoffer(['import', path, ...whose]);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(imported.stdout, /1 transaction imported/);
  const sheet = write('x.xlsx', zipBytes([{ name: '[Content_Types].xml', content: '<a/>' }]));
  const refused = await runCoffer(['import', sheet, ...whose]);
  assert.match(
    refused.stderr,
    /:1: Of spreadsheets, only \.xlsx without a password is supported: save the sheet as CSV/,
  );
  const bomb = write('b.zip', zipBytes([{ name: 'b.csv', content: Buffer.alloc(2 ** 25, 10) }]));
  assert.match((await runCoffer(['import', bomb, ...whose])).stderr, /more than 200 times/);
  assert.deepEqual(readdirSync(temporary), []);
});

test('damaged compressed data is reported with its line, after the problems before it', async () => {
  const whose = await makeBook(folder);
  const packed = gzipSync(`${head}2024-01-32,Shop,-1.00,Cash\n${row.repeat(3)}`);
  packed[packed.length - 6]! ^= 1;
  const path = write('damaged.csv.gz', packed);
  const { code, stdout, stderr } = await runCoffer(['import', path, ...whose]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.deepEqual(stderr.split('\n').slice(0, 2), [
    `${path}:2: column "Date": value "2024-01-32": Not a date`,
    `${path}:6: Gzip data does not match its checksum`,
  ]);
  assert.deepEqual(readdirSync(temporary), []);
});

test('a missing temporary folder is reported', async () => {
  const whose = await makeBook(folder, 'other.db');
  const path = write('short.csv.gz', gzipSync(head + row));
  process.env['TMPDIR'] = join(folder, 'missing');
  try {
    const { code, stderr } = await runCoffer(['import', path, ...whose]);
    assert.equal(code, 1);
    assert.match(stderr, /^Cannot use ".*missing\/coffer-[-0-9a-f]+": ENOENT/);
  } finally {
    process.env['TMPDIR'] = temporary;
  }
  assert.match(await coffer('import', path, ...whose), /: 1 transaction imported/);
});
