import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertMany } from '../../db/engine.ts';
import { books } from '../../db/tables/tables.ts';
import { updateUnlogged } from '../../book/unlogged.ts';
import { makeTestApp, until, type TestApp } from '../../http/testing/test-app.ts';
import { pick } from '../../http/testing/pick.ts';
import { strictClient, type StrictClient } from '../../http/testing/strict-client.ts';
import { revokeToken } from '../../identity/users/actions.ts';

interface Shown {
  readonly at: string;
  readonly version: number;
  readonly record: string;
  readonly id: number;
  readonly kind: string;
  readonly value: { readonly id: number; readonly name?: string; readonly payee?: string } | null;
}
type Page = Readonly<{ changes: Shown[]; position: string; has_more: boolean }>;
type Refused = Readonly<{ message: string; errors: Record<string, unknown>[] }>;

describe('GET /coffer/changes', () => {
  let test: TestApp;
  let ada: StrictClient;
  let ben: StrictClient;
  before(async () => {
    test = await makeTestApp();
    [ada, ben] = [strictClient(test, test.ada), strictClient(test, test.ben)];
  });
  after(() => test.app.close());

  const get = (query: string, of = ada) => of.ok<Page>('GET', `/coffer/changes?${query}`);
  const addTag = (name: string, to = ada) => to.ok<{ id: number }>('POST', '/v2/tags', { name });
  const latest = async () => (await get('after=latest')).position;
  const namesOf = ({ changes }: Page) => changes.map(({ value }) => value?.name);
  const settled = () => until(() => test.watchClock.sleeping > 0);

  it('lists the changes with present values in pages, from a position or a version', async () => {
    const all = await get('limit=1000');
    assert.equal(all.changes.length, 30);
    assert.equal(all.has_more, false);
    const { at, value, ...first } = all.changes[0]!;
    assert.match(at, /^2023-11-14T/);
    assert.deepEqual(first, { version: 2, record: 'transactions', id: 1001, kind: 'made' });
    assert.equal(value?.payee, 'Someone');
    const walked: Shown[] = [];
    let position = '0';
    for (let hasMore = true; hasMore;) {
      const page = await get(`after=${position}&limit=7`);
      walked.push(...page.changes);
      ({ position, has_more: hasMore } = page);
    }
    assert.deepEqual([walked, position], [all.changes, all.position]);
    const { id } = await addTag('one');
    await ada.ok('PUT', `/v2/tags/${id}`, { name: 'two' });
    const later = await get(`after=${position}&record=tags`);
    assert.deepEqual(await get('after=2'), later);
    assert.deepEqual(pick(later.changes, 'kind'), ['made', 'changed']);
    assert.deepEqual(namesOf(later), ['two', 'two']);
    await ada.ok('DELETE', `/v2/tags/${id}`);
    const removed = await get(`after=${later.position}`);
    assert.deepEqual(pick(removed.changes, 'kind', 'value'), [['removed', null]]);
    const end = { changes: [], position: removed.position, has_more: false };
    assert.deepEqual(await get(`after=${removed.position}`), end);
    assert.deepEqual(await get('after=latest'), end);
  });

  it('has exact pages of one kind of record among many changes', async () => {
    const { id: bookId } = ben.book;
    await addTag('one', ben);
    // More lines than are searched at once.
    const version = (await ben.book.version()) + 1;
    const columns = ['book_id', 'version', 'place', 'record', 'first_id', 'last_id', 'kind'];
    const line = [bookId, version, 0, 'transactions', 2001, 2001, 'changed'];
    await test.engine.write(function* () {
      const lines = Array.from({ length: 45_000 }, (_, place) => line.with(2, place));
      yield* insertMany('changed_records', columns, lines);
      const change = ['book_id', 'version', 'at', 'actor', 'operation'];
      const values = [bookId, version, '2023-11-15T00:00:00.000Z', 'command', 'test'];
      yield* insertMany('changes', change, [values]);
      yield* updateUnlogged(books, { id: bookId }, { version });
    });
    await addTag('two', ben);
    const read = async (limit: number) => {
      const query = `record=tags&limit=${limit}`;
      const page = await get(query, ben);
      const next = await get(`${query}&after=${page.position}`, ben);
      return [namesOf(page), page.has_more, next.changes.length];
    };
    assert.deepEqual(await read(1), [['one'], true, 1]);
    assert.deepEqual(await read(2), [['one', 'two'], false, 0]);
    assert.deepEqual(await read(3), [['one', 'two'], false, 0]);
  });

  it('refuses what is no position with 400, and a position of something else with 410', async () => {
    for (const after of ['', '-1', '01', 'x', '1e3', `${'0'.repeat(32)}.1.2`, '9007199254740992']) {
      const [error] = await ada.refused('GET', `/coffer/changes?after=${after}`);
      assert.equal(error!['instancePath'], '/query/after');
      assert.match(String(error!['errMsg']), /^Query parameter after must be/);
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
      const { status, body } = await ada.send<Refused>('GET', `/coffer/changes?after=${after}`);
      assert.deepEqual([status, body.message], [410, 'Gone']);
      assert.match(String(body.errors[0]!['errMsg']), reason);
      assert.match(String(body.errors[0]!['errMsg']), /begin|continue from after=latest$/);
      assert.equal(body.errors[0]!['oldest_version'], pruned_version);
    }
    await get(`after=${pruned_version}`);
  });

  it('waits for a change, without a transaction, until the time is up', async () => {
    const position = await latest();
    const waiting = get(`after=${position}&wait=30`);
    await settled();
    const calls = test.engine.calls.length;
    await addTag('waited for');
    test.watchClock.advance(10);
    const page = await waiting;
    assert.deepEqual(namesOf(page), ['waited for']);
    const looks = test.engine.calls.slice(calls).filter((call) => call.startsWith('readStatement'));
    // The token of the request that added the tag, and the look that noticed it: at callers, then at their books.
    assert.equal(looks.length, 3);
    const quiet = get(`after=${page.position}&wait=1&record=categories`);
    await settled();
    await addTag('of no interest');
    for (const ms of [10, 10, 990]) {
      test.watchClock.advance(ms);
      await settled();
    }
    test.watchClock.advance(240);
    const late = await quiet;
    assert.deepEqual(late.changes, []);
    assert.deepEqual((await get(`after=${late.position}`)).changes, []);
  });

  it('ends a wait with 401 when the token is revoked', async () => {
    const { position } = await get('after=latest', ben);
    const waiting = ben.status('GET', `/coffer/changes?after=${position}&wait=30`);
    await settled();
    const { book, callerId } = test.ben.identity;
    await test.engine.write(() => revokeToken(book.id, callerId));
    test.watchClock.advance(10);
    await settled();
    test.watchClock.advance(240);
    assert.equal(await waiting, 401);
  });
});
