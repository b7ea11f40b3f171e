import { createLink, endSession } from '../sessions/actions.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { insertUnlogged, updateUnlogged } from '../../book/unlogged.ts';
import { run } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import { passkeys, passwords, sessions } from '../../db/tables/tables.ts';
import { pick } from '../../http/testing/pick.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import { countAttempt } from '../sessions/passwords.ts';
import { Browser, type Received } from '../sessions/testing/browser.ts';
import { lightenPasswords } from '../sessions/testing/light-passwords.ts';
import type { Session, SessionState } from './routes.ts';

const test = await makeTestApp();
const { app, engine, clock, ada, ben } = test;
after(() => app.close());

const dayMs = 86_400_000;

before(lightenPasswords);

async function browserOf(user = ada): Promise<Browser> {
  const browser = new Browser(app);
  const { status } = await browser.signIn(engine, user.identity.book);
  assert.equal(status, 201);
  return browser;
}

const stateOf = (browser: Browser) => browser.send<SessionState>('GET', '/coffer/session');

type Sessions = Readonly<{ sessions: readonly Session[] }>;

describe('signing in with a link', () => {
  it('begins a session whose cookie reads the book', async () => {
    const browser = new Browser(app, 'localhost:8080', { 'user-agent': 'Test/1' });
    const { status, headers, body } = await browser.signIn(engine, ada.identity.book);
    assert.equal(status, 201);
    const { session, user, book, has_password, passkey_count } = body as SessionState;
    assert.deepEqual([user?.id, book?.id], [ada.identity.user.id, ada.identity.book.id]);
    assert.deepEqual([session?.method, session?.user_agent], ['link', 'Test/1']);
    assert.deepEqual([has_password, passkey_count], [false, 0]);
    assert.match(
      String(headers['set-cookie']),
      /^coffer_8080=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
    );
    assert.equal(await browser.status('GET', '/v2/transactions?limit=1'), 200);
    assert.equal(await browser.status('POST', '/v2/tags', { name: 'by cookie' }), 201);
    const recent = '/coffer/history?limit=1';
    const { body: page } = await browser.send<{ history: { actor: object }[] }>('GET', recent);
    const actor = { kind: 'user', id: ada.identity.user.id, name: 'ada' };
    assert.deepEqual(page.history[0]?.actor, actor);
    assert.equal(await browser.status('POST', '/coffer/undo', {}), 200);
  });

  it('works for 15 minutes', async () => {
    const secret = await engine.write(() => createLink(ada.identity.book));
    clock.advance(15 * 60_000);
    const late = { method: 'link', secret };
    assert.equal(await new Browser(app).status('POST', '/coffer/session', late), 401);
    const early = {
      method: 'link',
      secret: await engine.write(() => createLink(ada.identity.book)),
    };
    clock.setWallForward(-dayMs);
    assert.equal(await new Browser(app).status('POST', '/coffer/session', early), 401, 'set back');
    clock.setWallForward(dayMs);
  });
});

describe('a session', () => {
  it('is nobody without a cookie, with a wrong one, and after its end', async () => {
    const nobody = { session: null, user: null, book: null };
    const expected = { ...nobody, has_password: null, passkey_count: null };
    const browser = new Browser(app);
    assert.deepEqual((await stateOf(browser)).body, expected);
    browser.cookie = `coffer_8080=${'A'.repeat(43)}`;
    assert.deepEqual((await stateOf(browser)).body, expected);
    assert.equal(await browser.status('GET', '/v2/me'), 401);
    const own = await browserOf();
    assert.equal(await own.status('DELETE', '/coffer/session'), 204);
    assert.equal(own.cookie, null);
    assert.deepEqual((await stateOf(own)).body, expected);
  });

  it('of another user cannot be seen or ended', async () => {
    const [own, others] = [await browserOf(), await browserOf(ben)];
    const { session } = (await stateOf(own)).body;
    const id = session!.id;
    assert.equal(await others.status('DELETE', `/coffer/sessions/${id}`), 404);
    const { body } = await others.send<Sessions>('GET', '/coffer/sessions');
    assert.ok(!body.sessions.some((each) => each.id === id));
    const { body: seen } = await own.send<Sessions>('GET', '/coffer/sessions');
    const current = seen.sessions.filter((each) => each.is_current);
    assert.deepEqual(pick(current, 'id'), [id]);
  });

  it('ends after 30 days without use, and after 180 days', async () => {
    const [used, unused] = [await browserOf(), await browserOf()];
    for (let day = 0; day < 174; day += 29) {
      assert.equal(await used.status('GET', '/v2/me'), 200, `day ${day}`);
      clock.advance(29 * dayMs);
    }
    assert.equal(await unused.status('GET', '/v2/me'), 401);
    assert.equal(await used.status('GET', '/v2/me'), 200);
    clock.advance(6 * dayMs);
    assert.equal(await used.status('GET', '/v2/me'), 401);
  });

  it('is not that of a caller with an access token', async () => {
    const state = ['GET', '/coffer/session', undefined, as(ada)] as const;
    const { body } = await new Browser(app).send<SessionState>(...state);
    assert.deepEqual([body.session, body.user?.id], [null, ada.identity.user.id]);
  });

  it('is replaced when the same browser signs in again', async () => {
    const browser = await browserOf();
    const before = browser.cookie;
    await browser.signIn(engine, ada.identity.book);
    assert.notEqual(browser.cookie, before);
    browser.cookie = before;
    assert.equal(await browser.status('GET', '/v2/me'), 401);
  });
});

describe('access tokens of a session', () => {
  it('are made, listed and revoked', async () => {
    const browser = await browserOf();
    const body = { label: 'script', expires_at: '2100-01-01T00:00:00Z' };
    const made = await browser.send<{ id: number; token: string }>('POST', '/coffer/tokens', body);
    assert.equal(made.status, 201);
    const headers = { authorization: `Bearer ${made.body.token}` };
    const use = async () => (await app.inject({ url: '/v2/me', headers })).statusCode;
    assert.equal(await use(), 200);
    const list = await browser.send<{ tokens: { id: number }[] }>('GET', '/coffer/tokens');
    const { tokens } = list.body;
    assert.ok(tokens.some(({ id }) => id === made.body.id));
    assert.ok(!JSON.stringify(tokens).includes(made.body.token));
    assert.equal(await browser.status('DELETE', `/coffer/tokens/${made.body.id}`), 204);
    assert.equal(await use(), 401);
    assert.equal(await browser.status('DELETE', `/coffer/tokens/${made.body.id}`), 404);
  });

  it('must expire in the future', async () => {
    const body = { label: 'script', expires_at: '2000-01-01T00:00:00Z' };
    assert.equal(await (await browserOf()).status('POST', '/coffer/tokens', body), 400);
  });
});

const password = 'correct horse battery';

function signIn(email: string, text: string): Promise<Received> {
  const body = { method: 'password', email, password: text };
  return new Browser(app).send('POST', '/coffer/session', body);
}

async function withPassword(user = ada, text = password): Promise<Browser> {
  const browser = await browserOf(user);
  assert.equal(await browser.status('PUT', '/coffer/password', { password: text }), 204);
  return browser;
}

describe('a password', () => {
  it('signs in, in any letter case of the address and any form of Unicode', async () => {
    await withPassword(ada, 'Überraschung 1');
    const { status } = await signIn('ADA@example.org', 'U\u0308berraschung 1');
    assert.equal(status, 201);
  });

  it('that is wrong is refused like an unknown address', async () => {
    await withPassword();
    const wrong = await signIn('ada@example.org', 'wrong');
    for (const name of ['nobody', 'ben']) {
      const { status, body } = await signIn(`${name}@example.org`, 'wrong');
      assert.deepEqual([status, body], [401, wrong.body]);
    }
  });

  it('is changed only with the one so far, but after a link without it for 15 minutes', async () => {
    const browser = await withPassword();
    const put = (body: object) => browser.status('PUT', '/coffer/password', body);
    assert.equal(await put({ password }), 204);
    clock.advance(15 * 60_000);
    assert.equal(await put({ password: 'another one' }), 400);
    const wrong = { current_password: 'wrong', password: 'another one' };
    assert.equal(await put(wrong), 400);
    assert.equal(await put({ ...wrong, current_password: password }), 204);
    assert.equal((await signIn('ada@example.org', password)).status, 401);
    assert.equal((await signIn('ada@example.org', 'another one')).status, 201);
  });

  it('ends all other sessions and links when it changes', async () => {
    const [browser, other] = [await withPassword(), await browserOf()];
    const secret = await engine.write(() => createLink(ada.identity.book));
    for (const body of [{ password: '1234567' }, { password: 'x'.repeat(257) }, { password: 5 }])
      assert.equal(await browser.status('PUT', '/coffer/password', body), 400);
    assert.equal(await other.status('GET', '/v2/me'), 200);
    assert.equal(await browser.status('PUT', '/coffer/password', { password }), 204);
    assert.equal(await browser.status('GET', '/v2/me'), 200);
    assert.equal(await other.status('GET', '/v2/me'), 401);
    const late = { method: 'link', secret };
    assert.equal(await new Browser(app).status('POST', '/coffer/session', late), 401);
  });

  it('removes all passkeys if the user wants so', async () => {
    const browser = await withPassword();
    const counted = async (rest: object) => {
      await engine.write(() => insertUnlogged(passkeys, passkeyOf(ada.identity.user.id)));
      await engine.write(() => insertUnlogged(passkeys, passkeyOf(ben.identity.user.id)));
      assert.equal(await browser.status('PUT', '/coffer/password', { password, ...rest }), 204);
      const { body } = await stateOf(browser);
      return body.passkey_count;
    };
    assert.deepEqual([await counted({}), await counted({ remove_passkeys: true })], [1, 0]);
    const { body } = await stateOf(await browserOf(ben));
    assert.equal(body.passkey_count, 2, 'of another user');
    assert.equal(
      await browser.status('PUT', '/coffer/password', { password, remove_passkeys: 1 }),
      400,
    );
  });
});

let credential = 0;

function passkeyOf(user_id: number) {
  credential += 1;
  return {
    user_id,
    name: 'x',
    credential_id: Buffer.of(credential),
    public_key: Buffer.of(1),
    counter: 0,
    transports: '[]',
    host: 'localhost',
    created_at: '2026-01-01T00:00:00.000Z',
  };
}

describe('a session that ends while its request is under way', () => {
  /** Does `begin` before the n-th transaction of writing that needs the session, which is held meanwhile. */
  const beforeWrite = (n: number, begin: () => Promise<unknown>): void => {
    let count = 0;
    engine.instead.set('write users', async (run) => {
      count += 1;
      if (count === n) await begin();
      return run();
    });
  };
  const secrets = () =>
    engine.read(function* () {
      const owned = { user_id: ada.identity.user.id };
      const [phc] = yield* select(passwords, owned);
      return [phc, yield* select(sessions, owned)];
    });
  const next = 'another password';
  /* That no request of an ended session changes anything: test/spec/ended-callers.test.ts. */
  for (const n of [1, 2])
    it(`does not set a password before its transaction ${n}`, async () => {
      const owner = await withPassword();
      const thief = await browserOf();
      clock.advance(15 * 60_000);
      const { session } = (await stateOf(thief)).body;
      let known: unknown;
      beforeWrite(n, async () => {
        await engine.write(() => endSession(ada.identity.user.id, session!.id));
        known = await secrets();
      });
      const sent = { password: next, current_password: password };
      const answer = await thief.send('PUT', '/coffer/password', sent);
      engine.instead.delete('write users');
      assert.equal(answer.status, 401);
      assert.ok(known !== undefined, 'it ended meanwhile');
      assert.deepEqual(await secrets(), known);
      assert.equal(await owner.status('GET', '/v2/me'), 200);
    });

  it('does not set the password that another session has just changed', async () => {
    const browser = await withPassword();
    clock.advance(15 * 60_000);
    const sent = { current_password: password, password: next };
    beforeWrite(2, () => engine.write(() => storeForTest(ada.identity.user.id)));
    const { status } = await browser.send('PUT', '/coffer/password', sent);
    engine.instead.delete('write users');
    assert.equal(status, 400);
    assert.equal((await signIn('ada@example.org', next)).status, 401);
  });

  it('does not begin with a password that was changed after it was tried', async () => {
    await withPassword();
    beforeWrite(1, () => engine.write(() => storeForTest(ada.identity.user.id)));
    const { status, headers } = await signIn('ada@example.org', password);
    engine.instead.delete('write users');
    assert.deepEqual([status, headers['set-cookie']], [401, undefined]);
  });
});

/** Stores a password that nobody knows. */
function storeForTest(user_id: number) {
  return updateUnlogged(passwords, { user_id }, { phc: '$scrypt$none' });
}

describe('wrong passwords', () => {
  /** Counts a wrong password without the work of trying it. */
  const guess = (email: string, device: string | null = null) =>
    engine.write(() => countAttempt({ email, source: '127.0.0.1', device }));

  it('are slowed after 10 at the same time, and a right one is not tried meanwhile', async () => {
    await withPassword(ben);
    assert.equal((await signIn('ben@example.org', password)).status, 201);
    const wrong = await Promise.all(
      Array.from({ length: 12 }, () => signIn('ben@example.org', 'wrong')),
    );
    const slow = wrong.filter(({ status }) => status === 429);
    assert.equal(wrong.filter(({ status }) => status === 401).length, 10);
    const waits = slow.map(({ headers }) => headers['retry-after']);
    assert.deepEqual(waits, ['1', '1']);
    assert.equal((await signIn('ben@example.org', password)).status, 429);
    clock.advance(1000);
    assert.equal((await signIn('ben@example.org', 'wrong')).status, 401);
    const next = await signIn('ben@example.org', 'wrong');
    assert.deepEqual([next.status, next.headers['retry-after']], [429, '2']);
    clock.advance(2000);
    assert.equal((await signIn('ben@example.org', password)).status, 201);
    assert.equal((await signIn('ben@example.org', 'wrong')).status, 401, 'forgiven');
  });

  it('of one address for many accounts are slowed after 50, and right ones do not count', async () => {
    await engine.write(() => run(sql`DELETE FROM sign_in_failures`));
    await withPassword(ben);
    assert.equal((await signIn('ben@example.org', password)).status, 201);
    const waits = [];
    for (let n = 0; n < 51; n += 1) waits.push(await guess(`user${n}@example.org`));
    assert.deepEqual([waits.indexOf(1000), waits.filter((ms) => ms > 0).length], [50, 1]);
    clock.advance(1000);
  });

  it('keep their owner waiting for at most 15 minutes, also when the clock goes back', async () => {
    const email = 'ben@example.org';
    await withPassword(ben);
    for (let n = 0; n < 30; n += 1) {
      await guess(email);
      clock.advance(15 * 60_000);
    }
    await guess(email);
    clock.advance(-365 * dayMs);
    const waits = async () => (await signIn(email, password)).headers['retry-after'];
    assert.equal(await waits(), '900');
    clock.advance(60_000);
    assert.equal(await waits(), '840');
    clock.advance(14 * 60_000);
    assert.equal((await signIn(email, password)).status, 201);
    clock.advance(365 * dayMs);
  });

  it('of strangers do not slow a browser in which the user has signed in', async () => {
    const email = 'ben@example.org';
    await withPassword(ben);
    const own = new Browser(app);
    const sign = (text: string, browser = own, of = email) =>
      browser.status('POST', '/coffer/session', { method: 'password', email: of, password: text });
    assert.equal(await sign(password), 201);
    assert.match(own.device!, /^coffer_device_8080_\d+=[\w-]{22}\.[\w-]{43}$/);
    assert.equal(await own.status('DELETE', '/coffer/session'), 204);
    for (let n = 0; n < 12; n += 1) await guess(email);
    assert.equal(await sign(password, new Browser(app)), 429, 'a new browser');
    assert.equal(await sign(password), 201);
    assert.equal(await sign(password, new Browser(app)), 429, 'strangers are not forgiven');

    const slowed = new Browser(app);
    slowed.device = own.device;
    const [, id = ''] = /=(.*)\./.exec(own.device!) ?? [];
    for (let n = 0; n < 9; n += 1) await guess(email, id);
    assert.equal(await sign('wrong', slowed), 401);
    assert.equal(await sign(password, slowed), 429, 'it is slowed as others are');
    clock.advance(1000);
    assert.equal(await sign(password, slowed), 201);
    await guess(email);

    const forged = new Browser(app);
    const [name = '', text = ''] = own.device!.split('=');
    const other = text.startsWith('A') ? 'B' : 'A';
    for (const cookie of [`${name}=${other}${text.slice(1)}`, `${name}=${text.slice(0, -2)}AA`]) {
      forged.device = cookie;
      assert.equal(await sign(password, forged), 429, 'forged');
    }
    await withPassword();
    for (let n = 0; n < 12; n += 1) await guess('ada@example.org');
    forged.device = own.device;
    assert.equal(await sign(password, forged, 'ada@example.org'), 429, 'of another user');

    const changing = new Browser(app);
    await changing.signIn(engine, ben.identity.book);
    const changed = { password: 'another password' };
    assert.equal(await changing.status('PUT', '/coffer/password', changed), 204);
    assert.equal(await sign('another password', own), 429, 'before the new password');
    assert.equal(await sign('another password', changing), 201);
  });
});
