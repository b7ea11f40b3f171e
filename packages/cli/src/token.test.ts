import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { coffer, makeBook, makeFolder, runCoffer } from './testing/run-coffer.ts';

const folder = makeFolder();
const whose = await makeBook(folder);

test('a token is printed alone, listed without its secret, and revoked by its id', async () => {
  const text = await coffer('token', 'create', '--label', 'phone', '--expires', '90d', ...whose);
  assert.match(text, /^coffer_[0-9A-Za-z]{49}\n$/);
  const list = await coffer('token', 'list', ...whose);
  assert.equal(
    list,
    '1: "phone", created 2026-11-20T12:00:00.000Z, never used, expires 2027-02-18T12:00:00.000Z\n',
  );
  await coffer('token', 'revoke', '1', ...whose);
  const [revoked] = (await coffer('token', 'list', '--json', ...whose)).split('\n');
  assert.deepEqual(JSON.parse(revoked ?? ''), {
    id: 1,
    label: 'phone',
    created_at: '2026-11-20T12:00:00.000Z',
    last_used_at: null,
    expires_at: '2027-02-18T12:00:00.000Z',
    revoked_at: '2026-11-20T12:00:00.000Z',
  });
  const again = await runCoffer(['token', 'revoke', '1', ...whose]);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.equal(again.stderr, 'The book "My book" has no token 1 that could be revoked\n');
});

test('a token that has expired is listed as such', async () => {
  const whose = await makeBook(folder, 'expired.db');
  await coffer('token', 'create', '--expires', '2027-01-31', ...whose);
  const now = (): Date => new Date('2027-01-31T00:00:00.000Z');
  const { stdout } = await runCoffer(['token', 'list', ...whose], { now });
  assert.match(stdout, /^1: without a label, .*, expired 2027-01-31T00:00:00.000Z\n$/);
});

test('a label with control characters and an id that is no number are misuse', async () => {
  const label = await runCoffer(['token', 'create', '--label', 'a\nb', ...whose]);
  assert.equal(label.code, 2);
  for (const id of ['x', '0', '01', '1.5']) {
    assert.equal((await runCoffer(['token', 'revoke', id, ...whose])).code, 2, id);
  }
});

test('a user who is not there and a book of another name are told', async () => {
  const [, , ...database] = whose;
  const nobody = await runCoffer(['token', 'list', '--email', 'x@example.com', ...database]);
  assert.equal(nobody.code, 1);
  assert.match(nobody.stderr, /^There is no user with the e-mail address "x@example.com"/);
  const unnamed = await runCoffer(['token', 'list', '--book', 'Theirs', ...whose]);
  assert.equal(
    unnamed.stderr,
    '"me@example.com" has no book of the name "Theirs", only: "My book"\n',
  );
});

test('with several books the right one has to be named', async () => {
  const whose = await makeBook(folder, 'books.db');
  const database = new DatabaseSync(join(folder, 'books.db'));
  database.exec(
    `INSERT INTO books (user_id, name, primary_currency, created_at) VALUES (1, 'Second', 'eur', '')`,
  );
  database.close();
  const { code, stderr } = await runCoffer(['token', 'create', ...whose]);
  assert.equal(code, 1);
  assert.equal(stderr, '"me@example.com" has 2 books: choose one by --book: "My book", "Second"\n');
  await coffer('token', 'create', '--book', 'second', ...whose);
  assert.equal(await coffer('token', 'list', '--book', 'My book', ...whose), '');
});
