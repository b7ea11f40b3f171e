import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { noPrivateTargets, type PrivateTargets, type Resolve } from '../outside/guarded-request.ts';
import { loopbackTargets, startReceiver } from './testing/receiver.ts';
import type { Behaviour, Receiver } from './testing/receiver.ts';
import { createWebhookSender, type WebhookSenderOptions } from './webhook-sender.ts';

const bookId = 7;
const encryptionKey = Buffer.alloc(32, 1);
const body = '{"type":"ping","data":{"text":"é€😀"}}';
const never = new AbortController().signal;

describe('the sender of webhooks', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());

  const senderOf = (options: Partial<WebhookSenderOptions> = {}) =>
    createWebhookSender({ encryptionKey, privateTargets: loopbackTargets, ...options });
  const sent = async (
    options: Partial<WebhookSenderOptions> = {},
    url = receiver.url,
    signal = never,
    ofBook = bookId,
  ) => {
    const { sealed } = (await senderOf().newSecret(ofBook))!;
    const message = { bookId, url, id: 'msg_1', body, secrets: [sealed] };
    return senderOf(options).send(message, signal);
  };

  it('signs by the specification, with each of several secrets', async () => {
    const sender = senderOf();
    const made = [(await sender.newSecret(bookId))!, (await sender.newSecret(bookId))!];
    const secrets = made.map(({ sealed }) => sealed);
    const message = { bookId, url: receiver.url, id: 'msg_1', body, secrets };
    const { durationMs, ...outcome } = await sender.send(message, never);
    assert.deepEqual(outcome, { status: 204, error: null, retryAfterMs: null });
    assert.ok(Number.isInteger(durationMs));

    const { headers, body: got } = receiver.received.at(-1)!;
    assert.equal(got, body);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['connection'], 'close');
    assert.equal(headers['webhook-signature']!.split(' ').length, 2);
    for (const { secret } of made) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const verifier = new Webhook(secret);
      assert.deepEqual(verifier.verify(got, headers), JSON.parse(body));
      const forged = (given: string, changes: object) => () =>
        verifier.verify(given, { ...headers, ...changes });
      const old = String(Number(headers['webhook-timestamp']) - 301);
      const replayed = forged(got, { 'webhook-timestamp': old });
      const altered = forged(got.replace('ping', 'pong'), {});
      const renamed = forged(got, { 'webhook-id': 'msg_2' });
      const unsigned = forged(got, { 'webhook-signature': `v1,${'A'.repeat(43)}=` });
      for (const refused of [replayed, altered, renamed, unsigned])
        assert.throws(refused, WebhookVerificationError);
    }
    const other = (await sender.newSecret(bookId))!;
    assert.throws(() => new Webhook(other.secret).verify(got, headers), WebhookVerificationError);
  });

  it('does not sign without the key of its secrets', async () => {
    const before = receiver.received.length;
    const refused = [{ encryptionKey: null }, { encryptionKey: Buffer.alloc(32, 2) }];
    const errors = await Promise.all(refused.map(async (options) => (await sent(options)).error));
    assert.match(errors.join('\n'), /no encryption key.*\n.*another encryption key/);
    assert.equal(await senderOf({ encryptionKey: null }).newSecret(bookId), null);
    assert.match((await sent({}, receiver.url, never, bookId + 1)).error!, /damaged/);
    assert.equal(receiver.received.length, before);
  });

  it('reports what a receiver does, and never follows a redirect', async () => {
    const busy = { status: 503, headers: { 'retry-after': '120' } };
    const moved = { status: 302, headers: { location: receiver.url } };
    const responses: readonly [Behaviour, number | null, string | null, number | null][] = [
      [200, 200, null, null],
      [299, 299, null, null],
      [300, 300, 'A redirect (300), which is not followed', null],
      [400, 400, 'The receiver responded with 400', null],
      [busy, 503, 'The receiver responded with 503', 120_000],
      [moved, 302, 'A redirect (302), which is not followed', null],
      ['drop', null, 'The receiver cannot be reached (ECONNRESET)', null],
    ];
    for (const [how, ...outcome] of responses) {
      receiver.behave(() => how);
      const before = receiver.received.length;
      const { status, error, retryAfterMs } = await sent();
      assert.deepEqual([status, error, retryAfterMs], outcome);
      assert.equal(receiver.received.length, before + 1);
    }
    receiver.behave(() => 'hang');
    assert.match((await sent({ timeoutMs: 20 })).error!, /did not respond in 0.02 s/);
    receiver.behave(() => 204);
    const closed = await startReceiver();
    await closed.close();
    assert.match((await sent({}, closed.url)).error!, /ECONNREFUSED/);
  });

  it('rejects when its caller ends it', async () => {
    receiver.behave(() => 'hang');
    const ended = new AbortController();
    const count = receiver.received.length + 1;
    const sending = sent({}, receiver.url, ended.signal);
    await receiver.count(count);
    ended.abort();
    await assert.rejects(sending, { name: 'AbortError' });
    receiver.behave(() => 204);
  });

  it('never connects to a private address, whatever its name resolves to', async () => {
    const before = receiver.received.length;
    const { port } = new URL(receiver.url);
    const named = (...addresses: string[]): Resolve => {
      const familyOf = (address: string) => (address.includes(':') ? 6 : 4);
      const found = addresses.map((address) => ({ address, family: familyOf(address) }));
      return (_host, callback) => callback(null, found);
    };
    const refused: [PrivateTargets, string, Resolve?][] = [
      [noPrivateTargets, receiver.url],
      [noPrivateTargets, `https://[::ffff:127.0.0.1]:${port}/`],
      [noPrivateTargets, 'https://169.254.169.254/latest/meta-data'],
      [loopbackTargets, `https://127.0.0.2:${port}/`],
      [noPrivateTargets, `https://hooks.example.com:${port}/`, named('127.0.0.1')],
      [noPrivateTargets, 'https://hooks.example.com/', named('203.0.113.9', '10.0.0.1')],
      [noPrivateTargets, 'https://hooks.example.com/', named('fe80::1%eth0')],
      [noPrivateTargets, 'https://hooks.example.com/', named()],
      [loopbackTargets, 'http://hooks.example.com/', named('8.8.8.8')],
      [loopbackTargets, 'http://8.8.8.8/'],
    ];
    for (const [privateTargets, url, resolve] of refused) {
      const { status, error } = await sent({ privateTargets, ...(resolve && { resolve }) }, url);
      assert.equal(status, null);
      assert.match(error!, /private network|must begin with https|no address/, url);
    }
    assert.equal(receiver.received.length, before);
    const local = { resolve: named('127.0.0.1') };
    assert.equal((await sent(local, `http://hooks.example.com:${port}/`)).status, 204);
  });

  it('accepts only URLs that can be targets', () => {
    const problems = (urls: readonly string[], privateTargets = noPrivateTargets) =>
      urls.filter((url) => senderOf({ privateTargets }).urlProblem(url) === null);
    const good =
      'https://hooks.example.com/a?b=c https://8.8.8.8:8443/ https://[2606:4700::1]/'.split(' ');
    const hosts = 'localhost 127.0.0.1 [::1] 2130706433 169.254.169.254 a:b@hooks.example.com';
    const bad = hosts.split(' ').map((host) => `https://${host}/`);
    bad.push('http://hooks.example.com/', 'ftp://hooks.example.com/', 'hooks.example.com', '');
    bad.push('https://hooks.example.com/#a', `https://hooks.example.com/${'a'.repeat(2000)}`);
    assert.deepEqual(problems([...good, ...bad]), good);
    const local = ['http://127.0.0.1:9/', 'http://printer.local/', 'http://hooks.example.com/'];
    const outside = ['http://127.0.0.2/', 'https://10.0.0.1/', 'http://8.8.8.8/'];
    assert.deepEqual(problems([...local, ...outside], loopbackTargets), local);
  });
});
