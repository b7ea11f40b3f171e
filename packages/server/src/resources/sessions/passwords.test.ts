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
    const send = (body: object) => browser.send('PUT', '/coffer/password', body);
    assert.equal((await send({ password })).status, 204);
    clock.advance(15 * 60_000);
    assert.equal((await send({ password: 'another one' })).status, 400);
    const wrong = { current_password: 'wrong', password: 'another one' };
    assert.equal((await send(wrong)).status, 400);
    assert.equal((await send({ ...wrong, current_password: password })).status, 204);
    assert.equal((await signIn('ada@example.org', password)).status, 401);
    assert.equal((await signIn('ada@example.org', 'another one')).status, 201);
  });

  it('ends all other sessions and links when it changes', async () => {
    const [browser, other] = [await withPassword(ada), new Browser(app)];
    await other.signIn(engine, ada.identity.book);
    const secret = await engine.write(() => createLink(ada.identity.book));
    assert.equal((await browser.send('PUT', '/coffer/password', { password })).status, 204);
    assert.equal((await browser.send('GET', '/v2/me')).status, 200);
    assert.equal((await other.send('GET', '/v2/me')).status, 401);
    const late = await new Browser(app).send('POST', '/coffer/session', { method: 'link', secret });
    assert.equal(late.status, 401);
  });

  for (const [what, body] of [
    ['short', { password: '1234567' }],
    ['long', { password: 'x'.repeat(257) }],
    ['no text', { password: 5 }],
  ] as const)
    it(`that is ${what} is refused`, async () => {
      const browser = await withPassword(ada);
      assert.equal((await browser.send('PUT', '/coffer/password', body)).status, 400);
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
    assert.deepEqual(
      slow.map(({ headers }) => headers['retry-after']),
      ['1', '1'],
    );
    assert.equal((await signIn('ben@example.org', password)).status, 429);
    clock.advance(1000);
    assert.equal((await signIn('ben@example.org', 'wrong')).status, 401);
    const next = await signIn('ben@example.org', 'wrong');
    assert.deepEqual([next.status, next.headers['retry-after']], [429, '2']);
    clock.advance(2000);
    assert.equal((await signIn('ben@example.org', password)).status, 201);
    assert.equal((await signIn('ben@example.org', 'wrong')).status, 401, 'forgiven');
  });

  it('for an unknown address are slowed alike', async () => {
    for (let count = 0; count < 10; count += 1)
      assert.equal((await signIn('no@example.org', 'wrong')).status, 401);
    assert.equal((await signIn('no@example.org', 'wrong')).status, 429);
  });
});
