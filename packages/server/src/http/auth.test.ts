import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { newToken } from '../records/token.ts';
import { exchange, parseAnswers } from './testing/test-connection.ts';
import { as, listen, makeTestApp, until } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

const { app, store, clock, ada, ben, log } = makeTestApp();
after(() => app.close());

const me = (headers: Record<string, string>) => app.inject({ url: '/v2/me', headers });

describe('without a token the answer is 401 and asks for one', () => {
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

  test('a token in the query is none', async () => {
    const answer = await app.inject({ url: `/v2/me?access_token=${ada.token}` });
    assert.equal(answer.statusCode, 401);
  });
});

describe('with a token that opens nothing the answer is 401 and says so', () => {
  const cases: Record<string, [token: string, asked: number]> = {
    'never minted': ['x'.repeat(56), 0],
    'its checksum is wrong': [`${ada.token.slice(0, -1)}${ada.token.endsWith('a') ? 'b' : 'a'}`, 0],
    'well formed but unknown': [newToken().text, 1],
  };
  for (const [name, [token, asked]] of Object.entries(cases)) {
    test(`${name}: the store is asked ${asked} times`, async () => {
      store.calls.length = 0;
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
      assert.equal(store.calls.length, asked);
    });
  }
});

test('the scheme may have any letter case', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
    const answer = await me({ authorization: `${scheme} ${ada.token}` });
    assert.equal(answer.statusCode, 200, scheme);
  }
});

test('two Authorization lines are refused, even when both are right', async () => {
  const { app: wired, ada: caller } = makeTestApp();
  const line = `Authorization: Bearer ${caller.token}\r\n`;
  const request = `GET /v2/me HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}${line}\r\n`;
  const [answer] = parseAnswers(await exchange(await listen(wired), request));
  assert.equal(answer?.status, 401);
  assert.match(answer.body, /More than one authorization header/);
  await wired.close();
});

test('each token sees its own user and book, also alternating and at once', async () => {
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
      api_key_label: identity.token.label,
    });
  }
});

test("another book's record and one that does not exist are answered alike, byte for byte", async () => {
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

describe('the last use of a token is noted', () => {
  test('after the answer, at most once a minute', async () => {
    const { app: fresh, store: noted, clock: time, ada: caller } = makeTestApp();
    const use = () => fresh.inject({ url: '/v2/me', headers: as(caller) });
    await use();
    await use();
    assert.equal(noted.touches.length, 1);
    assert.equal(noted.touches[0]?.nowIso, new Date(time.wallMs()).toISOString());
    time.advance(59_999);
    await use();
    assert.equal(noted.touches.length, 1);
    time.advance(1);
    await use();
    assert.equal(noted.touches.length, 2);
    await fresh.close();
  });

  test('not when the store knows of a use within the minute', async () => {
    const lastUsedAt = new Date(clock.wallMs() - 1000).toISOString();
    const { app: fresh, store: noted, ada: caller } = makeTestApp();
    noted.change(caller, (identity) => ({ ...identity, token: { ...identity.token, lastUsedAt } }));
    await fresh.inject({ url: '/v2/me', headers: as(caller) });
    assert.deepEqual(noted.touches, []);
    await fresh.close();
  });

  test('and when that fails, only the log hears of it', async () => {
    store.faults.touchToken = new Error('planted');
    clock.advance(120_000);
    assert.equal((await me(as(ada))).statusCode, 200);
    const told = () => log.filter((line) => line.includes('planted')).length;
    await until(() => told() > 0);
    assert.equal(told(), 1);
    delete store.faults.touchToken;
  });
});

test('a store that fails while looking a token up is a fault of ours, never a 401', async () => {
  store.faults.authenticate = new Error('planted');
  const answer = await me(as(ada));
  delete store.faults.authenticate;
  assert.equal(answer.statusCode, 500);
  assertErrorFormat(answer);
});
