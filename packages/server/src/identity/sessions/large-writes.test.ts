import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import { apiOf } from '../../all.ts';
import { Emit, row, run, type Engine } from '../../db/engine.ts';
import { SqliteEngine } from '../../db/sqlite/sqlite.ts';
import { engines } from '../../db/testing/engines.ts';
import { createApp } from '../../http/app.ts';
import { parseTrustedProxies } from '../../limiter/address.ts';
import { createMemoryLimiter } from '../../limiter/memory.ts';
import type { Book } from '../../operations/caller.ts';
import { noServices } from '../../services.ts';
import { listTokens } from '../users/actions.ts';
import { newBook } from '../users/testing/new-book.ts';
import { createLink } from './actions.ts';
import { Browser } from './testing/browser.ts';
import { lightenPasswords } from './testing/light-passwords.ts';

before(lightenPasswords);

/** Begins a write that locks the book, in another node. Returns a function that ends it. */
async function beginLargeWrite(engine: Engine, { id }: Book): Promise<() => Promise<void>> {
  if (engine instanceof SqliteEngine) {
    engine.execute('BEGIN IMMEDIATE');
    return async () => engine.execute('COMMIT');
  }
  const gate = engine
    .stream(function* () {
      yield* run(sql`SELECT pg_advisory_xact_lock(7)`);
      yield new Emit(null);
    })
    [Symbol.asyncIterator]();
  await gate.next();
  const write = engine.write(function* () {
    yield* run(sql`UPDATE books SET version = version + 1 WHERE id = ${id}`);
    yield* run(sql`SELECT pg_advisory_xact_lock(7)`);
  });
  const waits = sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  while ((await engine.readStatement(() => row(waits))) === undefined);
  return async () => {
    await gate.return?.();
    await write;
  };
}

for (const { name, skip, openNodes } of engines) {
  describe(`during a large write on ${name}`, { skip, timeout: 50_000 }, async () => {
    if (skip !== false) return;
    const [engine, other] = (await openNodes([Date.now, Date.now])) as [Engine, Engine];
    const app = createApp({
      engine,
      ...apiOf(noServices),
      limiter: createMemoryLimiter({ rateLimit: { limit: 1_000_000, windowMs: 60_000 } }),
      trustedProxies: parseTrustedProxies(''),
      logLevel: 'silent',
      limits: { closeNoticeMs: 0 },
    });
    after(() => app.close());
    const book = await newBook(engine);

    it('users sign in and out, and make and revoke tokens, without waiting', async () => {
      const browser = new Browser(app);
      await browser.signIn(engine, book);
      const password = 'correct horse battery';
      assert.equal(await browser.status('PUT', '/coffer/password', { password }), 204);
      const { email } = (await browser.send<{ user: { email: string } }>('GET', '/coffer/session'))
        .body.user;
      const secret = await engine.write(() => createLink(book));
      type Made = Readonly<{ id: number; token: string }>;
      const make = () => browser.send<Made>('POST', '/coffer/tokens', { label: 'x' });
      const { body: old } = await make();
      const use = async ({ token }: Made): Promise<number> => {
        const headers = { authorization: `Bearer ${token}` };
        return (await app.inject({ url: '/v2/me', headers })).statusCode;
      };

      const end = await beginLargeWrite(other, book);
      const [byLink, byPassword, wrong] = [new Browser(app), new Browser(app), new Browser(app)];
      const link = { method: 'link', secret };
      assert.equal(await byLink.status('POST', '/coffer/session', link), 201);
      assert.equal(await new Browser(app).status('POST', '/coffer/session', link), 401);
      const sent = { method: 'password', email, password };
      assert.equal(await byPassword.status('POST', '/coffer/session', sent), 201);
      const guessed = { ...sent, password: 'wrong horse battery' };
      assert.equal(await wrong.status('POST', '/coffer/session', guessed), 401);
      assert.equal(await byLink.status('DELETE', '/coffer/session'), 204);
      const { body: made } = await make();
      assert.deepEqual([await use(made), await use(old)], [200, 200]);
      assert.equal(await browser.status('DELETE', `/coffer/tokens/${old.id}`), 204);
      assert.deepEqual([await use(made), await use(old)], [200, 401]);
      await end();

      assert.equal(await byPassword.status('GET', '/v2/me'), 200);
      // What follows waits until what was pending is in the database.
      assert.equal(await browser.status('PUT', '/coffer/password', { password }), 204);
      const tokens = await other.read(() => listTokens(book.id));
      assert.deepEqual(
        tokens.map(({ id, revoked_at }) => [id, revoked_at !== null]),
        [
          [old.id, true],
          [made.id, false],
        ],
      );
    });
  });
}
