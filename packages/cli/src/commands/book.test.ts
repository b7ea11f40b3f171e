import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeFolder, refuses, runCoffer, writeLines } from '../testing/run-coffer.ts';

/** Creates a database with `count` users. Returns the option that names it. */
async function makeUsers(count: number): Promise<string[]> {
  const database = ['--database', `sqlite:${join(makeFolder(), 'coffer.db')}`];
  await coffer('demo', '--transactions', '100', ...database);
  await coffer('user', 'remove', '--email', 'demo@coffer.example', '--yes', ...database);
  for (let user = 1; user <= count; user += 1)
    await coffer('user', 'create', '--email', `${user}@example.com`, '--name', 'N', ...database);
  return database;
}

const file = writeLines(makeFolder(), 'may.csv', 'Date,Payee,Amount', '2026-05-01,Shop,-1.00');
const commands = [
  ['import', file],
  ['export'],
  ['token', 'create'],
  ['token', 'list'],
  ['crypto', 'list'],
  ['book', 'list'],
  ['book', 'create', 'Second'],
  ['book', 'rename', 'Renamed', '--book', '1'],
  ['account', 'list', '--book', '1'],
  ['category', 'list', '--book', '1'],
  ['user', 'rename', 'Ada'],
  ['sign-in', '--book', '1'],
];

test('commands work without --email if there is only one user', async () => {
  const database = await makeUsers(1);
  const books = await coffer('book', 'list', '--json', ...database);
  const { id } = JSON.parse(books) as { id: number };
  for (const command of commands) {
    const argv = command.map((word) => (word === '1' ? String(id) : word));
    const { code, stderr } = await runCoffer([...argv, ...database]);
    assert.equal(code, 0, `${argv.join(' ')}: ${stderr}`);
  }
});

test('with several users, a command without --email lists them', async () => {
  const database = await makeUsers(2);
  const message = 'There are 2 users. Choose one with --email: "1@example.com", "2@example.com"\n';
  for (const command of commands) await refuses([...command, ...database], 1, message);
});

test('without users, a command says how to create one', async () => {
  const database = await makeUsers(0);
  const message =
    'There are no users. Create one with "coffer user create --email ADDRESS --name NAME"\n';
  for (const email of [[], ['--email', 'a@b']])
    await refuses(['export', ...email, ...database], 1, message);
});

test('an unknown user is reported with the users that exist, at most ten of them', async () => {
  const database = await makeUsers(12);
  await refuses(
    ['export', '--email', 'x@example.com', ...database],
    1,
    /^There is no user "x@example\.com"\. The users are: "1@example\.com", ("\d+@example\.com", ){8}"10@example\.com" and 2 more\n$/,
  );
});

test('a book is chosen by name or id, and must be chosen if there are several', async () => {
  const database = await makeUsers(1);
  await coffer('book', 'create', 'Second', ...database);
  await refuses(
    ['export', ...database],
    1,
    'The user "1@example.com" has 2 books. Choose one with --book: "My book", "Second"\n',
  );
  const unknown = await runCoffer(['export', '--book', 'Theirs', ...database]);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(
    unknown.stderr,
    /^The user "1@example\.com" has no book "Theirs"\. The books are: \d+ "My book", \d+ "Second"\n$/,
  );
  const [, id = ''] = /(\d+) "Second"/.exec(unknown.stderr) ?? [];
  for (const book of ['Second', ' second', id])
    assert.match(
      await coffer('export', '--format', 'ndjson', '--book', book, ...database),
      /"name":"Second"/,
    );
});
