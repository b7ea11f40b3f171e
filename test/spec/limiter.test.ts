import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { after, test } from 'node:test';
import { ManualClock } from '../../packages/server/src/limiter/testing/manual-clock.ts';
import { sixHeaders } from '../service/document-check.ts';
import { header, numberIn, newAddress } from '../service/http-exchange.ts';
import { startService, startServiceWith, type Service } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());
const proxied = await startService({ trustedProxies: '127.200.0.0/16, 198.51.100.0/24' });
after(() => proxied.close());
const clock = new ManualClock(5_000_000, 1_700_000_000_250_000);
const clocked = await startServiceWith(clock);
after(() => clocked.close());

const proxy = '127.200.0.1';

test('of 400 requests at once from one address exactly 100 pass', async () => {
  const from = newAddress();
  const agent = new Agent({ keepAlive: true, maxSockets: 400 });
  // Without a token: requests with 401 have passed the limiter.
  const asked = Array.from({ length: 400 }, () => service.ask('/v2/me', { from, agent, as: null }));
  const answers = await Promise.all(asked);
  agent.destroy();
  assert.equal(answers.filter(({ status }) => status === 401).length, 100);
  assert.equal(answers.filter(({ status }) => status === 429).length, 300);
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

/** Paths that are /v2/me but do not look like it, or the other way round. */
const oddTargets = [
  '/v2/me/',
  '/v2/me?',
  '/v2/m%65',
  '/%76%32/me',
  '/v%32/me',
  '/%762/me',
  '/v2%2Fme',
  '/%2Fv2/me',
  '//v2/me',
  '/V2/me',
  '/v2//me',
  '/./v2/me',
  '/x/../v2/me',
  '/v2/./me',
  '/v2/../v1/me',
  '/v2\\me',
  '/v2;a=b/me',
  '/v2/me;a=b',
  '/v2/me%00',
  '/v2/me%20',
  '/%2576%32/me',
  '/v1/../v2/me',
  '/v2',
  '/v2?x',
];

test('every request that reaches an operation counts, however its path is written', async () => {
  for (const target of oddTargets) {
    const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.ada.token}\r\nConnection: close\r\n\r\n`;
    const answer = await service.sendBytes(text);
    assert.ok([200, 400, 404].includes(answer.status), `${target}: ${answer.status}`);
    if (answer.status !== 200) continue;
    for (const name of sixHeaders) assert.match(header(answer, name), /^\d+$/, target);
    assert.equal(header(answer, 'RateLimit-Remaining'), '99', target);
  }
});

test('when the system clock is set, clients do not wait longer, and Reset follows', async () => {
  const from = newAddress();
  const first = numberIn(await clocked.ask('/v2/me', { from }), 'RateLimit-Reset');
  for (const [shiftMs, isFollowed] of [
    // A drift of half a second is ignored, even if it changes the second.
    [-400, false],
    [400, false],
    [3_600_000, true],
    [-7_200_000, true],
    [3_600_000, true],
  ] as const) {
    clock.setWallForward(shiftMs);
    const reset = numberIn(await clocked.ask('/v2/me', { from }), 'RateLimit-Reset');
    assert.ok(Math.abs(reset - Math.ceil((clock.wallMs() + 60_000) / 1000)) <= 1, `${shiftMs}`);
    if (!isFollowed) assert.equal(reset, first);
  }
  const asked = Array.from({ length: 110 }, () => clocked.ask('/v2/me', { from }));
  const refused = (await Promise.all(asked)).filter(({ status }) => status === 429);
  assert.equal(refused.length, 16);
  for (const answer of refused) assert.equal(numberIn(answer, 'Retry-After'), 60);
});
