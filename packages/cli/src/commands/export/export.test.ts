import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { readStatement } from '@coffer/statements/src/read-statement.ts';
import {
  coffer,
  jsonLines,
  makeFolder,
  newBook,
  refuses,
  runCoffer,
  spawnCoffer,
  readText,
} from '../../testing/run-coffer.ts';
import { writeWholeFile } from './export.ts';

const folder = makeFolder();
const demoDatabase = ['--database', `sqlite:${join(folder, 'demo.db')}`];
const demo = ['--email', 'demo@coffer.example', ...demoDatabase];
await coffer('demo', '--transactions', '3000', ...demoDatabase);

test('NDJSON has all records, each line with its type, in a fixed order', async () => {
  const lines = jsonLines(await coffer('export', '--format', 'ndjson', ...demo));
  const types = lines.map(({ type }) => String(type));
  const accounts = ['manual_account', 'plaid_account', 'crypto_synced_account'];
  const others = ['crypto_manual_account', 'recurring_item', 'rule', 'budget', 'balance_history'];
  const order = ['book', ...accounts, 'category', 'tag', ...others];
  order.push('transaction_file', 'transaction');
  assert.deepEqual([...new Set(types)], order);
  assert.deepEqual(
    types,
    types.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
  );
  const transactions = lines.filter(({ type }) => type === 'transaction');
  assert.equal(transactions.length, 3000);
  for (const flag of ['is_pending', 'is_split_parent', 'is_group_parent']) {
    assert.ok(
      transactions.some((row) => row[flag] === true),
      flag,
    );
  }
  assert.ok(transactions.every((row) => 'plaid_metadata' in row && 'custom_metadata' in row));
});

test('an import of the CSV of the demo book creates the same rows', async () => {
  const file = join(folder, 'demo.csv');
  await coffer('export', '--output', file, ...demo);
  const whose = await newBook();
  await coffer('import', file, ...whose);
  assert.deepEqual(
    entriesOf(await coffer('export', ...whose)),
    entriesOf(readFileSync(file, 'utf8')),
  );
});

/** Returns the entries of a CSV in any order. An import ignores the status, and tags have no order. */
function entriesOf(csv: string): string[] {
  const statement = readStatement({ open: () => [Buffer.from(csv)] });
  return [...statement.entries()]
    .map(({ line: _, tags = [], ...entry }) => JSON.stringify([entry, tags.toSorted()]))
    .toSorted();
}

test('a file is written completely, for its owner only, without temporary files', async () => {
  const place = makeFolder();
  const file = join(place, 'book.csv');
  writeFileSync(file, 'what was there before');
  const link = join(place, 'link.csv');
  symlinkSync(file, link);
  assert.equal(await coffer('export', '--output', link, ...demo), '');
  assert.equal(readFileSync(file, 'utf8'), await coffer('export', ...demo));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(place).toSorted(), ['book.csv', 'link.csv']);
});

test('an invalid output is reported, and no file is left', async () => {
  const place = makeFolder();
  for (const [output, message] of [
    [place, /^Cannot write to ".*": it is not a regular file\n$/],
    ['/dev/null', /^Cannot write to "\/dev\/null": it is not a regular file\n$/],
    [join(place, 'no', 'book.csv'), /ENOENT/],
  ] as const) {
    await refuses(['export', '--output', output, ...demo], 1, message);
  }
  assert.deepEqual(readdirSync(place), []);
});

test('an export waits for a slow reader', async () => {
  let waiting = 0;
  let longestQueue = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      waiting += chunk.length;
      longestQueue = Math.max(longestQueue, this.writableLength);
      setImmediate(done);
    },
  });
  const { code } = await runCoffer(['export', '--format', 'ndjson', ...demo], { stdout: slow });
  assert.equal(code, 0);
  assert.ok(waiting > 1_000_000, `${waiting} bytes came`);
  assert.ok(longestQueue < 300_000, `${longestQueue} bytes were held`);
});

test('an export ends quietly when its reader closes the pipe', { timeout: 30_000 }, async () => {
  const child = spawnCoffer(['export', '--format', 'ndjson', ...demo]);
  child.stdout.destroy();
  const stderr = readText(child.stderr);
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal(await stderr, '');
});

/** What a descriptor is; empty for one that is closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function* brokenText(): Generator<string> {
  yield 'the first half';
  throw new Error('The text broke off');
}

test('a file gets its name when it is complete, and an error in the middle leaves the old one', async () => {
  const folder = makeFolder();
  const file = join(folder, 'book.csv');
  await writeWholeFile(file, async (out) => {
    await pipeline(Readable.from(['text']), out);
    assert.ok(!readdirSync(folder).includes('book.csv'));
  });
  const broken = writeWholeFile(file, (out) => pipeline(Readable.from(brokenText()), out));
  await assert.rejects(broken, /The text broke off/);
  const unread = writeWholeFile(file, () => Promise.reject(new Error('Nothing to write')));
  await assert.rejects(unread, /Nothing to write/);
  if (existsSync('/proc/self/fd')) {
    const open = readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
    assert.deepEqual(
      open.filter((name) => name.startsWith(folder)),
      [],
    );
  }
  assert.equal(readFileSync(file, 'utf8'), 'text');
  assert.deepEqual(readdirSync(folder), ['book.csv']);
});
