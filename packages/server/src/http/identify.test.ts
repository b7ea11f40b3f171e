import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listTokens, touchToken, newToken } from '../identity/users/actions.ts';
import { as, makeTestApp, until } from './testing/test-app.ts';
import { assertErrorFormat } from './testing/test-answers.ts';

/* What callers get for each form of the header is in test/spec/5-authentication.test.ts. */

const { app, engine, clock, ada, log } = await makeTestApp();

const me = (headers: Record<string, string>) => app.inject({ url: '/v2/me', headers });

test('the database is read only for a token that can exist', async () => {
  const { token } = ada;
  const damaged = `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`;
  for (const [authorization, status, reads] of [
    ['', 401, 0],
    [`Bearer ${'x'.repeat(56)}`, 401, 0],
    [`Bearer ${damaged}`, 401, 0],
    [`Bearer ${newToken().text}`, 401, 1],
    // The book of the token, the caller, and /v2/me; then the book is known.
    [`Bearer  ${token}`, 200, 3],
    [`Bearer ${token}`, 200, 2],
  ] as const) {
    engine.calls.length = 0;
    const { statusCode } = await me({ authorization });
    const found = engine.calls.filter((call) => call.startsWith('read'));
    assert.deepEqual([statusCode, found.length], [status, reads], authorization);
  }
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
    assert.equal(token?.last_used_at, new Date(time.wallMs()).toISOString());
    time.advance(59_999);
    await use();
    assert.equal(touches(), 1);
    time.advance(1);
    await use();
    assert.equal(touches(), 2);
    await noted.write(() => touchToken(token.id, new Date(time.wallMs()).toISOString()));
    const { app: another } = await makeTestApp({ engine: noted, now: () => time.wallMs() + 1000 });
    noted.calls.length = 0;
    await another.inject({ url: '/v2/me', headers: as(caller) });
    const identify = ['readStatement access_tokens', 'readStatement access_tokens'];
    assert.deepEqual(noted.calls, [...identify, 'readStatement nothing']);
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
