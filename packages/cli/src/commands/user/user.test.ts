import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { coffer, makeFolder, runCoffer, spawnCoffer, typing } from '../../testing/run-coffer.ts';

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
  assert.equal(stdout.split('\n').length, 2);
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
  const { code, stdout, stderr } = await create('--email', 'C@Example.com', '--name', 'D');
  assert.deepEqual([code, stdout], [1, '']);
  assert.equal(stderr, 'A user with the e-mail address "C@Example.com" exists already\n');
});

for (const [what, options, message] of [
  [
    'an address without an @',
    ['--email', 'me', '--name', 'M'],
    '--email: "me" is not an e-mail address',
  ],
  [
    'an address with a blank',
    ['--email', 'a b@c', '--name', 'M'],
    '--email: "a b@c" is not an e-mail address',
  ],
  [
    'an address of 255 characters',
    ['--email', `${'a'.repeat(253)}@b`, '--name', 'M'],
    '--email: "aaa',
  ],
  ['a blank name', ['--email', 'm@b', '--name', ' '], '--name: " " is not a valid name'],
  ['a name of 101 characters', ['--email', 'm@b', '--name', 'x'.repeat(101)], '--name: "xxx'],
  [
    'a name with an escape',
    ['--email', 'm@b', '--name', '\u001b[31m'],
    '--name: "\\u001b[31m" is not a valid name',
  ],
  [
    'an unknown currency',
    ['--email', 'm@b', '--name', 'M', '--currency', 'xxx'],
    '--currency: "xxx" is not',
  ],
] as const) {
  test(`${what} is misuse`, async () => {
    const { code, stdout, stderr } = await create(...options);
    assert.deepEqual([code, stdout], [2, '']);
    assert.ok(stderr.startsWith(message), stderr);
  });
}

/** A database with the user `a@example.com`, who has two books, and the user of a demo book. */
async function makeTwoUsers(name: string, transactions = 100) {
  const path = join(folder, name);
  const database = ['--database', `sqlite:${path}`];
  await coffer('user', 'create', '--email', 'a@example.com', '--name', 'Ada', ...database);
  await coffer('book', 'create', 'Second', '--currency', 'eur', ...database);
  await coffer('token', 'create', '--book', 'Second', ...database);
  await coffer('demo', '--transactions', String(transactions), ...database);
  const remove = (email: string, ...options: string[]): string[] => [
    ...['user', 'remove', '--email', email, ...options, ...database],
  ];
  const everything = (): Promise<string[]> =>
    Promise.all(
      [
        ['user', 'list'],
        ['book', 'list', '--email', 'a@example.com'],
        ['export', '--format', 'ndjson', '--email', 'demo@coffer.example'],
      ].map((argv) => coffer(...argv, ...database)),
    );
  return { path, database, remove, everything };
}

/** Waits for a process that is writing to the database: one that keeps the lock during a thousand checks. */
async function waitForWriter(path: string): Promise<void> {
  const engine = new DatabaseSync(path, { timeout: 0 });
  for (let checks = 0; checks < 1000; checks += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      engine.exec('BEGIN IMMEDIATE; ROLLBACK');
      checks = 0;
    } catch {
      // Another process is writing.
    }
  }
  engine.close();
}

test('users are listed with the number of their books', async () => {
  const { database } = await makeTwoUsers('list.db');
  const list = await coffer('user', 'list', '--json', ...database);
  const [first = '', second = ''] = list.split('\n');
  const user = { id: 1, email: 'a@example.com', name: 'Ada', books: 2 };
  assert.deepEqual(JSON.parse(first), { ...user, created_at: '2026-11-20T12:00:00.000Z' });
  assert.match(second, /^\{"id":2,"email":"demo@coffer\.example",/);
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
  const { code, stderr } = await runCoffer(['user', 'rename', ' ', ...whose]);
  assert.equal(code, 2);
  assert.match(stderr, /^The new name: " " is not a valid name/);
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
  assert.match(stderr, /^Removed the user .* with 1 book, 100 transactions and 1 access token\n$/);
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
    const refused = await runCoffer(remove('a@example.com'), overrides);
    assert.deepEqual([refused.code, refused.stdout], [code, '']);
    assert.match(refused.stderr, message);
    assert.deepEqual(await everything(), before);
  }
  const unnamed = await runCoffer(['user', 'remove', '--yes', ...remove('').slice(4)]);
  assert.equal(unnamed.code, 2);
  assert.match(unnamed.stderr, /^Required option '--email <address>' not specified/);
});

test('a removal that fails at its last row changes nothing', async () => {
  const { path, remove, everything } = await makeTwoUsers('failing.db');
  const before = await everything();
  const engine = new DatabaseSync(path);
  engine.exec(`CREATE TRIGGER fails BEFORE DELETE ON users BEGIN SELECT RAISE(ABORT, 'No'); END`);
  engine.close();
  for (const email of ['a@example.com', 'demo@coffer.example'])
    await assert.rejects(runCoffer(remove(email, '--yes')), /No/);
  assert.deepEqual(await everything(), before);
});

test('a removal that is killed in the middle changes nothing', { timeout: 300_000 }, async () => {
  const { path, database, remove, everything } = await makeTwoUsers('killed.db', 20_000);
  const before = await everything();
  const engine = new DatabaseSync(path);
  // The last statement of the removal never ends.
  engine.exec(`CREATE TRIGGER waits BEFORE DELETE ON users BEGIN SELECT count(*) FROM (
    WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n); END`);
  engine.close();
  const child = spawnCoffer(remove('demo@coffer.example', '--yes'));
  const exit = once(child, 'exit');
  await waitForWriter(path);
  child.kill('SIGKILL');
  assert.deepEqual(await exit, [null, 'SIGKILL']);
  assert.deepEqual(await everything(), before);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});
