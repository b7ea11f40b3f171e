import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { document } from './document-check.ts';
import { header, type Answer } from './http-exchange.ts';
import { addUser, startService, type User } from './started-service.ts';

const service = await startService();
after(() => service.close());
const { ada, ben } = service;
const missingId = 87_654_321;

/** An id of a record that belongs to the user, for every path of the document that has one. */
const ownId: Readonly<Record<string, (user: User) => Promise<number>>> = {
  '/v2/transactions/{id}': async (as) => (await service.list('', { as })).transactions[0]!.id,
  '/v2/categories/{id}': async (as) => {
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

test('every path with an id has a record to try it with', () => {
  const paths = Object.keys(document.paths).filter((path) => path.includes('{'));
  assert.deepEqual(Object.keys(ownId).toSorted(), paths.toSorted());
});

test('a record of somebody else is answered like one that is not there, byte for byte', async () => {
  for (const [path, find] of Object.entries(ownId)) {
    for (const [owner, stranger] of [[ada, ben] as const, [ben, ada] as const]) {
      const id = await find(owner);
      const ask = (as: User, value: number): Promise<Answer> =>
        service.ask(path.replace('{id}', String(value)), { as });
      assert.equal((await ask(owner, id)).status, 200, path);
      const [foreign, missing] = [await ask(stranger, id), await ask(stranger, missingId)];
      assert.equal(foreign.status, 404, path);
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
  const idsOf = async (as: User): Promise<Set<number>> => {
    const query =
      'limit=2000&include_pending=true&include_split_parents=true&include_group_children=true';
    return new Set((await service.list(query, { as })).transactions.map(({ id }) => id));
  };
  const adas = await idsOf(ada);
  for (const id of await idsOf(ben)) assert.ok(!adas.has(id));
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
