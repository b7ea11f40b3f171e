import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startProviders } from './crypto-providers.ts';
import { document } from './document-check.ts';
import { header, type Answer } from './http-exchange.ts';
import { addRows, addUser, startService, type User } from './started-service.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, ben } = service;
const missingId = 87_654_321;

const cryptoIds = new Map<User, number>();
for (const user of [ada, ben]) {
  const id = await providers.add(service.store, user, 'ethereum');
  cryptoIds.set(user, id);
  await service.ask(`/v2/crypto/synced/${id}/refresh`, { as: user, method: 'POST' });
}
const cryptoId = (user: User): Promise<number> => Promise.resolve(cryptoIds.get(user)!);

/** An id of a record that belongs to the user, for every operation of the document that has one. */
const ownId: Readonly<Record<string, (user: User) => Promise<number>>> = {
  'GET /v2/crypto/synced/{id}': cryptoId,
  'GET /v2/crypto/synced/{id}/{symbol}': cryptoId,
  'POST /v2/crypto/synced/{id}/refresh': cryptoId,
  'GET /v2/transactions/{id}': async (as) => (await service.list('', { as })).transactions[0]!.id,
  'GET /v2/categories/{id}': async (as) => {
    const { text } = await service.ask('/v2/categories', { as });
    return (JSON.parse(text) as { categories: { id: number }[] }).categories[0]!.id;
  },
};

async function addCategory(user: User): Promise<void> {
  const entry = {
    line: 1,
    date: '2025-08-01',
    amount: -5,
    currency: null,
    payee: 'x',
    notes: null,
  };
  const entries = () => [{ ...entry, category: 'Own', account: 'Own', externalId: null }];
  const nowIso = '2025-08-02T00:00:00.000Z';
  const plan = { entries, defaultAccount: null, nowIso, dryRun: false };
  await service.store.importEntries(user.bookId, plan);
}
await addCategory(ben);

/** Differ between any two requests, or with the length of the id. */
const passing = new Set(['date', 'content-length', 'ratelimit-reset', 'x-ratelimit-reset']);

/** All that a caller can see of an answer to the question for `id`. */
function visible({ status, lines, text }: Answer, id: number): unknown {
  const headers = Object.entries(lines).filter(([name]) => !passing.has(name));
  return { status, headers, text: text.replaceAll(String(id), 'ID') };
}

test('every operation with an id has a record to try it with', () => {
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.includes('{'))
    .flatMap(([path, item]) => Object.keys(item).map((name) => `${name.toUpperCase()} ${path}`));
  assert.deepEqual(Object.keys(ownId).toSorted(), operations.toSorted());
});

test('a record of somebody else is answered like one that is not there, byte for byte', async () => {
  for (const [operation, find] of Object.entries(ownId)) {
    const [method = '', path = ''] = operation.split(' ');
    for (const [owner, stranger] of [[ada, ben] as const, [ben, ada] as const]) {
      const id = await find(owner);
      const ask = (as: User, value: number): Promise<Answer> =>
        service.ask(path.replace('{id}', String(value)).replace('{symbol}', 'eth'), { as, method });
      assert.equal((await ask(owner, id)).status, 200, operation);
      const [foreign, missing] = [await ask(stranger, id), await ask(stranger, missingId)];
      assert.equal(foreign.status, 404, operation);
      assert.deepEqual(visible(foreign, id), visible(missing, missingId));
    }
  }
});

test('a record of somebody else selects as little as one that is not there', async () => {
  const row = (await service.list('start_date=2025-08-01', { as: ben })).transactions[0]!;
  assert.ok(row['category_id'] !== null && row['manual_account_id'] !== null);
  for (const name of ['category_id', 'manual_account_id']) {
    const own = await service.list(`${name}=${row[name] as number}`, { as: ben });
    assert.equal(own.transactions.length, 1, name);
    const foreign = await service.ask(`/v2/transactions?${name}=${row[name] as number}`);
    const missing = await service.ask(`/v2/transactions?${name}=${missingId}`);
    assert.equal(foreign.text, missing.text);
    assert.equal(foreign.text, '{"transactions":[],"has_more":false}');
  }
});

test('no list has a record of somebody else', async () => {
  const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
  for (const query of ['limit=2000', `limit=2000&${everything}`]) {
    const idsOf = async (as: User): Promise<Set<number>> =>
      new Set((await service.list(query, { as })).transactions.map(({ id }) => id));
    const adas = await idsOf(ada);
    const bens = await idsOf(ben);
    assert.ok(adas.size > 0 && bens.size > 0);
    for (const id of bens) assert.ok(!adas.has(id), query);
  }
});

test('a list of synced crypto has no account of somebody else', async () => {
  for (const as of [ada, ben]) {
    const { text } = await service.ask('/v2/crypto/synced', { as });
    const { crypto_synced: accounts } = JSON.parse(text) as { crypto_synced: { id: number }[] };
    assert.deepEqual(
      accounts.map(({ id }) => id),
      [cryptoIds.get(as)],
    );
  }
});

test('a refresh by somebody else asks no provider and changes nothing', async () => {
  const target = `/v2/crypto/synced/${cryptoIds.get(ada)}`;
  const [before, calls] = [await service.ask(target), providers.ethereum.calls.length];
  const refused = await service.ask(`${target}/refresh`, { as: ben, method: 'POST' });
  assert.equal(refused.status, 404);
  assert.equal(providers.ethereum.calls.length, calls);
  const after = await service.ask(target);
  assert.deepEqual([after.text, after.lines['etag']], [before.text, before.lines['etag']]);
});

test('users who take turns on one connection, and many at once, each get their own', async () => {
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

test('a mark of one book brings no 304 in another, also when both are at the same version', async () => {
  const [first, second] = [
    await addUser(service.store, 'eve'),
    await addUser(service.store, 'fay'),
  ];
  for (const target of ['/v2/categories', '/v2/transactions']) {
    const mark = header(await service.ask(target, { as: first }), 'ETag');
    const headers = ['If-None-Match', mark];
    assert.equal((await service.ask(target, { as: first, headers })).status, 304);
    assert.equal((await service.ask(target, { as: second, headers })).status, 200);
  }
});

test('a walk of one book does not lead astray in another, also when both are at the same version', async () => {
  const [first, second] = [
    await addUser(service.store, 'gil'),
    await addUser(service.store, 'hal'),
  ];
  await addRows(service.store, first, 30, '2025-03-01');
  await addRows(service.store, second, 30, '2025-09-01');
  for (const filter of ['', 'status=unreviewed&', 'category_id=0&']) {
    for (const offset of [0, 10, 20]) {
      for (const [as, date] of [[first, '2025-03-01'] as const, [second, '2025-09-01'] as const]) {
        const page = await service.list(`${filter}limit=10&offset=${offset}`, { as });
        assert.deepEqual([...new Set(page.transactions.map((row) => row.date))], [date]);
        assert.deepEqual([page.transactions.length, page.has_more], [10, offset < 20]);
      }
    }
  }
});
