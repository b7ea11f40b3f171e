import { importEntries } from '../../../packages/server/src/main.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startProviders } from '../../service/crypto-providers.ts';
import {
  goodRequest,
  idOf,
  newName,
  operationNames,
  withBody,
  withMissingId,
  type GoodRequest,
  type OperationName,
} from '../../service/good-requests.ts';
import { requestsWith, type BodyRequest, type Ids } from '../../service/foreign-requests.ts';
import { header, type Answer } from '../../service/http-exchange.ts';
import { sentBy } from '../../service/signed-in.ts';
import { addRows, addUser, startService, type User } from '../../service/started-service.ts';

const providers = await startProviders();
after(() => providers.close());
const service = await startService(providers.flags, providers.environment);
after(() => service.close());
const { ada, ben } = service;
const missingId = 87_654_321;

const cryptoIds = new Map<User, number>();
for (const user of [ada, ben]) {
  const id = await providers.add(service.engine, user, 'ethereum');
  cryptoIds.set(user, id);
  await service.ask(`/v2/crypto/synced/${id}/refresh`, { as: user, method: 'POST' });
}

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
  const plan = { entries, defaultAccount: null, dryRun: false };
  await importEntries(service.engine, user.bookId, plan);
}
await addCategory(ben);

/** Headers that differ between any two requests, or with the length of the id. */
const passing = new Set(['date', 'content-length', 'ratelimit-reset', 'x-ratelimit-reset']);

/** Links to files are new each time. */
const linkPath = '/v2/transactions/attachments/';

/** Everything that a caller can see in a response for `id`. */
function visible({ status, lines, text }: Answer, id: number): unknown {
  const headers = Object.entries(lines).filter(([name]) => !passing.has(name));
  return { status, headers, text: text.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), 'ID') };
}

const pairs = [
  [ada, ben],
  [ben, ada],
] as const;
// Every book has versions of its own.
const withIds = operationNames.filter((name) => /\{(?!version)/.test(name));
/** Responses that have another ETag each time. */
const unmarked = ['/coffer/imports', '/coffer/transactions/', '/coffer/webhooks', linkPath];

function refusedStatus(name: OperationName): number {
  if (name === 'DELETE /v2/transactions/split/{id}') return 400;
  return name.includes(' /v1/') && !name.includes(' /v1/transactions') ? 200 : 404;
}

/** v1 refuses some requests with 200. */
function isRefused({ status, text }: Answer): boolean {
  return [400, 404].includes(status) || /^\{"errors?":/.test(text);
}

for (const name of withIds) {
  test(`${name}: a foreign record gets the same response as a missing one, byte for byte`, async () => {
    for (const [owner, stranger] of pairs) {
      const own = await goodRequest(service, name, owner);
      const { target } = own;
      const id = Number(/\d+(?=[/?]|$)/.exec(target.slice('/v2/'.length))?.[0]);
      const ask = async (request: GoodRequest, as: User): Promise<Answer> =>
        service.ask(request.target, (await sentBy(service, request, as)).asking);
      const before = await service.ask(target, { as: owner });
      const foreign = await ask(own, stranger);
      const missing = await ask(withMissingId(own), stranger);
      assert.equal(foreign.status, refusedStatus(name));
      assert.ok(isRefused(foreign), foreign.text);
      assert.deepEqual(visible(foreign, id), visible(missing, missingId));
      const after = await service.ask(target, { as: owner });
      if (target.startsWith(linkPath)) assert.equal(after.status, before.status);
      else assert.equal(after.text, before.text);
      const isMarked = !unmarked.some((path) => target.startsWith(path));
      if (isMarked) assert.deepEqual(after.lines['etag'], before.lines['etag']);
      assert.ok(!isRefused(await ask(own, owner)), 'the owner was refused');
    }
  });
}

/** Creates a record of each kind, and returns their ids. */
async function makeRecords(as: User): Promise<Ids> {
  const idIn = async (name: OperationName): Promise<number> =>
    Number(/\d+$/.exec((await goodRequest(service, name, as)).target)?.[0]);
  return {
    category: await idIn('GET /v2/categories/{id}'),
    tag: await idIn('GET /v2/tags/{id}'),
    account: await idIn('GET /v2/manual_accounts/{id}'),
    plaid: await idIn('GET /v2/plaid_accounts/{id}'),
    item: await idIn('GET /v2/recurring_items/{id}'),
    rule: await idIn('GET /coffer/rules/{id}'),
    row: await idIn('GET /v2/transactions/{id}'),
    second: await idIn('GET /v2/transactions/{id}'),
  };
}

test('a foreign id in a body or a query gets the same response as a missing one', async () => {
  for (const [owner, stranger] of pairs) {
    const [foreign, own] = [await makeRecords(owner), await makeRecords(stranger)];
    const absent = Object.fromEntries(Object.keys(own).map((key) => [key, missingId])) as Ids;
    const missing = requestsWith(absent, own);
    for (const [at, request] of requestsWith(foreign, own).entries()) {
      const id = foreignIdIn(request, missing[at]!);
      const ask = async ([name, body, target]: BodyRequest, named: number): Promise<unknown> => {
        const [method = '', path = ''] = name.split(' ');
        const asking = body === undefined ? { method } : withBody(method, body);
        const answer = await service.ask(target ?? path, { ...asking, as: stranger });
        assert.ok(isRefused(answer), `${name} ${answer.text}`);
        // The texts of v1 are those that clients know: not all name the id.
        if (!path.startsWith('/v1/'))
          assert.match(answer.text, new RegExp(`\\b${named}\\b`), `${name} ${answer.text}`);
        return visible(answer, named);
      };
      const message = JSON.stringify(request);
      assert.deepEqual(await ask(request, id), await ask(missing[at]!, missingId), message);
    }
  }
});

/** Returns the number of a request where the other one has the missing id. */
function foreignIdIn(request: BodyRequest, other: BodyRequest): number {
  const [numbers, others] = [request, other].map((each) => JSON.stringify(each).match(/\d+/g)!);
  return Number(numbers![others!.indexOf(String(missingId))]);
}

test('a foreign category cannot be a group or a member: it is refused like a missing one', async () => {
  for (const [owner, stranger] of pairs) {
    const make = async (body: object): Promise<number> =>
      idOf(await service.ask('/v2/categories', withBody('POST', body, owner)));
    const group = await make({ name: newName(), is_group: true });
    const member = await make({ name: newName(), group_id: group });
    const { target } = await goodRequest(service, 'PUT /v2/categories/{id}', stranger);
    for (const [id, bodyWith] of [
      [group, (each: number) => ({ name: 'Refused', group_id: each })],
      [member, (each: number) => ({ name: 'Refused', is_group: true, children: [each] })],
    ] as const) {
      for (const [method, path] of [
        ['POST', '/v2/categories'],
        ['PUT', target],
      ] as const) {
        const foreign = await service.ask(path, withBody(method, bodyWith(id), stranger));
        const missing = await service.ask(path, withBody(method, bodyWith(missingId), stranger));
        assert.equal(foreign.status, 400, foreign.text);
        assert.deepEqual(visible(foreign, id), visible(missing, missingId));
      }
    }
    const { text } = await service.ask(`/v2/categories/${group}`, { as: owner });
    const { children } = JSON.parse(text) as { children: { id: number }[] };
    assert.deepEqual(
      children.map(({ id }) => id),
      [member],
    );
  }
});

test('a foreign tag selects nothing, like a missing one', async () => {
  const { text } = await service.ask('/v2/tags');
  const [holiday] = (JSON.parse(text) as { tags: { id: number }[] }).tags;
  assert.ok((await service.list(`tag_id=${holiday!.id}`)).transactions.length > 0);
  const foreign = await service.ask(`/v2/transactions?tag_id=${holiday!.id}`, { as: ben });
  assert.equal(foreign.text, '{"transactions":[],"has_more":false}');
});

test('no list of tags or categories has a foreign record', async () => {
  for (const [path, name] of [
    ['/v2/tags', 'POST /v2/tags'],
    ['/v2/categories?format=flattened', 'POST /v2/categories'],
  ] as const) {
    for (const [owner, stranger] of pairs) {
      const { target, asking } = await goodRequest(service, name, owner);
      const id = idOf(await service.ask(target, asking));
      const has = async (as: User): Promise<boolean> =>
        (await service.ask(path, { as })).text.includes(`{"id":${id},`);
      assert.deepEqual([await has(owner), await has(stranger)], [true, false], path);
    }
  }
});

test('a foreign record selects nothing, like a missing one', async () => {
  const row = (await service.list('start_date=2025-08-01&end_date=2025-08-01', { as: ben }))
    .transactions[0]!;
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

test('no list has a foreign record', async () => {
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

test('a list of synced crypto has no foreign account', async () => {
  for (const as of [ada, ben]) {
    const { text } = await service.ask('/v2/crypto/synced', { as });
    const { crypto_synced: accounts } = JSON.parse(text) as { crypto_synced: { id: number }[] };
    assert.deepEqual(
      accounts.map(({ id }) => id),
      [cryptoIds.get(as)],
    );
  }
});

test('a refresh of a foreign account calls no provider and changes nothing', async () => {
  const target = `/v2/crypto/synced/${cryptoIds.get(ada)}`;
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

test('an ETag of one book never matches in another, even at the same version', async () => {
  const [first, second] = [
    await addUser(service.engine, 'eve'),
    await addUser(service.engine, 'fay'),
  ];
  for (const target of ['/v2/categories', '/v2/transactions']) {
    const mark = header(await service.ask(target, { as: first }), 'ETag');
    const headers = ['If-None-Match', mark];
    assert.equal((await service.ask(target, { as: first, headers })).status, 304);
    assert.equal((await service.ask(target, { as: second, headers })).status, 200);
  }
});

test('pages of one book do not affect those of another, even at the same version', async () => {
  const [first, second] = [
    await addUser(service.engine, 'gil'),
    await addUser(service.engine, 'hal'),
  ];
  await addRows(service.engine, first, 30, '2025-03-01');
  await addRows(service.engine, second, 30, '2025-09-01');
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
