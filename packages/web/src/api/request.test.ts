import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { ApiError } from './errors.ts';
import { read } from './hooks.ts';
import { keys } from './keys.ts';
import { request, urlOf } from './request.ts';

/** Responds to each request with a status and a body, and returns what was sent. */
function serverOf(status: number, body: unknown): (readonly [url: string, init: RequestInit])[] {
  const sent: (readonly [string, RequestInit])[] = [];
  mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
    sent.push([url, init]);
    return Promise.resolve(new Response(body === null ? null : JSON.stringify(body), { status }));
  });
  return sent;
}

afterEach(() => mock.restoreAll());

test('a route has its parameters in the path and the query', () => {
  const path = { account_id: 7, symbol: 'a/b' };
  const query = { start_month: '2026-01', end_month: '' };
  assert.equal(
    urlOf('GET /v2/balance_history/crypto_synced/{account_id}/{symbol}', { path, query }),
    '/v2/balance_history/crypto_synced/7/a%2Fb?start_month=2026-01',
  );
});

test('JSON and forms are sent as they are', async () => {
  const sent = serverOf(201, {});
  await request('POST /v2/tags', { body: { name: 'shared' } });
  await request('POST /coffer/imports', { body: new FormData() });
  const [[, json], [, form]] = sent as [[string, RequestInit], [string, RequestInit]];
  assert.deepEqual([json.method, json.body], ['POST', '{"name":"shared"}']);
  assert.deepEqual(json.headers, {
    accept: 'application/json',
    'content-type': 'application/json',
  });
  assert.ok(form.body instanceof FormData);
  assert.deepEqual(form.headers, { accept: 'application/json', 'x-coffer-upload': '1' });
});

test('a response may have no content, and a refusal is an error', async () => {
  serverOf(204, null);
  await assert.doesNotReject(request('DELETE /v2/tags/{id}', { path: { id: 1 } }));
  serverOf(400, { message: 'Bad', errors: [{ errMsg: 'No name' }] });
  await assert.rejects(
    request('POST /v2/tags', { body: { name: '' } }),
    (error) => error instanceof ApiError && error.problems[0]?.errMsg === 'No name',
  );
});

/** Never called: the compiler refuses each of these lines, or it refuses the comment above it. */
async function refused(): Promise<void> {
  // @ts-expect-error There is no such path.
  await request('GET /v2/tag', {});
  // @ts-expect-error The path has no such method.
  await request('PUT /v2/tags', {});
  // @ts-expect-error The path has an id.
  await request('GET /v2/tags/{id}', {});
  // @ts-expect-error The query has another name.
  await request('GET /v2/categories', { query: { formt: 'flattened' } });
  // @ts-expect-error The query has other values.
  await request('GET /v2/categories', { query: { format: 'flat' } });
  // @ts-expect-error The query is required.
  await request('DELETE /v2/budgets', {});
  // @ts-expect-error The body is required.
  await request('POST /v2/tags', {});
  // @ts-expect-error The body has another field.
  await request('POST /v2/tags', { body: { name: 'shared', color: 'red' } });
  // @ts-expect-error The route has no body.
  await request('POST /coffer/undo', { body: { version: 7 } });
  // @ts-expect-error The response has another field.
  assert.ok((await request('GET /v2/tags', {})).tag);
  // @ts-expect-error A route that writes is not read.
  read(keys.tags, 'POST /v2/tags', {});
  // @ts-expect-error A read has the parameters of its route.
  read(keys.tags, 'GET /v2/tags/{id}', {});
}

test('what the document does not have is refused by the compiler', () => {
  assert.equal(typeof refused, 'function');
});
