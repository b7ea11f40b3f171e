import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sixHeaders } from '../../service/document-check.ts';
import { header, numberIn } from '../../service/http-exchange.ts';
import { newAddress, startService, startServiceWith } from '../../service/started-service.ts';
import { ManualClock } from '../../../packages/server/src/limiter/testing/manual-clock.ts';

const service = await startService();
after(() => service.close());
const clock = new ManualClock(5_000_000, 1_700_000_000_250_000);
const clocked = await startServiceWith(clock);
after(() => clocked.close());

/** Paths that are /v2/me but do not look like it, or the other way round. */
const oddTargets = [
  ...['/v2/me/', '/v2/me?', '/v2/m%65', '/%76%32/me', '/v%32/me', '/%762/me'],
  ...['/v2%2Fme', '/%2Fv2/me', '//v2/me', '/V2/me', '/v2//me', '/./v2/me'],
  ...['/x/../v2/me', '/v2/./me', '/v2/../v1/me', '/v2\\me', '/v2;a=b/me', '/v2/me;a=b'],
  ...['/v2/me%00', '/v2/me%20', '/%2576%32/me', '/v1/../v2/me', '/v2', '/v2?x'],
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
