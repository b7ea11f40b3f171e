import { renameBook, renameToken, renameUser } from '../identity/users/actions.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { updateUnlogged } from '../book/unlogged.ts';
import { find } from '../db/rows.ts';
import { books } from '../db/tables/tables.ts';
import { as, makeTestApp } from './testing/test-app.ts';
import { entityTag, listsTag } from './send.ts';

const { app, engine, ada } = await makeTestApp();

const get = (url: string, ifNoneMatch?: string, user = ada) => {
  const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  return app.inject({ url, headers: { ...as(user), ...headers } });
};
const tagOf = async (url: string, user = ada) =>
  (await get(url, undefined, user)).headers.etag ?? '';

/** Changes the version of Ada's book without a change in its log. */
const raiseVersion = (by: number) =>
  engine.write(function* () {
    const { id } = ada.identity.book;
    const version = (yield* find(books, { id }))!.version + by;
    yield* updateUnlogged(books, { id }, { version });
  });

const urls = [
  '/v2/transactions',
  '/v2/transactions?limit=2',
  '/v2/transactions/1001',
  '/v2/categories',
  '/v2/tags',
  '/v2/me',
];

describe('a response whose tag the client sends back is not sent again', () => {
  test('304 has no body, and no rows are read, until the version of the book changes', async () => {
    for (const url of urls) {
      const tag = await tagOf(url);
      engine.calls.length = 0;
      const { statusCode, body, headers } = await get(url, tag);
      assert.deepEqual([statusCode, body, headers.etag], [304, '', tag], url);
      assert.equal(headers['content-length'], undefined);
      assert.deepEqual(engine.calls, ['readStatement access_tokens']);
      await raiseVersion(1);
      assert.equal((await get(url, tag)).statusCode, 200, url);
      await raiseVersion(-1);
      assert.equal((await get(url, tag)).statusCode, 304, url);
    }
  });

  test('in a list, and without the prefix W/; a star matches every existing record', async () => {
    const tag = await tagOf('/v2/me');
    for (const list of [`"a", ${tag}`, `${tag},"b"`, tag.slice(2), ` ${tag} `])
      assert.equal((await get('/v2/me', list)).statusCode, 304, list);
    for (const other of ['"a"', tag.slice(3, -1), tag.toUpperCase(), '', ','])
      assert.equal((await get('/v2/me', other)).statusCode, 200, other);
    assert.equal((await get('/v2/transactions/1001', '*')).statusCode, 304);
    assert.equal((await get('/v2/transactions/9', '*')).statusCode, 404);
  });
});

test('names of user, book and token change the tag of /v2/me, and not that of lists', async () => {
  const { user, book, callerId } = ada.identity;
  for (const alter of [
    () => renameUser(user.id, 'Ada L.'),
    () => renameBook(book.id, 'Household'),
    () => renameToken(book.id, callerId, null),
  ]) {
    const [me, list] = [await tagOf('/v2/me'), await tagOf('/v2/transactions')];
    await engine.write(alter);
    assert.notEqual(await tagOf('/v2/me'), me);
    assert.equal(await tagOf('/v2/transactions'), list);
  }
});

test('a change while the page is read may leave an old tag on a new page, never a new tag on an old page', async () => {
  // A list with a filter is read at each request.
  const path = '/v2/transactions?status=reviewed';
  const before = await tagOf(path);
  engine.instead.set('read transactions', async (read) => {
    await raiseVersion(1);
    return read();
  });
  const answer = await get(path);
  engine.instead.clear();
  assert.equal(answer.headers.etag, before);
  assert.equal((await get(path, before)).statusCode, 200);
});

test('the parts of a tag cannot be confused', () => {
  const source = { databaseId: 'a', bookId: 1, bookVersion: 11, url: '/a', state: '' };
  const others = [
    { ...source, bookId: 11, bookVersion: 1 },
    { ...source, url: '/a"', state: '' },
    { ...source, url: '', state: '/a' },
    { ...source, databaseId: 'b' },
  ];
  const tags = [source, ...others].map(entityTag);
  assert.equal(new Set(tags).size, tags.length);
  for (const tag of tags) assert.match(tag, /^W\/"[\w-]{43}"$/);
});

test('a long If-None-Match is compared in linear time', () => {
  assert.equal(listsTag('W/'.repeat(8000), 'W/"a"'), false);
  assert.equal(listsTag(','.repeat(16_000), 'W/"a"'), false);
});
