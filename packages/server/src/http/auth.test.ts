import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { listTokens, touchToken } from '../resources/users/actions.ts';
import { newToken } from '../resources/users/token.ts';
import { exchange, parseAnswers } from './testing/test-connection.ts';
import { as, listen, makeTestApp, until } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

const { app, engine, clock, ada, ben, log } = await makeTestApp();
after(() => app.close());

const me = (headers: Record<string, string>) => app.inject({ url: '/v2/me', headers });

describe('without a token the response is 401 with a challenge', () => {
  const cases: Record<string, Record<string, string>> = {
    'no header': {},
    'an empty header': { authorization: '' },
    'another scheme': { authorization: 'Basic YTpi' },
    'the scheme alone': { authorization: 'Bearer' },
    'the token alone': { authorization: ada.token },
    'two words after the scheme': { authorization: `Bearer ${ada.token} ${ada.token}` },
    'a cookie': { cookie: `_lm_access_token=${ada.token}` },
  };
  for (const [name, headers] of Object.entries(cases)) {
    test(name, async () => {
      const answer = await me(headers);
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="coffer"');
      assert.equal(
        answer.body,
        '{"message":"Unauthorized","errors":[{"errMsg":"Missing authorization header"}]}',
      );
    });
  }

  test('a token in the query is ignored', async () => {
    const answer = await app.inject({ url: `/v2/me?access_token=${ada.token}` });
    assert.equal(answer.statusCode, 401);
  });
});

describe('with an invalid token the response is 401 with the error invalid_token', () => {
  const cases: Record<string, [token: string, asked: number]> = {
    'another form': ['x'.repeat(56), 0],
    'a wrong checksum': [`${ada.token.slice(0, -1)}${ada.token.endsWith('a') ? 'b' : 'a'}`, 0],
    'well formed but unknown': [newToken().text, 1],
  };
  for (const [name, [token, asked]] of Object.entries(cases)) {
    test(`${name}: the database is read ${asked} times`, async () => {
      engine.calls.length = 0;
      const answer = await me({ authorization: `Bearer ${token}` });
      assert.equal(answer.statusCode, 401);
      assert.equal(
        answer.headers['www-authenticate'],
        'Bearer realm="coffer", error="invalid_token"',
      );
      assert.equal(
        answer.body,
        '{"message":"Unauthorized","errors":[{"errMsg":"Access token does not exist."}]}',
      );
      assert.equal(engine.calls.length, asked);
    });
  }
});

test('the scheme may have any letter case', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
    const answer = await me({ authorization: `${scheme} ${ada.token}` });
    assert.equal(answer.statusCode, 200, scheme);
  }
});

test('two Authorization headers are refused, even when both are valid', async () => {
  const { app: wired, ada: caller } = await makeTestApp();
  const line = `Authorization: Bearer ${caller.token}\r\n`;
  const request = `GET /v2/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}${line}\r\n`;
  const [answer] = parseAnswers(await exchange(await listen(wired), request));
  assert.equal(answer?.status, 401);
  assert.match(answer.body, /More than one authorization header/);
  await wired.close();
});

test('each token sees its own user and book, also in alternating and concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => me(as(at % 2 === 0 ? ada : ben))),
  );
  for (const [at, answer] of answers.entries()) {
    const { identity } = at % 2 === 0 ? ada : ben;
    assert.deepEqual(answer.json(), {
      name: identity.user.name,
      email: identity.user.email,
      id: identity.user.id,
      account_id: identity.book.id,
      budget_name: identity.book.name,
      primary_currency: 'eur',
      api_key_label: identity.token?.label,
    });
  }
});

test("the response for another book's record equals that for a missing record, byte for byte", async () => {
  const foreign = await app.inject({ url: '/v2/transactions/2001', headers: as(ada) });
  const missing = await app.inject({ url: '/v2/transactions/9001', headers: as(ada) });
  assert.equal(
    (await app.inject({ url: '/v2/transactions/2001', headers: as(ben) })).statusCode,
    200,
  );
  assert.equal(foreign.statusCode, 404);
  assert.equal(
    foreign.body,
    '{"message":"Not Found","errors":[{"errMsg":"There is no transaction with the id: 2001."}]}',
  );
  assert.equal(foreign.body.replace('2001', '9001'), missing.body);
  const names = (headers: object) => Object.keys(headers).sort();
  assert.deepEqual(names(foreign.headers), names(missing.headers));
});

describe('the last use of a token is recorded', () => {
  const touch = 'write access_tokens';

  test('after the response, at most once a minute, and not when it is already stored', async () => {
    const { app: fresh, engine: noted, clock: time, ada: caller } = await makeTestApp();
    const touches = () => noted.calls.filter((call) => call === touch).length;
    const use = () => fresh.inject({ url: '/v2/me', headers: as(caller) });
    await use();
    await use();
    assert.equal(touches(), 1);
    const [token] = await noted.read(() => listTokens(caller.identity.book.id));
    assert.equal(token?.lastUsedAt, new Date(time.wallMs()).toISOString());
    time.advance(59_999);
    await use();
    assert.equal(touches(), 1);
    time.advance(1);
    await use();
    assert.equal(touches(), 2);
    await noted.write(() => touchToken(token.id));
    const { app: another } = await makeTestApp({ engine: noted, now: () => time.wallMs() + 1000 });
    noted.calls.length = 0;
    await another.inject({ url: '/v2/me', headers: as(caller) });
    assert.deepEqual(noted.calls, ['readStatement access_tokens', 'readStatement nothing']);
    await fresh.close();
    await another.close();
  });

  test('and only logged when that fails', async () => {
    clock.advance(120_000);
    await engine.failing(touch, new Error('planted'), async () => {
      assert.equal((await me(as(ada))).statusCode, 200);
      const logged = () => log.filter((line) => line.includes('planted')).length;
      await until(() => logged() > 0);
      assert.equal(logged(), 1);
    });
  });
});

test('a database that fails while a token is looked up gives 500, never 401', async () => {
  const answer = await engine.failing('readStatement access_tokens', new Error('planted'), () =>
    me(as(ada)),
  );
  assert.equal(answer.statusCode, 500);
  assertErrorFormat(answer);
});
