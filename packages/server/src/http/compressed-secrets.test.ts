import { componentOf } from '../operations/schema.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { operations } from '../all.ts';
import type { Operation } from '../operations/operation.ts';
import { noServices } from '../services.ts';
import { as, makeTestApp } from './testing/test-app.ts';
import { isNeverCompressed } from './routes.ts';

const all = operations(noServices);

/** The names of all texts in the response to a request that succeeds, at any depth. */
function textsOf(operation: Operation): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<object>();
  const walk = (schema: unknown, name: string): void => {
    if (typeof schema !== 'object' || schema === null || seen.has(schema)) return;
    seen.add(schema);
    const { type, properties, $ref, ...parts } = schema as Record<string, unknown>;
    if (type === 'string' || (Array.isArray(type) && type.includes('string'))) names.add(name);
    if (typeof $ref === 'string') walk(componentOf($ref.split('/').at(-1)!), name);
    for (const [each, inner] of Object.entries(Object(properties) as object)) walk(inner, each);
    for (const inner of Object.values(parts)) {
      if (Array.isArray(inner)) for (const each of inner as unknown[]) walk(each, name);
      else walk(inner, name);
    }
  };
  const { response } = operation.declaration;
  for (const component of [response.component, response.otherComponent])
    if (component !== undefined) walk(component, '');
  return names;
}

/** Names that a secret can have, whatever comes before or after. */
const secretNames =
  /secret|token|password|credential|challenge|signature|cookie|key|url|link|code$/;
/** Texts with such names that are no secrets, or that nobody else can add a text to. */
const harmless = new Set([
  'linked_by_name',
  'date_linked',
  'old_secret_until',
  'api_key_label',
  'keyword',
  'keys',
  // The URL of a webhook: its user has chosen all texts of the response.
  'getAllWebhooks url',
  'getWebhookById url',
  'updateWebhook url',
  'redeliverWebhook url',
]);

test('every operation whose response can have a secret is never compressed', () => {
  for (const operation of all) {
    const { id } = operation.declaration;
    for (const name of textsOf(operation))
      if (secretNames.test(name) && !harmless.has(name) && !harmless.has(`${id} ${name}`))
        assert.ok(isNeverCompressed(operation), `${id} has ${name}: declare it isSecret`);
  }
});

test('a secret with a long text and its errors are sent as they are, and the text without it compressed', async () => {
  const { app, ada } = await makeTestApp();
  const headers = { ...as(ada), 'accept-encoding': 'gzip', 'content-type': 'application/json' };
  const post = (url: string, body: object) =>
    app.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) });
  const made = await post('/coffer/webhooks', { url: `https://hooks.example/${'a'.repeat(1500)}` });
  assert.deepEqual([made.statusCode, made.headers['content-encoding']], [201, undefined]);
  assert.match(made.json<{ secret: string }>().secret, /^whsec_/);
  const listed = await app.inject({ url: '/coffer/webhooks', headers });
  assert.equal(listed.headers['content-encoding'], 'gzip');
  assert.match(gunzipSync(listed.rawPayload).toString(), /hooks\.example/);
  const wrong = { [`x${'y'.repeat(3000)}`]: 1 };
  for (const [url, coding] of [
    ['/coffer/webhooks', undefined],
    ['/v2/tags', 'gzip'],
  ] as const) {
    const answer = await post(url, wrong);
    assert.deepEqual([answer.statusCode, answer.headers['content-encoding']], [400, coding]);
  }
});
