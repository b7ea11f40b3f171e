import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bookClient } from './testing/book-client.ts';
import { as, makeTestApp, until } from './testing/test-app.ts';
import { assertCounted, assertErrorFormat } from './testing/test-answers.ts';
import { type CryptoReading } from '../sync/crypto/rules.ts';
import { CryptoRefreshError } from '../outside/provider-error.ts';
import { linkCryptoAccount } from '../sync/crypto/actions.ts';
import { changing, type Change } from '../book/change.ts';
import { createSession, identityOfSession } from '../identity/sessions/actions.ts';
import type { Identity } from '../operations/caller.ts';
import type { Engine } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { idempotencyKeys, tags } from '../db/tables/tables.ts';
import { created } from '../operations/responses.ts';
import { exampleOf } from '../operations/schema.ts';
import { Tag, TagInsert } from '../ledger/tags/schema.ts';
import { outside, write, type AnyRequest } from '../operations/operation.ts';
import { noServices } from '../services.ts';
import { RememberedKeys } from '../pages/remembered-keys.ts';

/** The result is resolved or rejected by a test. */
const reader = { reads: 0, result: new Promise<CryptoReading>(() => undefined) };
const read = () => {
  reader.reads += 1;
  return reader.result;
};
const made = await makeTestApp({ services: { ...noServices, cryptoReader: { read } } });
const { app, engine, ada, ben } = made;
const { changes } = bookClient(made, ada);

const post = (url: string, key: string, payload?: unknown, user = ada) =>
  app.inject({
    method: 'POST',
    url,
    headers: { ...as(user), 'content-type': 'application/json', 'idempotency-key': key },
    payload: payload === undefined ? '' : JSON.stringify(payload),
  });
const isReplayed = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers['idempotency-replayed'] === 'true';
const etag = async () => (await app.inject({ url: '/v2/me', headers: as(ada) })).headers['etag'];

describe('a request that is repeated with its key', () => {
  test('gets the first response again, and changes nothing', async () => {
    await changes();
    const first = await post('/v2/tags', 'one', { name: 'Holiday' });
    assert.deepEqual([first.statusCode, isReplayed(first)], [201, false]);
    const tag = await etag();
    for (let round = 0; round < 3; round += 1) {
      const again = await post('/v2/tags', 'one', { name: 'Holiday' });
      assert.deepEqual([again.statusCode, again.body, isReplayed(again)], [201, first.body, true]);
      assert.equal(again.headers['content-type'], first.headers['content-type']);
      assertCounted(again);
    }
    assert.equal(await etag(), tag);
    assert.deepEqual(await changes(), ['createTag']);
  });

  test('is refused if it is another request', async () => {
    const other = await post('/v2/tags', 'one', { name: 'Work' });
    assert.equal(other.statusCode, 422);
    assert.equal(assertErrorFormat(other).message, 'Unprocessable Content');
    assert.equal((await post('/v2/categories', 'one', { name: 'Work' })).statusCode, 201);
    assert.equal((await post('/v2/tags', 'one', { name: 'Work' }, ben)).statusCode, 201);
    assert.deepEqual(await changes(), ['createCategory']);
  });

  test('may follow a failed one, which is not kept', async () => {
    assert.equal((await post('/v2/tags', 'two', { name: 'Holiday' })).statusCode, 400);
    assert.equal((await post('/v2/tags', 'two', { name: '' })).statusCode, 400);
    await engine.failing('write books', new Error('planted'), async () =>
      assert.equal((await post('/v2/tags', 'two', { name: 'New' })).statusCode, 500),
    );
    const done = await post('/v2/tags', 'two', { name: 'New' });
    assert.deepEqual([done.statusCode, isReplayed(done)], [201, false]);
    assert.deepEqual(await changes(), ['createTag']);
  });

  test('does the same under /coffer/, and not for a preview or another method', async () => {
    const conditions = { amount: { sign: 'debit' } };
    const rule = { name: 'n', conditions, actions: { reviewed: true } };
    const first = await post('/coffer/rules', 'r', rule);
    const second = await post('/coffer/rules', 'r', rule);
    assert.deepEqual([first.statusCode, second.body, isReplayed(second)], [201, first.body, true]);
    for (let round = 0; round < 2; round += 1) {
      const preview = await post('/coffer/rules/preview', 'p', { transactions: round + 1 });
      assert.equal(preview.statusCode, 200);
    }
    const { id } = JSON.parse(first.body) as { id: number };
    for (const name of ['x', 'y']) {
      const headers = { ...as(ada), 'idempotency-key': 'u', 'content-type': 'application/json' };
      const url = `/coffer/rules/${id}`;
      const { statusCode } = await app.inject({ method: 'PUT', url, headers, payload: { name } });
      assert.equal(statusCode, 200);
    }
    await changes();
  });
});

test('a key has 1 to 255 characters, no control characters, and one line', async () => {
  for (const key of ['', 'x'.repeat(256), 'a\tb', 'a\u0085b']) {
    const refused = await post('/v2/tags', key, { name: 'Never' });
    assert.equal(refused.statusCode, 400, JSON.stringify(key));
    assert.equal(assertErrorFormat(refused).errors[0]?.['instancePath'], '/header/Idempotency-Key');
  }
  const twice = { ...as(ada), 'idempotency-key': ['a', 'b'], 'content-type': 'application/json' };
  const headers = twice as unknown as Record<string, string>;
  const sent = { method: 'POST', url: '/v2/tags', headers, payload: { name: 'Never' } } as const;
  assert.equal((await app.inject(sent)).statusCode, 400);
  assert.deepEqual(await changes(), []);
  const longest = 'é'.repeat(255);
  assert.equal((await post('/v2/tags', longest, { name: 'Longest' })).statusCode, 201);
  assert.equal((await post('/v2/tags', longest, { name: 'Longest' })).statusCode, 201);
  assert.deepEqual(await changes(), ['createTag']);
});

describe('a request that calls a provider', async () => {
  const account = await linkCryptoAccount(engine, ada.identity.book.id, {
    provider: 'kraken',
    display_name: null,
    sealed_credentials: Uint8Array.of(1),
  });
  const url = `/v2/crypto/synced/${account}/refresh`;
  const reading = { readAtIso: '2023-11-14T22:00:00.000Z', balances: [] };

  test('is performed once; while it is under way, an equal one is 409', async () => {
    const { promise, resolve } = Promise.withResolvers<CryptoReading>();
    Object.assign(reader, { reads: 0, result: promise });
    const first = post(url, 'refresh');
    await until(() => reader.reads === 1);
    const second = await post(url, 'refresh');
    assert.equal(second.statusCode, 409);
    assert.equal(second.headers['retry-after'], '1');
    assertErrorFormat(second);
    resolve(reading);
    const { statusCode, body } = await first;
    assert.equal(statusCode, 200);
    const third = await post(url, 'refresh');
    assert.deepEqual([third.statusCode, third.body, isReplayed(third)], [200, body, true]);
    assert.equal(reader.reads, 1);
    const other = await post('/v2/crypto/synced/999/refresh', 'refresh');
    assert.equal(other.statusCode, 422);
  });

  test('gives its claim back when it fails', async () => {
    const error = new CryptoRefreshError('timeout', 'planted');
    Object.assign(reader, { reads: 0, result: Promise.reject(error) });
    assert.equal((await post(url, 'again')).statusCode, 504);
    reader.result = Promise.resolve({ ...reading, readAtIso: '2023-11-14T22:01:00.000Z' });
    const done = await post(url, 'again');
    assert.deepEqual([done.statusCode, isReplayed(done), reader.reads], [200, false, 2]);
  });

  test('whose response could not be kept still has its effect and its response', async () => {
    reader.result = Promise.resolve({ ...reading, readAtIso: '2023-11-14T22:02:00.000Z' });
    const { calls } = engine;
    await engine.failing('write idempotency_keys', new Error('planted'), async () => {
      const { statusCode } = await post(url, 'lost');
      assert.deepEqual([statusCode, calls.at(-1)], [200, 'write idempotency_keys']);
    });
    assert.equal((await post(url, 'lost')).statusCode, 409);
  });
});

const declaration = {
  id: 'createSecret',
  path: '/coffer/secrets',
  tag: 'tags',
  summary: '',
  isSecret: true,
  body: TagInsert,
  response: created(Tag, ''),
} as const;

const { identity } = ada;
const bookId = identity.book.id;

/** A request as an operation gets it. */
function requestOf(idempotencyKey: string, body: object): AnyRequest {
  const pageKeys = new RememberedKeys(1);
  return { identity, bookId, pageKeys, idempotencyKey, params: {}, query: {}, body };
}

test('a response with a secret is never stored, and its request is not repeated', async () => {
  const secret = 'secret-7c1f';
  const wire = { ...exampleOf(Tag), name: secret };
  const insert = (change: Change) => change.insert(tags, { name: `made ${change.version}` });
  const cause = { bookId, actor: 'test', operation: 'outside' };
  const operations = [
    write('POST', declaration, function* (_request, change) {
      yield* insert(change);
      return wire;
    }),
    outside('POST', declaration, async (_request, store: Engine) => {
      await store.write(() => changing(cause, insert));
      return wire;
    }),
  ];
  await changes();
  for (const [at, operation] of operations.entries()) {
    const request = requestOf(`secret ${at}`, { name: 'x' });
    assert.equal(await operation.run(engine, request), wire);
    await assert.rejects(operation.run(engine, request), { kind: 'idempotencyKeyInUse' });
    const request_key = `secret ${at}`;
    const row = await engine.read(() => find(idempotencyKeys, { request_key }));
    assert.deepEqual([row?.status, row?.body], [201, null]);
    assert.ok(!JSON.stringify(row).includes(secret));
  }
  assert.equal((await changes()).length, 2);
});

test('what a user types in the browser is kept for 90 days, for every session of the user', async () => {
  const operation = write(
    'POST',
    { ...declaration, isSecret: false },
    function* (_request, change) {
      yield* change.insert(tags, { name: `typed ${change.version}` });
      return exampleOf(Tag);
    },
  );
  const signIn = (): Promise<Identity | null> =>
    engine.write(function* () {
      const of = { userId: identity.user.id, bookId, userAgent: null, replaces: null };
      const { hash } = yield* createSession({ ...of, method: 'password' });
      return yield* identityOfSession(hash, bookId);
    });
  const send = async (sender: Identity | null) =>
    operation.run(engine, { ...requestOf('typed', { name: 'x' }), identity: sender! });
  await changes();
  await send(await signIn());
  await send(await signIn());
  assert.equal((await changes()).length, 1);
  await send(identity);
  assert.equal((await changes()).length, 1);
  const untilMs = async (token_id: number) =>
    (await engine.read(() => find(idempotencyKeys, { request_key: 'typed', token_id })))!
      .expires_at_ms;
  const aheadMs = (await untilMs(-identity.user.id)) - (await untilMs(identity.callerId));
  assert.equal(Math.round(aheadMs / 86_400_000), 89);
});

test('the bytes of a file are part of what makes requests equal', async () => {
  const operation = write('POST', declaration, function* (_request, change) {
    yield* change.insert(tags, { name: `file ${change.version}` });
    return exampleOf(Tag);
  });
  const send = (file: Uint8Array) => operation.run(engine, requestOf('file', { file }));
  await send(Buffer.from('one'));
  const same = Uint8Array.from(Buffer.from('one'));
  await assert.rejects(send(same), { kind: 'idempotencyKeyInUse' });
  await assert.rejects(send(Buffer.from('two')), { kind: 'idempotencyKeyReused' });
});
