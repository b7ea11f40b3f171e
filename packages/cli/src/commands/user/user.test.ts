import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  jsonLines,
  makeFolder,
  refuses,
  runCoffer,
  typing,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();
const database = ['--database', `sqlite:${join(folder, 'coffer.db')}`];

function create(...options: string[]) {
  return runCoffer(['user', 'create', ...options, ...database]);
}

test('a user is created with a book, and reported as a sentence or a line of JSON', async () => {
  const sentence = await create('--email', 'a@example.com', '--name', 'Ada');
  assert.deepEqual(sentence, {
    code: 0,
    stdout: 'Created the user "a@example.com" with the book "My book" (id 1) in usd\n',
    stderr: '',
  });
  const options = ['--name', ' Bo ', '--book', 'Böcker', '--currency', 'SEK', '--json'];
  const { stdout } = await create('--email', 'b@example.com', ...options);
  assert.deepEqual(JSON.parse(stdout), {
    user_id: 2,
    email: 'b@example.com',
    name: 'Bo',
    book_id: 2,
    book_name: 'Böcker',
    primary_currency: 'sek',
  });
});

test('an e-mail address belongs to one user, whatever its letter case', async () => {
  await create('--email', 'c@example.com', '--name', 'C');
  const argv = ['user', 'create', '--email', 'C@Example.com', '--name', 'D', ...database];
  const message = 'A user with the e-mail address "C@Example.com" exists already\n';
  await refuses(argv, 1, message);
});

test('what no user can have is misuse', async () => {
  const named = (email: string, name = 'M') => ['--email', email, '--name', name];
  for (const [options, message] of [
    [named('me'), /^--email: "me" is not an e-mail address/],
    [named('a b@c'), /^--email: "a b@c" is not an e-mail address/],
    [named(`${'a'.repeat(253)}@b`), /^--email: "aaa/],
    [named('m@b', ' '), /^--name: " " is not a valid name/],
    [named('m@b', 'x'.repeat(101)), /^--name: "xxx/],
    [named('m@b', '\u001b[31m'), /^--name: "\\u001b\[31m" is not a valid name/],
    [[...named('m@b'), '--currency', 'xxx'], /^--currency: "xxx" is not/],
  ] as const)
    await refuses(['user', 'create', ...options, ...database], 2, message);
});

/** A database with the user `a@example.com`, who has two books, and the user of a demo book. */
async function makeTwoUsers(name: string) {
  const database = ['--database', `sqlite:${join(folder, name)}`];
  await coffer('user', 'create', '--email', 'a@example.com', '--name', 'Ada', ...database);
  await coffer('book', 'create', 'Second', '--currency', 'eur', ...database);
  await coffer('token', 'create', '--book', 'Second', ...database);
  await coffer('demo', '--transactions', '100', ...database);
  const remove = (email: string, ...options: string[]): string[] => [
    'user',
    'remove',
    '--email',
    email,
    ...options,
    ...database,
  ];
  const everything = (): Promise<string[]> =>
    Promise.all(
      [
        ['user', 'list'],
        ['book', 'list', '--email', 'a@example.com'],
        ['export', '--format', 'ndjson', '--email', 'demo@coffer.example'],
      ].map((argv) => coffer(...argv, ...database)),
    );
  return { database, remove, everything };
}

test('users are listed with the number of their books', async () => {
  const { database } = await makeTwoUsers('list.db');
  const [first, second] = jsonLines(await coffer('user', 'list', '--json', ...database));
  const user = { id: 1, email: 'a@example.com', name: 'Ada', books: 2 };
  assert.deepEqual(first, { ...user, created_at: '2026-11-20T12:00:00.000Z' });
  assert.partialDeepStrictEqual(second, { id: 2, email: 'demo@coffer.example' });
  assert.match(
    await coffer('user', 'list', ...database),
    /^ID +EMAIL .*\n 1 +a@example\.com +Ada +2 /,
  );
});

test('a user is renamed', async () => {
  const { database } = await makeTwoUsers('rename.db');
  const whose = ['--email', 'A@example.com', ...database];
  assert.deepEqual(await runCoffer(['user', 'rename', ' Ada L. ', ...whose]), {
    code: 0,
    stdout: '',
    stderr: 'Renamed the user "a@example.com" to "Ada L."\n',
  });
  assert.match(await coffer('user', 'list', ...database), / Ada L\. /);
  await refuses(['user', 'rename', ' ', ...whose], 2, /^The new name: " " is not a valid name/);
});

test('a user is removed with all books after the address is typed', async () => {
  const { database, remove } = await makeTwoUsers('typed.db');
  const what = 'the user "a@example.com" with 2 books, 0 transactions and 1 access token';
  const terminal = typing('A@example.com\n');
  const outcome = await runCoffer(remove('a@example.com'), terminal);
  assert.ok(terminal.stdin.destroyed, 'else the open terminal keeps the process alive');
  assert.deepEqual(outcome, {
    code: 0,
    stdout: '',
    stderr:
      `Remove ${what}? This cannot be undone.\nType the e-mail address to confirm: ` +
      `Removed ${what}\n`,
  });
  assert.doesNotMatch(await coffer('user', 'list', ...database), /a@example/);
});

test('--yes removes a user without a prompt, and no other user', async () => {
  const { database, remove, everything } = await makeTwoUsers('yes.db');
  const [, books] = await everything();
  const { code, stderr } = await runCoffer(remove('demo@coffer.example', '--yes'));
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^Removed the user .* with 1 book, 100 transactions and 1 access token, and 3 attached files\n$/,
  );
  assert.equal(await coffer('book', 'list', ...database), books);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});

test('a removal that is not confirmed changes nothing', async () => {
  const { remove, everything } = await makeTwoUsers('refused.db');
  const before = await everything();
  const hint = /^Nothing was removed\. Add --yes to remove the user "a@example\.com" with 2 books/;
  const noTerminal = { ...typing('a@example.com\n'), isTerminal: false };
  const { isTerminal } = typing('');
  for (const [overrides, code, message] of [
    [{}, 2, hint],
    [noTerminal, 2, hint],
    [{ isTerminal }, 2, hint],
    [typing('demo@coffer.example\n'), 1, /confirm: Nothing was removed\n$/],
    [typing('y\n'), 1, /confirm: Nothing was removed\n$/],
    [typing('\n'), 1, /confirm: Nothing was removed\n$/],
    [typing(''), 1, /confirm: \nNothing was removed\n$/],
  ] as const) {
    await refuses(remove('a@example.com'), code, message, overrides);
    assert.deepEqual(await everything(), before);
  }
  const unnamed = ['user', 'remove', '--yes', ...remove('').slice(4)];
  await refuses(unnamed, 2, /^Required option '--email <address>' not specified/);
});
