import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, test } from 'node:test';
import { numberIn } from '../../service/http-exchange.ts';
import { newAddress, startService, type Service } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());
const proxied = await startService({ trustedProxies: '127.200.0.0/16, 198.51.100.0/24' });
after(() => proxied.close());

const proxy = '127.200.0.1';

test('of 400 requests at once from one address exactly 100 pass', async () => {
  const from = newAddress();
  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  // Without a token: requests with 401 have passed the limiter.
  const asked = Array.from({ length: 400 }, () => service.ask('/v2/me', { from, agent, as: null }));
  const answers = await Promise.all(asked);
  agent.destroy();
  const passed = answers.filter(({ status }) => status === 401);
  assert.equal(answers.filter(({ status }) => status === 429).length, 300);
  const remaining = passed.map((answer) => numberIn(answer, 'RateLimit-Remaining'));
  const each = Array.from({ length: 100 }, (_, n) => n);
  assert.deepEqual(
    remaining.toSorted((a, b) => a - b),
    each,
  );
  const resets = new Set(answers.map((answer) => numberIn(answer, 'RateLimit-Reset')));
  assert.equal(resets.size, 1);
});

/** Returns the remaining requests after one from `from` with `lines` in X-Forwarded-For. */
async function remainingFor(
  { ask }: Service,
  from: string,
  lines: readonly string[],
  name = 'X-Forwarded-For',
): Promise<number> {
  const headers = lines.flatMap((line) => [name, line]);
  return numberIn(await ask('/v2/me', { from, headers }), 'RateLimit-Remaining');
}

test('a client cannot change its quota by X-Forwarded-For', async () => {
  const from = newAddress();
  for (let n = 0; n < 30; n += 1) {
    assert.equal(await remainingFor(service, from, [`203.0.113.${n}`]), 99 - n);
  }
  const untrusted = newAddress();
  assert.equal(await remainingFor(proxied, untrusted, ['203.0.113.1']), 99);
  assert.equal(await remainingFor(proxied, untrusted, ['203.0.113.2']), 98);
});

test('a trusted proxy forwards its clients, each with its own quota', async () => {
  assert.equal(await remainingFor(proxied, proxy, ['203.0.113.10']), 99);
  assert.equal(await remainingFor(proxied, proxy, ['203.0.113.11']), 99);
  assert.equal(await remainingFor(proxied, '127.200.9.9', ['203.0.113.10']), 98);
});

test('other headers about the client are ignored', async () => {
  const from = '127.200.3.3';
  const names = ['Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP'];
  for (const [n, name] of names.entries()) {
    const value = name === 'Forwarded' ? 'for=203.0.113.40' : '203.0.113.40';
    assert.equal(await remainingFor(proxied, from, [value], name), 99 - n, name);
  }
});

test('on a socket for IPv4 and IPv6 each IPv4 address is its own client', async (t) => {
  const both = await startService({ host: '::' }).catch(() => undefined);
  if (both === undefined) {
    t.skip('missing: IPv6');
    return;
  }
  const [one, other] = [newAddress(), newAddress()];
  assert.equal(await remainingFor(both, one, []), 99);
  assert.equal(await remainingFor(both, one, []), 98);
  assert.equal(await remainingFor(both, other, []), 99);
  await both.close();
});

test('a restarted service has no counts except shared ones', async (t) => {
  const from = newAddress();
  const first = await startService();
  const left = await remainingFor(first, from, []);
  await first.close();
  const second = await startService({ redis: first.redis });
  t.after(() => second.close());
  assert.equal(left, 99);
  assert.equal(await remainingFor(second, from, []), first.redis === '' ? 99 : 98);
});
