import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changing } from '../../changes/changing.ts';
import { insertMany } from '../../db/engine.ts';
import { books, tags } from '../../db/tables.ts';
import { updateUnlogged } from '../../changes/unlogged.ts';
import { as, makeTestApp, until } from '../../http/testing/test-app.ts';
import type { TestApp, TestUser } from '../../http/testing/test-app.ts';
import { bookClient } from '../../http/testing/book-client.ts';
import { createToken, revokeToken } from '../users/actions.ts';
import { newToken } from '../users/token.ts';

interface Shown {
  readonly at: string;
  readonly version: number;
  readonly record: string;
  readonly id: number;
  readonly kind: string;
  readonly value: { readonly id: number; readonly name?: string; readonly payee?: string } | null;
}
interface Page {
  readonly changes: Shown[];
  readonly position: string;
  readonly has_more: boolean;
}
interface Refused {
  readonly message: string;
  readonly errors: Readonly<Record<string, unknown>>[];
}

/** Creates another token for the book of a user. */
async function anotherToken({ engine }: TestApp, user: TestUser): Promise<TestUser> {
  const { book, ...rest } = user.identity;
  const { text, hash } = newToken();
  const token = { userId: book.userId, bookId: book.id, hash, label: null, expiresAt: null };
  const id = await engine.write(() => createToken(token));
  return { token: text, identity: { ...rest, book, callerId: id } };
}

describe('GET /coffer/changes', () => {
  let test: TestApp;
  before(async () => {
    test = await makeTestApp();
  });
  after(() => test.app.close());

  const get = <T = Page>(query: string) =>
    bookClient(test, test.ada).send<T>('GET', `/coffer/changes?${query}`);
  const addTag = (name: string) =>
    bookClient(test, test.ada).send<{ id: number }>('POST', '/v2/tags', { name });
  const latest = async () => (await get('after=latest')).body.position;
  const settled = () => until(() => test.watchClock.sleeping > 0);

  it('lists the changes with present values in pages, from a position or a version', async () => {
    const { body: all } = await get('limit=1000');
    assert.equal(all.changes.length, 30);
    assert.equal(all.has_more, false);
    const { at, value, ...first } = all.changes[0]!;
    assert.match(at, /^2023-11-14T/);
    assert.deepEqual(first, { version: 2, record: 'transactions', id: 1001, kind: 'made' });
    assert.equal(value?.payee, 'Someone');
    const walked: Shown[] = [];
    let position = '0';
    for (let hasMore = true; hasMore;) {
      const { body } = await get(`after=${position}&limit=7`);
      walked.push(...body.changes);
      ({ position, has_more: hasMore } = body);
    }
    assert.deepEqual([walked, position], [all.changes, all.position]);
    const { id } = (await addTag('one')).body;
    await bookClient(test, test.ada).send('PUT', `/v2/tags/${id}`, { name: 'two' });
    const later = await get(`after=${position}&record=tags`);
    const { body: byVersion } = await get('after=2');
    assert.deepEqual(byVersion, later.body);
    assert.deepEqual(
      later.body.changes.map(({ kind, value }) => [kind, value?.name]),
      [
        ['made', 'two'],
        ['changed', 'two'],
      ],
    );
    await bookClient(test, test.ada).send('DELETE', `/v2/tags/${id}`);
    const { body: removed } = await get(`after=${later.body.position}`);
    assert.deepEqual(
      removed.changes.map(({ kind, value }) => [kind, value]),
      [['removed', null]],
    );
    const end = await get(`after=${removed.position}`);
    assert.deepEqual(end.body, { changes: [], position: removed.position, has_more: false });
    assert.deepEqual((await get('after=latest')).body, end.body);
  });

  it('has exact pages of one kind of record among many changes', async () => {
    const { id: bookId } = test.ben.identity.book;
    const addAt = (name: string) => bookClient(test, test.ben).send('POST', '/v2/tags', { name });
    await addAt('one');
    // More lines than are searched at once.
    const version = test.ben.identity.book.version + 2;
    const columns = ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind'];
    const line = [bookId, version, 0, 'transactions', 2001, 2001, 'changed'];
    await test.engine.write(function* () {
      const lines = Array.from({ length: 45_000 }, (_, place) => line.with(2, place));
      yield* insertMany('changed_records', columns, lines);
      yield* insertMany(
        'changes',
        ['book_id', 'version', 'at', 'actor', 'operation'],
        [[bookId, version, '2023-11-15T00:00:00.000Z', 'command', 'test']],
      );
      yield* updateUnlogged(books, { id: bookId }, { version });
    });
    await addAt('two');
    const read = async (limit: number) => {
      const url = `/coffer/changes?record=tags&limit=${limit}`;
      const { body } = await bookClient(test, test.ben).send<Page>('GET', url);
      const names = body.changes.map(({ value }) => value?.name);
      const next = await bookClient(test, test.ben).send<Page>(
        'GET',
        `${url}&after=${body.position}`,
      );
      return [names, body.has_more, next.body.changes.length];
    };
    assert.deepEqual(await read(1), [['one'], true, 1]);
    assert.deepEqual(await read(2), [['one', 'two'], false, 0]);
    assert.deepEqual(await read(3), [['one', 'two'], false, 0]);
  });

  it('refuses what is no position with 400, and a position of something else with 410', async () => {
    for (const after of ['', '-1', '01', 'x', '1e3', `${'0'.repeat(32)}.1.2`, '9007199254740992']) {
      const { status, body } = await get<Refused>(`after=${after}`);
      assert.equal(status, 400, after);
      assert.equal(body.errors[0]!['instancePath'], '/query/after');
      assert.match(String(body.errors[0]!['errMsg']), /^Query parameter after must be/);
    }
    const position = await latest();
    const [id, ...numbers] = position.split('.');
    const pruned_version = 2;
    await test.engine.write(() =>
      updateUnlogged(books, { id: test.ada.identity.book.id }, { pruned_version }),
    );
    const others = [
      [[id!.replaceAll(/[0-9a-f]/g, 'a'), ...numbers].join('.'), /another copy of the database/],
      [[id, '2', ...numbers.slice(1)].join('.'), /another book/],
      ['1', /The changes after version 1 were pruned/],
      ['9000', /The book has only \d versions, not 9000/],
    ] as const;
    for (const [after, reason] of others) {
      const { status, body } = await get<Refused>(`after=${after}`);
      assert.deepEqual([status, body.message], [410, 'Gone']);
      assert.match(String(body.errors[0]!['errMsg']), reason);
      assert.match(String(body.errors[0]!['errMsg']), /begin|continue from after=latest$/);
      assert.equal(body.errors[0]!['oldest_version'], pruned_version);
    }
    assert.equal((await get(`after=${pruned_version}`)).status, 200);
  });

  it('waits for a change, without a transaction, until the time is up', async () => {
    const position = await latest();
    let isOver = false;
    const waiting = get(`after=${position}&wait=30`).finally(() => (isOver = true));
    await settled();
    const calls = test.engine.calls.length;
    await addTag('waited for');
    test.watchClock.advance(10);
    const { body } = await waiting;
    assert.deepEqual(
      body.changes.map(({ value }) => value?.name),
      ['waited for'],
    );
    assert.deepEqual(
      test.engine.calls.slice(calls).filter((call) => call.startsWith('readStatement')).length,
      // The token of the request that added the tag, and the look that noticed it.
      2,
    );
    assert.ok(isOver);
    const quiet = get(`after=${body.position}&wait=1&record=categories`);
    await settled();
    await addTag('of no interest');
    for (const ms of [10, 10, 990]) {
      test.watchClock.advance(ms);
      await settled();
    }
    test.watchClock.advance(240);
    const late = await quiet;
    assert.deepEqual(late.body.changes, []);
    assert.equal((await get(`after=${late.body.position}`)).body.changes.length, 0);
  });

  it('ends a wait with 401 when the token is revoked', async () => {
    const user = await anotherToken(test, test.ben);
    const client = bookClient(test, user);
    const { position } = (await client.send<Page>('GET', '/coffer/changes?after=latest')).body;
    const waiting = client.send('GET', `/coffer/changes?after=${position}&wait=30`);
    await settled();
    const { book, callerId } = user.identity;
    await test.engine.write(() => revokeToken(book.id, callerId));
    test.watchClock.advance(10);
    await settled();
    test.watchClock.advance(240);
    assert.equal((await waiting).status, 401);
  });

  it('shows a change of another writer of the same node', async () => {
    const position = await latest();
    const waiting = get(`after=${position}&wait=30`);
    await settled();
    const cause = { bookId: test.ada.identity.book.id, actor: 'command', operation: 'test' };
    await test.engine.write(() =>
      changing(cause, (change) => change.insert(tags, { name: 'by another' })),
    );
    test.watchClock.advance(10);
    await settled();
    test.watchClock.advance(240);
    assert.equal((await waiting).body.changes.length, 1);
  });

  it('ends waits when the server stops', async () => {
    const other = await makeTestApp();
    const waiting = other.app.inject({
      ...{ method: 'GET', url: '/coffer/changes?after=2&wait=60', headers: as(other.ada) },
    });
    await until(() => other.watchClock.sleeping > 0);
    await other.app.close();
    const { statusCode, body } = await waiting;
    assert.equal(statusCode, 200);
    assert.deepEqual((JSON.parse(body) as Page).changes, []);
  });
});
