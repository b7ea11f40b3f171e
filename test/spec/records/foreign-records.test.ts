import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sql from 'sql-template-tag';
import { isLong } from '../../../packages/core/src/testing/length.ts';
import { rows } from '../../../packages/server/src/db/engine.ts';
import {
  catalogue,
  type Choice,
} from '../../../packages/server/src/operations/testing/catalogue.ts';
import { pathsOf, placesOf } from '../../../packages/server/src/operations/testing/id-places.ts';
import type { RecordKind } from '../../../packages/server/src/operations/testing/id-places.ts';
import { startProviders } from '../../service/crypto-providers.ts';
import { goodRequest, missingId, recordsOf } from '../../service/good-requests.ts';
import { header, type Answer } from '../../service/http-exchange.ts';
import { sentBy } from '../../service/signed-in.ts';
import { startService } from '../../service/started-service.ts';
import { addRows, addUser, type User } from '../../service/service-books.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, ben } = service;

const pairs = [
  [ada, ben],
  [ben, ada],
];
for (const as of [ada, ben]) {
  const id = await providers.add(service.engine, as, 'ethereum');
  await service.ask(`/v2/crypto/synced/${id}/refresh`, { as, method: 'POST' });
}

/** Headers that differ between any two requests, or with the length of the id. */
const passing = new Set(['date', 'content-length', 'etag', 'ratelimit-reset', 'x-ratelimit-reset']);

/** Everything that a caller can see in a response for `id`. */
function visible({ status, lines, text }: Answer, id: number): unknown {
  const headers = Object.entries(lines).filter(([name]) => !passing.has(name));
  return { status, headers, text: text.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID') };
}

/** v1 refuses some requests with 200. */
function isRefused({ status, text }: Answer): boolean {
  return [400, 404].includes(status) || /^\{"errors?":/.test(text);
}

async function versionOf({ bookId }: User): Promise<unknown> {
  const read = sql`SELECT version FROM books WHERE id = ${bookId}`;
  return (await service.engine.read(() => rows(read)))[0];
}

/** Sends one request of a stranger twice: for a record, and for a missing one. */
async function sendBoth(id: string, as: User, choice: Choice, record: number) {
  const { target, asking } = await goodRequest(service, id, as, { ...choice, isBare: true });
  const missing = await service.ask(target, asking);
  const replaced = (text: string) => text.replaceAll(String(missingId), String(record));
  // The requests of a session that was used are counted apart.
  const again = await sentBy(service, { target: replaced(target), asking }, as);
  const body = typeof asking.body === 'string' ? { body: replaced(asking.body) } : {};
  return [await service.ask(again.target, { ...again.asking, ...body }), missing] as const;
}

/** Compares a request of a stranger for a record with one for a missing record, and one of the owner. */
async function compare(id: string, path: string, place: string, kind: RecordKind, owners: User[]) {
  const [owner, stranger] = owners as [User, User];
  const name = `${id} ${place}`;
  const record = await recordsOf(service, owner).own(kind);
  const before = await versionOf(owner);
  const at = { place, id: missingId };
  const [foreign, missing] = await sendBoth(id, stranger, { path, at }, record);
  assert.deepEqual(visible(foreign, record), visible(missing, missingId), name);
  assert.deepEqual(await versionOf(owner), before, `${name} changed another book`);
  // A filter selects nothing.
  const isFilter = place.startsWith('query') && foreign.status === 200;
  assert.ok(isFilter || isRefused(foreign), `${name}: ${foreign.text}`);
  // The texts of v1 are those that clients know: not all name the id.
  if (place.startsWith('body') && !path.startsWith('/v1/'))
    assert.match(foreign.text, new RegExp(`\\b${record}\\b`), name);
  const own = await goodRequest(service, id, owner, { path, at: { place, id: record } });
  const answer = await service.ask(own.target, own.asking);
  assert.ok(!isRefused(answer), `${name}: the owner was refused: ${answer.text}`);
}

for (const [n, operation] of catalogue.entries()) {
  const { method, declaration } = operation;
  for (const path of pathsOf(operation)) {
    const places = placesOf(operation, path).filter(({ kind }) => kind !== 'ignored');
    if (places.length === 0) continue;
    test(`${method} ${path}: a foreign record gets the same response as a missing one`, async () => {
      for (const owners of isLong ? pairs : [pairs[n % 2]!])
        for (const { place, kind } of places)
          await compare(declaration.id, path, place, kind as RecordKind, owners);
    });
  }
}

test('a foreign record selects nothing, like a missing one', async () => {
  for (const [name, kind, place] of [
    ['category_id', 'category', 'body transactions[].category_id'],
    ['tag_id', 'tag', 'body transactions[].tag_ids[]'],
    ['manual_account_id', 'manual', 'body transactions[].manual_account_id'],
  ] as const) {
    const records = recordsOf(service, ben);
    const id = await records.own(kind);
    await records.perform('createNewTransactions', { at: { place, id } });
    const own = await service.list(`${name}=${id}`, { as: ben });
    assert.equal(own.transactions.length, 1, name);
    const foreign = await service.ask(`/v2/transactions?${name}=${id}`);
    assert.equal(foreign.text, '{"transactions":[],"has_more":false}');
  }
});

test('a refresh of a foreign account calls no provider and changes nothing', async () => {
  const target = `/v2/crypto/synced/${await recordsOf(service).own('crypto')}`;
  const [before, calls] = [await service.ask(target), providers.ethereum.calls.length];
  const refused = await service.ask(`${target}/refresh`, { as: ben, method: 'POST' });
  assert.equal(refused.status, 404);
  assert.equal(providers.ethereum.calls.length, calls);
  const after = await service.ask(target);
  assert.deepEqual([after.text, after.lines['etag']], [before.text, before.lines['etag']]);
});

test('users who alternate on one connection, or send many requests at once, get their own records', async () => {
  const asked = Array.from({ length: 60 }, async (_, n) => {
    const as = n % 2 ? ada : ben;
    const { text } = await service.ask('/v2/me', { as });
    assert.equal((JSON.parse(text) as { email: string }).email, as.email);
  });
  await Promise.all(asked);
  const get = ({ token }: User, end: string): string =>
    `GET /v2/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n${end}\r\n`;
  const turns = [ada, ben, ada, ben, ben, ada];
  const text = turns.map((user) => get(user, '')).join('') + get(ada, 'Connection: close\r\n');
  const answer = await service.sendBytes(text);
  const emails = [...answer.text.matchAll(/"email":"(\w+)@/g)].map(([, name]) => name);
  assert.deepEqual(
    emails,
    [...turns, ada].map(({ name }) => name),
  );
});

test('a page or an ETag of one book is nothing in another, even at the same version', async () => {
  const first = await addUser(service.engine, 'eve');
  const second = await addUser(service.engine, 'fay');
  for (const target of ['/v2/categories', '/v2/transactions']) {
    const mark = header(await service.ask(target, { as: first }), 'ETag');
    const headers = ['If-None-Match', mark];
    assert.equal((await service.ask(target, { as: first, headers })).status, 304);
    assert.equal((await service.ask(target, { as: second, headers })).status, 200);
  }
  const dates = new Map([
    [first, '2025-03-01'],
    [second, '2025-09-01'],
  ]);
  for (const [as, date] of dates) await addRows(service.engine, as, 30, date);
  for (const filter of ['', 'status=unreviewed&', 'category_id=0&'])
    for (const offset of [0, 10, 20])
      for (const [as, date] of dates) {
        const page = await service.list(`${filter}limit=10&offset=${offset}`, { as });
        assert.deepEqual([...new Set(page.transactions.map((row) => row.date))], [date]);
        assert.deepEqual([page.transactions.length, page.has_more], [10, offset < 20]);
      }
});
