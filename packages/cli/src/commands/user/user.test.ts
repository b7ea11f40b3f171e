import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder, runCoffer } from '../../testing/run-coffer.ts';

const database = ['--database', `sqlite:${join(makeFolder(), 'coffer.db')}`];

function create(...options: string[]) {
  return runCoffer(['user', 'create', ...options, ...database]);
}

test('a user comes with a book, and a sentence or a line of JSON says so', async () => {
  const sentence = await create('--email', 'a@example.com', '--name', 'Ada');
  assert.deepEqual(sentence, {
    code: 0,
    stdout: 'Made the user "a@example.com" with the book "My book" (id 1) in usd\n',
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
  ['a blank name', ['--email', 'm@b', '--name', ' '], '--name: " " cannot be a name'],
  ['a name of 101 characters', ['--email', 'm@b', '--name', 'x'.repeat(101)], '--name: "xxx'],
  [
    'a name with an escape',
    ['--email', 'm@b', '--name', '\u001b[31m'],
    '--name: "\\u001b[31m" cannot',
  ],
  [
    'a currency that is none',
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
