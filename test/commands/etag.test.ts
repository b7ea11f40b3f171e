import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { coffer, makeFolder } from '../../packages/cli/src/testing/run-coffer.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve } from '../../packages/server/src/main.ts';

const folder = makeFolder();
const who = ['--email', 'me@example.com'];
const targets = ['/v2/transactions', '/v2/transactions?limit=1', '/v2/categories', '/v2/tags'];

/** Creates the user and the first import, so that every such book has the same version and id. */
async function makeBook(database: string): Promise<void> {
  const flags = ['--database', database];
  await coffer('user', 'create', '--name', 'Me', ...who, ...flags);
  await importRow(database, 'first');
}

async function importRow(database: string, payee: string): Promise<void> {
  const file = join(folder, 'rows.csv');
  const row = `2026-01-02,${payee},-1.00,${payee}`;
  writeFileSync(file, `date,payee,amount,category\n${row}\n`);
  await coffer('import', file, ...who, '--database', database);
}

/** Reads every target from a new server, with the ETags of an earlier reading if given. */
async function readAll(database: string, tags: readonly string[] = []) {
  const token = (await coffer('token', 'create', ...who, '--database', database)).trim();
  const flags = { host: '127.0.0.1', port: '0', logLevel: 'silent', database };
  const server = await serve(readConfig(flags, {}));
  const answers = await Promise.all(
    targets.map(async (target, place) => {
      const tag = tags[place];
      const known = tag === undefined ? {} : { 'If-None-Match': tag };
      const headers = { Authorization: `Bearer ${token}`, ...known };
      const answer = await fetch(`${server.url}${target}`, { headers });
      const text = await answer.text();
      return { status: answer.status, tag: answer.headers.get('etag') ?? '', text };
    }),
  );
  await server.close();
  return answers;
}

/**
 * Asserts that ETags of one history never match in another, however similar both are: the same book, the same number of
 * changes, and other records.
 */
async function assertWorthless(database: string, beginAnew: () => Promise<void>): Promise<void> {
  await importRow(database, 'second');
  const before = await readAll(database);
  const tags = before.map(({ tag }) => tag);
  for (const { status } of await readAll(database, tags)) assert.equal(status, 304);
  await beginAnew();
  await importRow(database, 'other');
  for (const [place, { status, tag, text }] of (await readAll(database, tags)).entries()) {
    assert.equal(status, 200, targets[place]);
    assert.notEqual(tag, before[place]!.tag);
    if (targets[place] !== '/v2/tags') assert.notEqual(text, before[place]!.text);
  }
}

describe('an ETag of a SQLite database', () => {
  it('does not match after a backup was restored and the book changed differently', async () => {
    const database = `sqlite:${join(folder, 'restored.db')}`;
    const backup = join(folder, 'backup.db');
    await makeBook(database);
    await coffer('backup', backup, '--database', database);
    await assertWorthless(database, async () => {
      await coffer('restore', backup, '--replace', '--database', database);
    });
  });

  it('does not match in a new database with the same name', async () => {
    const path = join(folder, 'anew.db');
    await makeBook(`sqlite:${path}`);
    await assertWorthless(`sqlite:${path}`, async () => {
      for (const end of ['', '-wal', '-shm', '-lock']) rmSync(`${path}${end}`, { force: true });
      await makeBook(`sqlite:${path}`);
    });
  });
});
