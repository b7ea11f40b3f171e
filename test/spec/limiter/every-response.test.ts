import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DatabaseError } from '../../../packages/server/src/db/errors.ts';
import { sixHeaders } from '../../service/document-check.ts';
import { header, numberIn, type Answer } from '../../service/http-exchange.ts';
import {
  newAddress,
  startService,
  startServiceWith,
  type Asking,
} from '../../service/started-service.ts';
import { ManualClock } from '../../../packages/server/src/limiter/testing/manual-clock.ts';

const service = await startService();
after(() => service.close());
const clock = new ManualClock(5_000_000, 1_700_000_000_250_000);
let fault: Error = new Error('The disk was removed');
const broken = await startServiceWith(clock, { faults: { read: () => Promise.reject(fault) } });
after(() => broken.close());

const json = ['Content-Type', 'application/json'];
const etag = header(await service.ask('/v2/me'), 'ETag');

const answers: readonly (readonly [number, string, Asking?])[] = [
  [200, '/v2/me'],
  [200, '/%76%32/me'],
  [200, '/v2/me', { method: 'HEAD' }],
  [200, '/v2/me', { headers: ['Expect', 'something'] }],
  [204, '/v2/me', { method: 'OPTIONS' }],
  [
    204,
    '/v2/me',
    {
      method: 'OPTIONS',
      headers: ['Origin', 'http://a', 'Access-Control-Request-Method', 'GET'],
    },
  ],
  [304, '/v2/me', { headers: ['If-None-Match', etag] }],
  [304, '/v2/me', { method: 'HEAD', headers: ['If-None-Match', etag] }],
  [400, '/v2/transactions?limit=0'],
  [400, '/v2/transactions/abc'],
  [400, '/v2/%zz'],
  [400, '/v2/me', { headers: json, body: '{' }],
  [401, '/v2/me', { as: null }],
  [401, '/v2/nothing', { as: null }],
  [404, '/v2/transactions/999999'],
  [404, '/v2/nothing'],
  [404, '/v2/'],
  [404, '/v1/'],
  [404, '/v2/../v2/me'],
  [404, '/v2//me'],
  [405, '/v1/tags', { method: 'PUT' }],
  [405, '/v2/me', { method: 'DELETE' }],
  [405, '/v2/transactions', { method: 'PATCH', headers: json, body: '{}' }],
  [413, '/v2/me', { headers: ['Content-Length', '1048577'] }],
  [415, '/v2/me', { headers: ['Content-Type', 'text/plain'], body: 'x' }],
];

test('each kind of response counts once and has the headers', async () => {
  const from = newAddress();
  let remaining = 100;
  for (const [status, target, asking] of answers) {
    const answer = await service.ask(target, { ...asking, from });
    remaining -= 1;
    assert.equal(answer.status, status, `${target}: ${answer.text}`);
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), remaining, `${status} ${target}`);
  }
});

test('refused requests count towards the limit', async () => {
  for (const [status, target, asking] of answers.filter(([status]) => status >= 400)) {
    const from = newAddress();
    const asked = Array.from({ length: 100 }, () => service.ask(target, { ...asking, from }));
    for (const answer of await Promise.all(asked)) assert.equal(answer.status, status, target);
    assert.equal((await service.ask('/v2/me', { from })).status, 429, `${status} ${target}`);
  }
});

test('errors in the service count, have the headers and show no details', async () => {
  const from = newAddress();
  const faulty = await broken.ask('/v2/transactions', { from });
  assert.equal(faulty.status, 500);
  assert.equal(numberIn(faulty, 'RateLimit-Remaining'), 99);
  assert.doesNotMatch(faulty.text, /disk/);
  fault = new DatabaseError('busy', 'planted');
  const busy = await broken.ask('/v2/transactions', { from });
  assert.equal(busy.status, 503);
  assert.equal(numberIn(busy, 'RateLimit-Remaining'), 98);
  assert.equal((await broken.ask('/v2/me', { from })).status, 200);
});

/** Paths that are /v2/me but do not look like it, or the other way round. */
const oddTargets = [
  ...[
    '/v2/me/',
    '/v2/me?',
    '/v2/m%65',
    '/%76%32/me',
    '/v%32/me',
    '/%762/me',
    '/v2%2Fme',
    '/%2Fv2/me',
  ],
  ...[
    '//v2/me',
    '/V2/me',
    '/v2//me',
    '/./v2/me',
    '/x/../v2/me',
    '/v2/./me',
    '/v2/../v1/me',
    '/v2\\me',
  ],
  ...[
    '/v2;a=b/me',
    '/v2/me;a=b',
    '/v2/me%00',
    '/v2/me%20',
    '/%2576%32/me',
    '/v1/../v2/me',
    '/v2',
    '/v2?x',
  ],
];

test('every request that reaches an operation counts, however its path is written', async () => {
  for (const target of oddTargets) {
    const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.ada.token}\r\nConnection: close\r\n\r\n`;
    const answer = await service.sendBytes(text);
    assert.ok([200, 400, 404].includes(answer.status), `${target}: ${answer.status}`);
    if (answer.status === 200) assertCounted(answer, target);
  }
});

test('a target with scheme and host counts by its path', async () => {
  for (const scheme of ['http', 'HTTP', 'https']) {
    const text = `GET ${scheme}://a/v2/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const answer = await service.sendBytes(text);
    assert.equal(answer.status, 401);
    assertCounted(answer, scheme);
  }
});

function assertCounted(answer: Answer, place: string): void {
  for (const name of sixHeaders) assert.match(header(answer, name), /^\d+$/, place);
  assert.equal(header(answer, 'RateLimit-Remaining'), '99', place);
}

test('a request without Host, or with two, is refused and counts', async () => {
  const from = newAddress();
  const authorization = `Authorization: Bearer ${service.ada.token}\r\nConnection: close\r\n\r\n`;
  for (const [place, hosts] of ['', 'Host: a\r\nHost: b\r\n'].entries()) {
    const text = `GET /v2/me HTTP/1.1\r\n${hosts}${authorization}`;
    const answer = await service.sendBytes(text, from);
    assert.equal(answer.status, 400);
    assert.equal(numberIn(answer, 'RateLimit-Remaining'), 99 - place);
  }
});

test('bytes that are not HTTP are refused in the same format, and do not count', async () => {
  const from = newAddress();
  for (const [status, text] of [
    [400, 'GET /v2/me HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n'],
    [400, 'HELLO\r\n\r\n'],
    [400, 'GET /v2/me HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
    [431, `GET /v2/me HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ] as const) {
    const answer = await service.sendBytes(text, from);
    assert.equal(answer.status, status, text.slice(0, 60));
    for (const name of sixHeaders) assert.equal(answer.lines[name.toLowerCase()], undefined);
    assert.equal(typeof (JSON.parse(answer.text) as { message: unknown }).message, 'string');
    assert.equal(header(answer, 'Cache-Control'), 'no-store');
    assert.equal(header(answer, 'X-Content-Type-Options'), 'nosniff');
  }
  const answer = await service.ask('/v2/me', { from });
  assert.equal(numberIn(answer, 'RateLimit-Remaining'), 99);
});

test('when the system clock is set, clients do not wait longer, and Reset follows', async () => {
  const from = newAddress();
  const first = numberIn(await broken.ask('/v2/me', { from }), 'RateLimit-Reset');
  for (const [shiftMs, isFollowed] of [
    // A drift of half a second is ignored, even if it changes the second.
    [-400, false],
    [400, false],
    [3_600_000, true],
    [-7_200_000, true],
    [3_600_000, true],
  ] as const) {
    clock.setWallForward(shiftMs);
    const reset = numberIn(await broken.ask('/v2/me', { from }), 'RateLimit-Reset');
    assert.ok(Math.abs(reset - Math.ceil((clock.wallMs() + 60_000) / 1000)) <= 1, `${shiftMs}`);
    if (!isFollowed) assert.equal(reset, first);
  }
  const asked = Array.from({ length: 110 }, () => broken.ask('/v2/me', { from }));
  const refused = (await Promise.all(asked)).filter(({ status }) => status === 429);
  assert.equal(refused.length, 16);
  for (const answer of refused) assert.equal(numberIn(answer, 'Retry-After'), 60);
});
