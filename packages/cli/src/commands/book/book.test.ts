import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coffer, newBook, refuses, runCoffer, typing } from '../../testing/run-coffer.ts';

const list = (whose: readonly string[]): Promise<string> => coffer('book', 'list', ...whose);

test('a book is created, and reported as a sentence or a line of JSON', async () => {
  const whose = await newBook();
  const created = await coffer('book', 'create', ' Böcker ', '--currency', 'SEK', ...whose);
  assert.equal(created, 'Created the book "Böcker" (id 2) in sek for "me@example.com"\n');
  const json = await coffer('book', 'create', 'Third', '--json', ...whose);
  assert.deepEqual(JSON.parse(json), { id: 3, name: 'Third', primary_currency: 'usd' });
  assert.equal(
    await list(whose),
    'ID  NAME     PRIMARY CURRENCY  TRANSACTIONS  TOKENS\n' +
      ' 1  My book  usd                          0       0\n' +
      ' 2  Böcker   sek                          0       0\n' +
      ' 3  Third    usd                          0       0\n',
  );
  const [line = ''] = (await coffer('book', 'list', '--json', ...whose)).split('\n');
  const empty = { transactions: 0, tokens: 0 };
  assert.deepEqual(JSON.parse(line), { id: 1, name: 'My book', primary_currency: 'usd', ...empty });
});

test('a book is renamed', async () => {
  const whose = await newBook();
  const { code, stdout, stderr } = await runCoffer(['book', 'rename', 'Home', ...whose]);
  assert.deepEqual([code, stdout], [0, '']);
  assert.equal(stderr, 'Renamed the book "My book" to "Home"\n');
  assert.match(await list(whose), /^ 1 {2}Home /m);
});

test('a name that another book of the user has is refused', async () => {
  const whose = await newBook();
  await coffer('book', 'create', 'Second', ...whose);
  const before = await list(whose);
  for (const argv of [
    ['create', ' my BOOK '],
    ['rename', 'MY book', '--book', 'second'],
  ]) {
    await refuses(['book', ...argv, ...whose], 1, 'The user already has a book "My book"\n');
  }
  assert.equal(await list(whose), before);
});

test('an invalid name or currency is misuse', async () => {
  for (const [argv, message] of [
    [['create', ' '], /^The name: " " is not a valid name/],
    [['rename', 'a\nb'], /^The new name: "a\\nb" is not a valid name/],
    [['create', 'A', '--currency', 'xxx'], /^--currency: "xxx" is not/],
  ] as const)
    await refuses(['book', ...argv], 2, message);
});

test('a book is removed with its records after its name is typed, or with --yes', async () => {
  const database = (await newBook()).slice(2);
  await coffer('demo', '--transactions', '100', ...database);
  const whose = ['--email', 'demo@coffer.example', ...database];
  await coffer('book', 'create', 'Second', ...whose);
  await coffer('book', 'create', 'Third', ...whose);
  const what =
    'the book "Demo Household" of "demo@coffer.example" with 100 transactions and 1 access token';
  const remove = ['book', 'remove', '--book', 'demo household', ...whose];
  const { code, stderr } = await runCoffer(remove, typing('Demo Household\n'));
  assert.equal(code, 0);
  assert.equal(
    stderr,
    `Remove ${what}? This cannot be undone.\nType the name of the book to confirm: Removed ${what}, and 3 attached files\n`,
  );
  const third = await runCoffer(['book', 'remove', '--book', '4', '--yes', ...whose]);
  assert.match(
    third.stderr,
    /^Removed the book "Third" of .* with 0 transactions and 0 access tokens\n$/,
  );
  const left = (await coffer('book', 'list', '--json', ...whose)).trim();
  assert.match(left, /^\{"id":3,"name":"Second",[^\n]*\}$/);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});

test('a removal without a confirmation or a book, or of the only book, changes nothing', async () => {
  const whose = await newBook();
  const advice = 'Remove the user with "coffer user remove"';
  const stderr = `"My book" is the only book of "me@example.com". ${advice}\n`;
  await refuses(['book', 'remove', '--book', '1', '--yes', ...whose], 1, stderr);
  await coffer('book', 'create', 'Second', ...whose);
  const before = await list(whose);
  for (const [options, overrides, code, message] of [
    [
      ['--book', 'Second'],
      {},
      2,
      /^Nothing was removed\. Add --yes to remove the book "Second" of/,
    ],
    [['--book', 'Second'], typing('My book\n'), 1, /confirm: Nothing was removed\n$/],
    [['--yes'], {}, 2, /^Required option '--book <book>' not specified/],
    [['--book', '3', '--yes'], {}, 1, /has no book "3"/],
  ] as const) {
    await refuses(['book', 'remove', ...options, ...whose], code, message, overrides);
    assert.equal(await list(whose), before);
  }
});
