import { listTokens, revokeToken } from '../../packages/server/src/identity/users/actions.ts';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { header, type Answer } from '../service/http-exchange.ts';
import { errorsOf, startService } from '../service/started-service.ts';
import { addToken } from '../service/owners.ts';

const service = await startService();
after(() => service.close());
const { ada, ben, engine } = service;

const challenge = 'Bearer realm="coffer"';
const missing = {
  message: 'Unauthorized',
  errors: [{ errMsg: 'Missing authorization header' }],
};
const missingInV1 = { name: 'Error', message: 'Access token does not exist.' };
const unknown = {
  message: 'Unauthorized',
  errors: [{ errMsg: 'Access token does not exist.' }],
};

function askWith(authorization: string, target = '/v2/me'): Promise<Answer> {
  return service.ask(target, { as: null, headers: ['Authorization', authorization] });
}

function changeLast(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
}

test('5.1 a bearer token opens the book for which it was created', async () => {
  for (const user of [ada, ben]) {
    const answer = await askWith(`Bearer ${user.token}`);
    assert.equal(answer.status, 200);
    assert.equal((JSON.parse(answer.text) as { email: string }).email, user.email);
  }
});

test('5.1 each request needs the header, even on the same connection', async () => {
  const request = (token: string): string =>
    `GET /v2/me HTTP/1.1\r\nHost: a\r\n${token && `Authorization: Bearer ${token}\r\n`}`;
  const text = `${request(ada.token)}\r\n${request('')}Connection: close\r\n\r\n`;
  const { status, text: rest } = await service.sendBytes(text);
  assert.equal(status, 200);
  assert.match(rest, /HTTP\/1\.1 401 /);
});

test('5.2 without the header the response is 401 with a challenge without an error', async () => {
  const answer = await service.ask('/v2/transactions', { as: null });
  assert.equal(answer.status, 401);
  assert.equal(header(answer, 'WWW-Authenticate'), challenge);
  assert.deepEqual(errorsOf(answer), missing);
});

test('5.2 a wrong token is 401 with invalid_token, however similar it is to a valid one', async () => {
  const expired = await addToken(engine, ada, '2026-03-15T00:30:00.001Z');
  for (const token of [
    'x',
    'demo-token-of-some-length',
    changeLast(ada.token),
    ada.token.slice(1),
    `${ada.token}A`,
    ada.token.toUpperCase(),
    ada.token.replace('coffer_', 'coffee_'),
    `${ada.token},`,
    expired,
  ]) {
    const answer = await askWith(`Bearer ${token}`);
    assert.equal(answer.status, 401, token);
    assert.equal(header(answer, 'WWW-Authenticate'), `${challenge}, error="invalid_token"`);
    assert.deepEqual(errorsOf(answer), unknown);
  }
});

test('5.2 a revoked token is refused from the next request on', async () => {
  const token = await addToken(engine, ben);
  assert.equal((await askWith(`Bearer ${token}`)).status, 200);
  const { id } = (await engine.readStatement(() => listTokens(ben.bookId))).at(-1)!;
  assert.equal(await engine.write(() => revokeToken(ben.bookId, id)), true);
  const answers = await Promise.all(Array.from({ length: 50 }, () => askWith(`Bearer ${token}`)));
  for (const { status } of answers) assert.equal(status, 401);
});

test('5.2 responses without a token do not reveal paths, methods or records', async () => {
  const id = (await service.list('limit=1')).transactions[0]!.id;
  const answers = [
    await service.ask('/v2/transactions', { as: null }),
    await service.ask(`/v2/transactions/${id}`, { as: null }),
    await service.ask('/v2/transactions/999999', { as: null }),
    await service.ask('/v2/transactions?limit=x', { as: null }),
    await service.ask('/v2/nothing', { as: null }),
    await service.ask('/v2/me', { as: null, method: 'DELETE' }),
    await service.ask('/v2/me', { as: null, method: 'OPTIONS' }),
    await service.ask('/v2/%zz', { as: null }),
  ];
  assert.deepEqual(
    answers.map(({ status, text }) => [status, text]),
    answers.map(() => [401, JSON.stringify(missing)]),
  );
  const old = ['/v1/me', '/v1/nothing', '/v1/transactions/1', '/v1/%zz'];
  for (const target of old) {
    const { status, text } = await service.ask(target, { as: null });
    assert.deepEqual([status, JSON.parse(text)], [401, missingInV1], target);
  }
});
