import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, test } from 'node:test';
import { exchange, numberIn } from '../../service/http-exchange.ts';
import { newAddress, startService, type Service } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());
const proxied = await startService({ trustedProxies: '127.200.0.0/16, 198.51.100.0/24' });
after(() => proxied.close());

/** Few runs: the proof F5 repeats it with other servers. */
const rounds = 5;
const burst = 400;
const proxy = '127.200.0.1';

test('of 400 requests at once from one address exactly 100 pass, every time', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const from = newAddress();
    const agent = new Agent({ keepAlive: true, maxSockets: burst });
    // Without a token: requests with 401 have passed the limiter.
    const asked = Array.from({ length: burst }, () =>
      service.ask('/v2/me', { from, agent, as: null }),
    );
    const answers = await Promise.all(asked);
    agent.destroy();
    const passed = answers.filter(({ status }) => status === 401);
    assert.equal(answers.filter(({ status }) => status === 429).length, burst - 100);
    const remaining = passed.map((answer) => numberIn(answer, 'RateLimit-Remaining'));
    assert.deepEqual(
      remaining.toSorted((a, b) => a - b),
      Array.from({ length: 100 }, (_, n) => n),
    );
    const resets = new Set(answers.map((answer) => numberIn(answer, 'RateLimit-Reset')));
    assert.equal(resets.size, 1);
  }
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

test('the last entry that is not a trusted proxy is the client', async () => {
  const client = '203.0.113.20';
  assert.equal(await remainingFor(proxied, proxy, [client]), 99);
  const chains = [
    [`6.6.6.6, ${client}`],
    [`${client}, 198.51.100.7`],
    [`6.6.6.6, ${client} , 198.51.100.7,127.200.0.9`],
    ['6.6.6.6', client],
    [client, '198.51.100.7'],
    [`not an address, ${client}`],
    [`${client}:4711`],
  ];
  for (const [n, lines] of chains.entries()) {
    assert.equal(await remainingFor(proxied, proxy, lines), 98 - n, lines.join(' | '));
  }
});

test('after an invalid entry, the last valid one is the client', async () => {
  assert.equal(await remainingFor(proxied, proxy, ['198.51.100.33']), 99);
  const remaining = await remainingFor(proxied, proxy, ['203.0.113.30, unknown, 198.51.100.33']);
  assert.equal(remaining, 98);
});

test('other headers about the client are ignored', async () => {
  const from = '127.200.3.3';
  const names = ['Forwarded', 'X-Real-IP', 'CF-Connecting-IP', 'True-Client-IP', 'X-Client-IP'];
  for (const [n, name] of names.entries()) {
    const value = name === 'Forwarded' ? 'for=203.0.113.40' : '203.0.113.40';
    assert.equal(await remainingFor(proxied, from, [value], name), 99 - n, name);
  }
});

test('all notations of an address are one client', async () => {
  const notations = [
    ...['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201', '::FFFF:C000:0201'],
    ...['0:0:0:0:0:ffff:192.0.2.1', '[::ffff:192.0.2.1]:80', '192.0.2.1:80'],
  ];
  for (const [n, text] of notations.entries()) {
    assert.equal(await remainingFor(proxied, proxy, [text]), 99 - n, text);
  }
});

test('addresses of one IPv6 /64 are one client, of two /64 two clients', async () => {
  const one = [
    '2001:db8:0:1::1',
    '2001:db8:0:1:ffff::',
    '2001:DB8:0:1:0:0:0:2',
    '2001:db8:0:1::%a',
  ];
  for (const [n, text] of one.entries()) {
    assert.equal(await remainingFor(proxied, proxy, [text]), 99 - n, text);
  }
  assert.equal(await remainingFor(proxied, proxy, ['2001:db8:0:2::1']), 99);
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

test('a request on a kept connection counts like any other', async () => {
  const from = newAddress();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const question = { method: 'GET', target: '/v2/me', headers: [], from, agent };
  for (let n = 0; n < 10; n += 1) {
    const answer = await exchange(service.port, question);
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), 99 - n);
  }
  agent.destroy();
});
