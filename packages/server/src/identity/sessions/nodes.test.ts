import { createLink } from './actions.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import sql from 'sql-template-tag';
import type { FastifyInstance } from 'fastify';
import { rows, run, type Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { createApp } from '../../http/app.ts';
import { parseTrustedProxies } from '../../limiter/address.ts';
import { createMemoryLimiter } from '../../limiter/memory.ts';
import { noServices } from '../../services.ts';
import { newBook } from '../users/testing/new-book.ts';
import type { SessionState } from '../sign-in/routes.ts';
import { sessionsJob } from '../../all-jobs.ts';
import { Browser } from './testing/browser.ts';
import { lightenPasswords } from './testing/light-passwords.ts';
import { apiOf } from '../../all.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const dayMs = 86_400_000;

before(lightenPasswords);

for (const { name, skip, openNodes } of usualEngines) {
  describe(`two nodes of one database on ${name}`, { skip }, async () => {
    if (skip !== false) return;
    let nowMs = startMs;
    const now = () => nowMs;
    const nodes = await openNodes([now, now]);
    const apps = nodes.map((engine) => appOf(engine, now));
    after(() => Promise.all(apps.map((app) => app.close())));
    const [engine] = nodes as [Engine];
    const [first, second] = apps as [FastifyInstance, FastifyInstance];
    const book = await newBook(engine);

    const both = async () => {
      const [one, other] = [new Browser(first), new Browser(second)];
      assert.equal((await one.signIn(engine, book)).status, 201);
      other.cookie = one.cookie;
      assert.equal(await other.status('GET', '/v2/me'), 200);
      return [one, other] as const;
    };

    it('a session that ends is dead at once on both', async () => {
      const [one, other] = await both();
      assert.equal(await one.status('DELETE', '/coffer/session'), 204);
      assert.equal(await other.status('GET', '/v2/me'), 401);
      const [[own], [, remote]] = [await both(), await both()];
      const { body } = await remote.send<SessionState>('GET', '/coffer/session');
      const url = `/coffer/sessions/${body.session!.id}`;
      for (const status of [204, 404]) assert.equal(await own.status('DELETE', url), status);
      assert.equal(await remote.status('GET', '/v2/me'), 401);
      assert.equal(await own.status('GET', '/v2/me'), 200);
    });

    it('of two that set the password at once, one does, and no session of the other goes on', async () => {
      const password = 'correct horse battery';
      for (let round = 0; round < 3; round += 1) {
        const [[one], [, other]] = [await both(), await both()];
        const set = async (browser: Browser, text: string) =>
          browser.status('PUT', '/coffer/password', { password: text });
        assert.equal(await set(one, password), 204);
        const [, again] = await both();
        const { email } = (await again.send<SessionState>('GET', '/coffer/session')).body.user!;
        const late = new Browser(first);
        const sent = { method: 'password', email, password };
        const statuses = await Promise.all([
          set(one, 'of the owner'),
          set(again, 'of the thief'),
          late.status('POST', '/coffer/session', sent),
        ]);
        const done = statuses.slice(0, 2).filter((status) => status === 204);
        assert.equal(done.length, 1, String(statuses));
        const winner = statuses[0] === 204 ? one : again;
        for (const browser of [one, again, other, late])
          assert.equal(await browser.status('GET', '/v2/me'), browser === winner ? 200 : 401);
      }
    });

    it('a token that is revoked is refused at once on both', async () => {
      const [one] = await both();
      type Made = Readonly<{ id: number; token: string }>;
      const { body } = await one.send<Made>('POST', '/coffer/tokens', { label: 'x' });
      const headers = { authorization: `Bearer ${body.token}` };
      const use = async () => (await second.inject({ url: '/v2/me', headers })).statusCode;
      assert.equal(await use(), 200);
      assert.equal(await one.status('DELETE', `/coffer/tokens/${body.id}`), 204);
      assert.equal(await use(), 401);
    });

    it('a link works once, though both get it at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const secret = await engine.write(() => createLink(book));
        const sent = { method: 'link', secret };
        const signIn = (app: FastifyInstance) =>
          new Browser(app).status('POST', '/coffer/session', sent);
        const statuses = await Promise.all([first, second, first, second].map(signIn));
        assert.deepEqual(statuses.toSorted(), [201, 401, 401, 401]);
      }
    });

    it('wrong passwords are counted together', async () => {
      const sent = { method: 'password', email: 'no@example.org', password: 'wrong' };
      const statuses = await Promise.all(
        Array.from({ length: 14 }, (_, n) =>
          new Browser(n % 2 ? first : second).status('POST', '/coffer/session', sent),
        ),
      );
      assert.equal(statuses.filter((status) => status === 401).length, 10);
      assert.equal(statuses.filter((status) => status === 429).length, 4);
    });

    it('sessions and links of a copy of the database are not valid', async () => {
      const [one] = await both();
      const secret = await engine.write(() => createLink(book));
      await engine.write(() => run(sql`UPDATE sessions SET database_id = 'another'`));
      await engine.write(() => run(sql`UPDATE sign_in_links SET database_id = 'another'`));
      assert.equal(await one.status('GET', '/v2/me'), 401);
      const sent = { method: 'link', secret };
      assert.equal(await one.status('POST', '/coffer/session', sent), 401);
    });

    it('what has expired is deleted, and nothing else', async () => {
      await both();
      await engine.write(() => createLink(book));
      const counts = () =>
        engine.read(() =>
          rows<Record<string, number>>(sql`
            SELECT (SELECT count(*) FROM sessions) AS sessions, (SELECT count(*) FROM sign_in_links) AS links,
              (SELECT count(*) FROM sign_in_failures) AS failures`),
        );
      const countsAfter = async (days: number) => {
        nowMs += days * dayMs;
        await sessionsJob.run(engine, nowMs, new AbortController().signal);
        return counts();
      };
      const before = await counts();
      assert.deepEqual(await countsAfter(0), before);
      const { sessions } = before[0]!;
      assert.deepEqual(await countsAfter(1), [{ sessions, links: 0, failures: 0 }]);
      assert.deepEqual(await countsAfter(30), [{ sessions: 0, links: 0, failures: 0 }]);
    });
  });
}

function appOf(engine: Engine, now: () => number): FastifyInstance {
  return createApp({
    engine,
    now,
    ...apiOf(noServices),
    limiter: createMemoryLimiter({ rateLimit: { limit: 1_000_000, windowMs: 60_000 } }),
    trustedProxies: parseTrustedProxies(''),
    logLevel: 'silent',
    limits: { closeNoticeMs: 0 },
  });
}
