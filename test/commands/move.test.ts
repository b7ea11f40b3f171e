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
const queries = [
  'limit=500',
  'limit=100&offset=1900',
  'limit=77&offset=77&include_pending=true&include_split_parents=true&include_group_children=true',
  'limit=200&include_metadata=true&include_files=true&include_children=true',
  'start_date=2020-01-01&end_date=2022-12-31',
];

describe('coffer move', { skip, timeout: 300_000 }, () => {
  const folder = makeFolder();
  const [there, back] = ['there.db', 'back.db'].map((name) => `sqlite:${join(folder, name)}`);
  let postgres: PostgresServer;
  let url: string;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
  });
  after(() => postgres.stop());

  /** Every page of a server, byte by byte, and the ETags of the pages. */
  async function pagesOf(database: string, token: string) {
    const flags = ['--port', '0', '--log-level', 'silent', '--database', database];
    const server = spawnCoffer(['serve', ...flags]);
    const [, origin = ''] = await readUntil(server.stdout, /listening on (\S+)/);
    const pages: unknown[] = [];
    const tags: string[] = [];
    for (const path of [...queries.map((query) => `transactions?${query}`), 'categories', 'me']) {
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${origin}/v2/${path}`, { headers });
      const body = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      pages.push([path, answer.status, body]);
      tags.push(answer.headers.get('etag') ?? '');
    }
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    return { pages, tags: new Set(tags) };
  }

  it('moves to PostgreSQL and back without changing any page or token', async () => {
    const [from = '', to = ''] = [there, back];
    const made = await coffer('demo', '--transactions', '2500', '--database', from);
    const token = made.trim();
    const before = await pagesOf(from, token);
    const isSame = async (database: string): Promise<void> => {
      const { pages, tags } = await pagesOf(database, token);
      assert.deepEqual(pages, before.pages);
      assert.ok(![...tags].some((tag) => before.tags.has(tag)), 'an ETag of another database');
    };
    assert.match(await coffer('move', '--from', from, '--to', url), /^Moved 1 book with 2,500 /);
    await isSame(url);
    assert.equal(await coffer('doctor', '--database', url), 'Everything agrees\n');
    assert.match(await coffer('move', '--from', url, '--to', to), /^Moved 1 book with 2,500 /);
    await isSame(to);
    assert.equal(await coffer('doctor', '--database', to), 'Everything agrees\n');
    assert.ok(before.pages.every((page) => (page as unknown[])[1] === 200));
  });

  it('is refused while a busy server uses the PostgreSQL database', async () => {
    const database = ['--port', '0', '--log-level', 'silent', '--database', url];
    const server = spawnCoffer(['serve', ...database]);
    const [, origin = ''] = await readUntil(server.stdout, /listening on (\S+)/);
    assert.equal((await fetch(`${origin}/readyz`)).status, 200);
    const argv = ['move', '--from', url, '--to', `sqlite:${join(folder, 'third.db')}`];
    const refused = await runCoffer(argv);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^The source is in use: stop its servers, .*\n$/);
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    assert.equal((await runCoffer(argv)).code, 0);
  });

  it('refuses a PostgreSQL database that has rows', async () => {
    const from = there ?? '';
    const refused = await runCoffer(['move', '--from', from, '--to', url]);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /^The target already has rows in .*CREATE DATABASE.*\n$/);
  });
});
