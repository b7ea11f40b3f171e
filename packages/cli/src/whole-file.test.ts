import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { makeFolder } from './testing/run-coffer.ts';
import { writeWholeFile } from './whole-file.ts';

function* brokenText(): Generator<string> {
  yield 'the first half';
  throw new Error('The text broke off');
}

test('what breaks off in the middle leaves the old file and nothing else', async () => {
  const folder = makeFolder();
  const file = join(folder, 'book.csv');
  writeFileSync(file, 'old');
  const broken = writeWholeFile(file, (out) => pipeline(Readable.from(brokenText()), out));
  await assert.rejects(broken, /The text broke off/);
  assert.equal(readFileSync(file, 'utf8'), 'old');
  assert.deepEqual(readdirSync(folder), ['book.csv']);
});

test('the file does not have its name before it is whole', async () => {
  const folder = makeFolder();
  const file = join(folder, 'book.csv');
  await writeWholeFile(file, async (out) => {
    await pipeline(Readable.from(['text']), out);
    assert.ok(!readdirSync(folder).includes('book.csv'));
  });
  assert.equal(readFileSync(file, 'utf8'), 'text');
});
