import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import sql from 'sql-template-tag';
import { rows } from '../../packages/server/src/db/engine.ts';
import {
  newPostgresUrl,
  noPostgres,
  openSmallPostgres,
} from '../../packages/server/src/db/testing/engines.ts';
import { as, listen, makeTestApp } from '../../packages/server/src/http/testing/test-app.ts';
import { until } from './nodes.ts';

it(
  'connections of PostgreSQL come back from clients that disconnect before the response',
  { skip: noPostgres },
  async () => {
    const url = await newPostgresUrl();
    const other = openSmallPostgres(url);
    const waiting = async (): Promise<number> => {
      const locked = sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      return (await other.read(() => rows(locked))).length;
    };
    const { app, ada } = await makeTestApp({ opened: openSmallPostgres(url, { maxWaiting: 100 }) });
    const port = await listen(app);
    const target = { port, host: '127.0.0.1', path: '/v2/me', headers: as(ada) };
    await other.migrate(0, async (connection) => {
      await connection.command('LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE');
      const gone = Array.from({ length: 20 }, () =>
        request(target)
          .on('error', () => undefined)
          .end(),
      );
      await until(async () => (await waiting()) === 2, 'two requests wait for the lock');
      for (const asked of gone) asked.destroy();
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`http://127.0.0.1:${port}/v2/me`, { headers: as(ada) }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  },
);
