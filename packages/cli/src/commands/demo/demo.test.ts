import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeBook, makeFolder, refuses, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();

function inDatabase(name: string): string[] {
  return ['--database', `sqlite:${join(folder, name)}`];
}

test('the demo prints only its token, and the same options create the same book', async () => {
  const exports: string[] = [];
  for (const name of ['one.db', 'two.db']) {
    const database = inDatabase(name);
    const size = ['--transactions', '300', '--seed', '7'];
    const { code, stdout } = await runCoffer(['demo', ...size, ...database]);
    assert.equal(code, 0);
    assert.match(stdout, /^coffer_[0-9A-Za-z]{49}\n$/);
    const whose = ['--email', 'demo@coffer.example', ...database];
    exports.push(await coffer('export', '--format', 'ndjson', ...whose));
  }
  const [one = '', two] = exports;
  assert.equal(one.match(/^\{"type":"transaction",/gm)?.length, 300);
  assert.equal(one, two);
});

test('a second demo only creates a token, and refuses another size or seed', async () => {
  const database = inDatabase('again.db');
  await coffer('demo', '--transactions', '100', ...database);
  const again = await runCoffer(['demo', ...database]);
  assert.equal(again.code, 0);
  assert.match(again.stdout, /^coffer_/);
  assert.match(again.stderr, /^The demo book already exists/);
  const other = /already has a demo book\. Choose another --email\n$/;
  await refuses(['demo', '--seed', '2', ...database], 1, other);
  const another = ['demo', '--seed', '2', '--transactions', '100', '--email', 'a@b'];
  assert.equal((await runCoffer([...another, ...database])).code, 0);
});

test('another book is not mistaken for the demo book', async () => {
  const [, email = '', ...database] = await makeBook(folder, 'person.db');
  await refuses(['demo', '--email', email, ...database], 1, /has a book of another kind/);
});

test('another size or seed is misuse', async () => {
  for (const options of [
    ...[99, 1_000_001, '1e3'].map((size) => ['--transactions', `${size}`]),
    ...[4_294_967_296, -1].map((seed) => ['--seed', `${seed}`]),
  ])
    await refuses(['demo', ...options, ...inDatabase('misuse.db')], 2, /whole number/);
});
