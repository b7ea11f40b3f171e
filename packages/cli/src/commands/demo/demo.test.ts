import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDays } from '@coffer/core/dates';
import { coffer, makeBook, makeFolder, refuses, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();

function inDatabase(name: string): string[] {
  return ['--database', `sqlite:${join(folder, name)}`];
}

const lastDay = ['--until', '2026-10-31'];

test('the demo prints only its token, and the same options create the same book', async () => {
  const exports: string[] = [];
  for (const name of ['one.db', 'two.db']) {
    const database = inDatabase(name);
    const size = ['--transactions', '300', '--seed', '7', ...lastDay];
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
  await refuses(['demo', ...lastDay, ...database], 1, other);
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

test('without a last day, the book ends on the day of the clock in UTC', async () => {
  for (const now of ['2026-11-27T00:00:00Z', '2028-02-29T23:59:59Z']) {
    const [name, today] = [`${now.slice(0, 4)}.db`, now.slice(0, 10)];
    const argv = ['demo', '--transactions', '400', ...inDatabase(name)];
    assert.equal((await runCoffer(argv, { now: () => new Date(now) })).code, 0);
    const whose = ['--email', 'demo@coffer.example', ...inDatabase(name)];
    const lines = (await coffer('export', '--format', 'ndjson', ...whose)).split('\n');
    const rows = lines.filter((line) => line.startsWith('{"type":"transaction",'));
    const dates = rows.map((line) => /"date":"([-0-9]{10})"/.exec(line)![1]!);
    const newest = dates.toSorted().at(-1)!;
    assert.ok(newest <= today && newest >= addDays(today, -2), newest);
  }
});

test('a last day that is none is misuse, and creates nothing', async () => {
  const refused: [string, RegExp][] = [
    ['2026-02-29', /--until: "2026-02-29"/],
    ['tomorrow', /--until: "tomorrow"/],
    ['1999-12-31', /from 2000-01-01 to 2999-12-31, not "1999-12-31"/],
  ];
  for (const [day, message] of refused)
    await refuses(['demo', '--until', day, ...inDatabase('misuse.db')], 2, message);
});
