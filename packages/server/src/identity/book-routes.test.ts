import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createBook } from './users/actions.ts';
import { as, makeTestApp } from '../http/testing/test-app.ts';
import { Browser } from './sessions/testing/browser.ts';

const { app, engine, ada, ben } = await makeTestApp();
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

test('the primary currency changes while the book has no amounts', async () => {
  const { userId } = ben.identity.book;
  const made = await engine.write(() =>
    createBook({ userId, name: 'New', primaryCurrency: 'usd' }),
  );
  const browser = new Browser(app);
  await browser.signIn(engine, made);
  const update = (body: object) => browser.send<object>('PUT', '/coffer/book', body);
  const tag = async () => (await browser.send('GET', '/v2/tags')).headers['etag'];
  const before = await tag();
  const changed = { id: made.id, name: 'Buch', primary_currency: 'chf' };
  assert.deepEqual((await update({ name: 'Buch', primary_currency: 'chf' })).body, changed);
  assert.notEqual(await tag(), before);
  const unknown = await update({ primary_currency: 'xxx' });
  assert.equal(unknown.status, 400);
  assert.match(JSON.stringify(unknown.body), /primary_currency.*xxx/);
  assert.match(JSON.stringify((await update({})).body), /at least one property/);
  const account = { name: 'Cash', type: 'cash', balance: '1' };
  const { body } = await browser.send<{ id: number }>('POST', '/v2/manual_accounts', account);
  await browser.send('DELETE', `/v2/manual_accounts/${body.id}`);
  const refused = await update({ name: 'Other', primary_currency: 'eur' });
  assert.equal(refused.status, 409);
  assert.match(JSON.stringify(refused.body), /cannot become .{2}eur.*manual accounts/);
  assert.deepEqual((await update({ primary_currency: 'chf' })).body, changed, 'nothing changed');
});
