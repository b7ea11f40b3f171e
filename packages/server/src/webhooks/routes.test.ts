import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { startReceiver } from './testing/receiver.ts';
import { testSender } from './testing/test-sender.ts';
import { pick } from '../http/testing/pick.ts';
import { openBooks, strictClient } from '../http/testing/strict-client.ts';
import { makeTestApp } from '../http/testing/test-app.ts';
import { noServices } from '../services.ts';
import { keptAttempts, maxWebhooks } from './rules.ts';
import type { NewWebhook, Webhook, WebhookAttempt } from './schema.ts';

const receiver = await startReceiver();
after(() => receiver.close());
const { made, ok, status, refused, ben } = await openBooks({
  services: { ...noServices, webhookSender: testSender() },
});
const url = '/coffer/webhooks';

type Attempts = Readonly<{ attempts: readonly WebhookAttempt[]; has_more: boolean }>;
type Redelivered = Readonly<{ webhook: Webhook; attempt: WebhookAttempt | null }>;

beforeEach(async () => {
  receiver.behave(() => 204);
  for (const { id } of (await ok<{ webhooks: Webhook[] }>('GET', url)).webhooks)
    await ok('DELETE', `${url}/${id}`);
});

const create = (more: object = {}) => ok<NewWebhook>('POST', url, { url: receiver.url, ...more });
const newTag = (name: string) => ok('POST', '/v2/tags', { name });

test('webhooks are created, listed, found, updated and deleted; the secret is shown once', async () => {
  const more = { description: 'Mine', records: ['tags'], kinds: ['made', 'removed'] };
  const { secret, ...webhook } = await create(more);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { id, position, created_by, created_at, ...rest } = webhook;
  assert.deepEqual(rest, {
    url: receiver.url,
    ...more,
    status: 'enabled',
    disabled: null,
    failures: 0,
    next_attempt_at: null,
    delivered_at: null,
    old_secret_until: null,
    updated_at: created_at,
  });
  const identity = made.ada.identity;
  const place = `${identity.databaseId}.${identity.book.id}`;
  assert.equal(position, `${place}.${identity.book.version + 1}.0.0`);
  assert.equal(created_by, `token ${identity.callerId}`);
  const one = `${url}/${id}`;
  assert.deepEqual(await ok('GET', one), webhook);
  assert.deepEqual(await ok('GET', url), { webhooks: [webhook] });
  assert.deepEqual(await ben.ok('GET', url), { webhooks: [] });

  const changes = { url: `${receiver.url}/2`, description: null, records: null, kinds: null };
  const off = await ok<Webhook>('PUT', one, { ...changes, enabled: false });
  const { updated_at } = off;
  const disabled = { reason: 'request', message: 'It was disabled on request' };
  assert.deepEqual(off, {
    ...webhook,
    ...changes,
    status: 'disabled',
    updated_at,
    disabled: { ...disabled, at: off.disabled!.at },
  });
  const on = await ok<Webhook>('PUT', one, { enabled: true });
  assert.deepEqual([on.status, on.disabled, on.position], ['enabled', null, position]);
  await ok('DELETE', one);
  assert.equal(await status('GET', one), 404);
});

test('bad webhooks are refused, and nothing changes', async () => {
  const good = { url: receiver.url };
  const bad: [body: object, error: RegExp][] = [
    [{}, /url/],
    [{ url: 'http://10.0.0.1/' }, /private network/],
    [{ url: 'http://a:b@127.0.0.1/' }, /user, a password/],
    [{ url: 'javascript:alert(1)' }, /https:/],
    [{ ...good, records: [] }, /records/],
    [{ ...good, records: ['import_forms'] }, /records/],
    [{ ...good, kinds: ['made', 'made'] }, /kinds/],
    [{ ...good, kinds: ['exploded'] }, /kinds/],
    [{ ...good, after: 'yesterday' }, /after must be a position/],
    [{ ...good, description: 'a'.repeat(201) }, /description/],
    [{ ...good, secret: 'whsec_AAAA' }, /secret/],
  ];
  for (const [body, error] of bad)
    assert.match(JSON.stringify(await refused('POST', url, body)), error);
  const gone = [{ after: '999' }, { after: `${'0'.repeat(32)}.1.1.0.0` }];
  for (const body of gone) assert.equal(await status('POST', url, { ...good, ...body }), 410);
  const { id } = await create();
  for (const [body, error] of bad.filter(([each]) => 'url' in each && !('after' in each)))
    assert.match(JSON.stringify(await refused('PUT', `${url}/${id}`, body)), error);
  for (let n = 1; n < maxWebhooks; n += 1) await create();
  assert.match(JSON.stringify(await refused('POST', url, good)), /can have 20 webhooks/);
  const bare = await makeTestApp({ services: noServices });
  const keyless = await strictClient(bare, bare.ada).send('POST', url, good);
  assert.equal(keyless.status, 409);
  assert.match(JSON.stringify(keyless.body), /set ENCRYPTION_KEY/);
});

test('a test message is sent now, and a rotated secret signs together with the old one', async () => {
  const { id, secret } = await create();
  const ping = () => ok<WebhookAttempt>('POST', `${url}/${id}/ping`);
  const { at, duration_ms, message_id, ...attempt } = await ping();
  assert.ok(Date.parse(at) > 0 && duration_ms >= 0);
  assert.deepEqual(attempt, {
    number: 1,
    kind: 'ping',
    delivered: true,
    status: 204,
    error: null,
    changes: 0,
  });
  const { headers, body } = receiver.received.at(-1)!;
  assert.equal(headers['webhook-id'], message_id);
  const { type, data } = JSON.parse(body) as { type: string; data: object };
  assert.deepEqual([type, data], ['ping', { book_id: made.ada.identity.book.id }]);

  const rotate = (keep_hours: number) =>
    ok<NewWebhook>('POST', `${url}/${id}/rotate`, { keep_hours });
  const isValid = (by: string): boolean => {
    const { headers: sent, body: text } = receiver.received.at(-1)!;
    try {
      return new Verifier(by).verify(text, sent) !== undefined;
    } catch {
      return false;
    }
  };
  const second = await rotate(1);
  assert.notEqual(second.secret, secret);
  assert.equal(Date.parse(second.old_secret_until!) - made.clock.wallMs(), 3_600_000);
  await ping();
  assert.deepEqual([isValid(secret), isValid(second.secret)], [true, true]);
  made.clock.advance(3_600_000);
  await ping();
  assert.deepEqual([isValid(secret), isValid(second.secret)], [false, true]);
  assert.equal((await ok<Webhook>('GET', `${url}/${id}`)).old_secret_until, null);
  const third = await rotate(0);
  await ping();
  assert.deepEqual([isValid(second.secret), isValid(third.secret)], [false, true]);

  receiver.behave(() => 500);
  assert.equal((await ping()).error, 'The receiver responded with 500');
  assert.equal((await ok<Webhook>('GET', `${url}/${id}`)).status, 'enabled');
});

test('events are delivered again from a position on, or one of them now', async () => {
  const version = made.ada.identity.book.version;
  await newTag('first');
  const { id } = await create({ after: String(version) });
  const one = `${url}/${id}/redeliver`;
  const redeliver = (body: object) => ok<Redelivered>('POST', one, body);
  const { position } = (await redeliver({ after: 'latest' })).webhook;
  await newTag('second');
  const back = await redeliver({ after: String(version) });
  assert.equal(back.attempt, null);
  assert.notEqual(back.webhook.position, position);
  assert.equal((await redeliver({ after: position })).webhook.position, position);

  await ok('POST', `${url}/${id}/ping`);
  const problems = [{ attempt: 1 }, {}, { attempt: 1, after: 'latest' }, { attempt: 'x' }];
  for (const body of problems) await refused('POST', one, body);
  assert.equal(await status('POST', one, { attempt: 9 }), 404);
  assert.equal(await status('POST', one, { after: '999' }), 410);
});

test('attempts are listed in pages, the latest first, and only the last are kept', async () => {
  const { id } = await create();
  for (let n = 0; n < keptAttempts + 5; n += 1) await ok('POST', `${url}/${id}/ping`);
  const page = (query: string) => ok<Attempts>('GET', `${url}/${id}/attempts${query}`);
  const first = await page('?limit=60');
  const second = await page(`?limit=60&before=${first.attempts.at(-1)!.number}`);
  assert.deepEqual([first.has_more, second.has_more], [true, false]);
  const numbers = pick([...first.attempts, ...second.attempts], 'number');
  const latest = Array.from({ length: keptAttempts }, (_, at) => keptAttempts + 5 - at);
  assert.deepEqual(numbers, latest);
  const last = receiver.received.at(-1)!.headers['webhook-id'];
  assert.equal(first.attempts[0]!.message_id, last);
  assert.equal((await page('')).attempts.length, 20);
  await refused('GET', `${url}/${id}/attempts?limit=101`);
});
