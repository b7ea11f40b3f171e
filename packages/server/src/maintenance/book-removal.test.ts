import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rows } from '../db/engine.ts';
import { usualEngines } from '../db/testing/engines.ts';
import sql from 'sql-template-tag';
import { as, makeTestApp } from '../http/testing/test-app.ts';
import { Browser } from '../identity/sessions/testing/browser.ts';
import { createBook } from '../identity/users/actions.ts';
import { ManualClock } from '../limiter/testing/manual-clock.ts';
import { removeAbandoned } from './user-removal.ts';

const now = () => new ManualClock().wallMs();

for (const { name: engineName, skip, open } of usualEngines)
  test(
    `a user deletes a book by its name, and with the last one the user: ${engineName}`,
    { skip },
    async () => {
      const { app, engine, ada, ben } = await makeTestApp({ opened: await open(now) });
      const { book } = ada.identity;
      const { userId, primaryCurrency } = book;
      const other = await engine.write(() =>
        createBook({ userId, name: 'Other', primaryCurrency }),
      );
      const inBook = async (own: typeof book) => {
        const browser = new Browser(app);
        await browser.signIn(engine, own);
        return (name: unknown) => browser.send<object>('DELETE', '/coffer/book', { name });
      };
      const [remove, removeOther] = [await inBook(book), await inBook(other)];
      const state = (token: string, url = '/v2/me') =>
        app.inject({ url, headers: { authorization: `Bearer ${token}` } });
      const byToken = await app.inject({
        method: 'DELETE',
        url: '/coffer/book',
        headers: as(ada),
        payload: { name: book.name },
      });
      assert.equal(byToken.statusCode, 403);
      for (const wrong of ['', book.name.toUpperCase(), 'Other', 7])
        assert.equal((await remove(wrong)).status, 400, String(wrong));
      assert.match(JSON.stringify((await remove('Other')).body), /must be that of the book/);
      assert.equal((await state(ada.token)).statusCode, 200);

      assert.equal((await remove(book.name)).status, 204);
      assert.equal((await remove(book.name)).status, 401);
      assert.equal((await state(ada.token)).statusCode, 401);
      const userIds = () =>
        engine.read(() => rows<{ id: number }>(sql`SELECT id FROM users WHERE id = ${userId}`));
      assert.equal((await userIds()).length, 1);
      assert.equal((await removeOther('Other')).status, 204);
      assert.deepEqual(await userIds(), []);

      await removeAbandoned(engine, { files: null });
      const left = await engine.read(() =>
        rows<{ book_id: number }>(sql`SELECT DISTINCT book_id FROM transactions`),
      );
      assert.deepEqual(
        left.map(({ book_id }) => book_id),
        [ben.identity.book.id],
      );
      assert.equal((await state(ben.token)).statusCode, 200);
    },
  );
