import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { makeTestApp } from '../../http/testing/test-app.ts';
import type { TestUser } from '../../http/testing/test-app.ts';
import { createLink } from './actions.ts';
import { Browser } from './testing/browser.ts';
import type { Received } from './testing/browser.ts';

const test = await makeTestApp();
const { app, engine, clock, ada, ben } = test;
after(() => app.close());

const password = 'correct horse battery';

function signIn(email: string, text: string): Promise<Received> {
  const body = { method: 'password', email, password: text };
  return new Browser(app).send('POST', '/coffer/session', body);
}

async function withPassword(user: TestUser, text = password): Promise<Browser> {
  const browser = new Browser(app);
  await browser.signIn(engine, user.identity.book);
  const { status } = await browser.send('PUT', '/coffer/password', { password: text });
  assert.equal(status, 204);
  return browser;
}

describe('a password', () => {
  it('signs in, in any letter case of the address and any form of Unicode', async () => {
    await withPassword(ada, 'Überraschung 1');
    const { status } = await signIn('ADA@example.org', 'U\u0308berraschung 1');
    assert.equal(status, 201);
  });

  it('that is wrong is refused like an unknown address', async () => {
    await withPassword(ada);
    const [wrong, unknown, none] = [
      await signIn('ada@example.org', 'wrong'),
      await signIn('nobody@example.org', 'wrong'),
      await signIn('ben@example.org', 'wrong'),
    ];
    assert.equal(wrong.status, 401);
    assert.deepEqual([unknown.status, unknown.body], [401, wrong.body]);
    assert.deepEqual([none.status, none.body], [401, wrong.body]);
  });

  it('is changed only with the one so far, but after a link without it for 15 minutes', async () => {
    const browser = await withPassword(ada);
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
    const [browser, other] = [await withPassword(ada), new Browser(app)];
    await other.signIn(engine, ada.identity.book);
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
});

describe('wrong passwords', () => {
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
});
