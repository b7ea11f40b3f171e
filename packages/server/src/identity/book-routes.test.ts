import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createBook } from './users/actions.ts';
import { as, makeTestApp } from '../http/testing/test-app.ts';
import { Browser } from './sessions/testing/browser.ts';

const { app, engine, ada } = await makeTestApp();
after(() => app.close());

test('a book is renamed in a session, to a name that no other book of the user has', async () => {
  const { id, userId, primaryCurrency } = ada.identity.book;
  const browser = new Browser(app);
  await browser.signIn(engine, ada.identity.book);
  const rename = (name: unknown) => browser.send<object>('PUT', '/coffer/book', { name });
  const { status, body } = await rename(' Our books ');
  assert.deepEqual(
    [status, body],
    [200, { id, name: 'Our books', primary_currency: primaryCurrency }],
  );
  const { body: state } = await browser.send<{ book: object }>('GET', '/coffer/session');
  assert.deepEqual(state.book, body);
  await engine.write(() => createBook({ userId, name: 'Taken', primaryCurrency }));
  for (const [name, message] of [
    ['taken', /taken/i],
    [' ', /name must be more than blanks/],
    ['x'.repeat(101), /name must be at most 100 characters/],
    [7, /name must be/],
  ] as const) {
    const refused = await rename(name);
    assert.equal(refused.status, 400, String(name));
    assert.match(JSON.stringify(refused.body), message);
  }
  assert.deepEqual((await rename('Our books')).body, body);
  const byToken = await app.inject({
    method: 'PUT',
    url: '/coffer/book',
    headers: as(ada),
    payload: { name: 'By a token' },
  });
  assert.equal(byToken.statusCode, 403);
});
