import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  coffer,
  makeFolder,
  readUntil,
  runCoffer,
  spawnCoffer,
} from '../../packages/cli/src/testing/run-coffer.ts';
import {
  postgresPrograms,
  startPostgres,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';

const skip = postgresPrograms() === null && 'missing: postgres';

describe('coffer move', { skip, timeout: 300_000 }, () => {
  const folder = makeFolder();
  const [there = '', back = ''] = ['there', 'back'].map((name) => `sqlite:${join(folder, name)}`);
  let postgres: PostgresServer;
  let url: string;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
  });
  after(() => postgres.stop());

  it('moves to PostgreSQL and back, and tokens still open the book', async () => {
    const token = (await coffer('demo', '--transactions', '2500', '--database', there)).trim();
    const exported = (database: string) =>
      coffer('export', '--format', 'ndjson', '--database', database);
    const original = await exported(there);
    for (const [from, to] of [
      [there, url],
      [url, back],
    ] as const) {
      const moved = await coffer('move', '--from', from, '--to', to);
      assert.match(moved, /^Moved 1 book with 2,500 /);
      assert.equal(await coffer('doctor', '--database', to), 'Everything agrees\n');
      assert.equal(await exported(to), original);
    }
    const refused = await runCoffer(['move', '--from', there, '--to', url]);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^The target already has rows in .*CREATE DATABASE.*\n$/);
    const flags = ['--port', '0', '--log-level', 'silent', '--database', url];
    const server = spawnCoffer(['serve', ...flags]);
    const [, origin = ''] = await readUntil(server.stdout, /listening on (\S+)/);
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${origin}/v2/me`, { headers })).status, 200);
    const argv = ['move', '--from', url, '--to', `sqlite:${join(folder, 'third.db')}`];
    const busy = await runCoffer(argv);
    assert.deepEqual([busy.code, busy.stdout], [1, '']);
    assert.match(busy.stderr, /^The source is in use: stop its servers, .*\n$/);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    assert.equal((await runCoffer(argv)).code, 0);
  });
});
