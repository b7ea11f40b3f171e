import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { run, type Engine } from '../engine.ts';
import { newFolder } from '../testing/folder.ts';
import { checkpointFile, openSqlite } from './sqlite.ts';

function insertPages(engine: Engine, count: number): Promise<void> {
  return engine.write(() =>
    run(
      raw(`INSERT INTO pages
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT zeroblob(16000) FROM n`),
    ),
  );
}

it('a long log is written to the file elsewhere, a short one by a write', async () => {
  const path = join(newFolder(), 'coffer.db');
  let asked = 0;
  const done = Promise.withResolvers<undefined>();
  const checkpoint = () => {
    asked += 1;
    return done.promise;
  };
  const engine = openSqlite({ path, busyTimeoutMs: 1000, checkpoint });
  engine.execute('CREATE TABLE pages (bytes BLOB)');
  const other = new Database(path);
  const pages = (): number => {
    const [{ log, checkpointed }] = other.pragma('wal_checkpoint(NOOP)') as [
      { log: number; checkpointed: number },
    ];
    return log - checkpointed;
  };
  const insert = (count: number) => insertPages(engine, count);
  const writes = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each += 1) await insert(1);
  };
  await insert(1200);
  await writes(15);
  assert.equal(asked, 0);
  assert.equal(pages(), 0);
  await insert(2500);
  await writes(31);
  assert.equal(asked, 1, 'not again before it is done');
  assert.ok(pages() > 2500, 'this thread has not done it');
  // As a thread does it.
  await checkpointFile(path);
  assert.equal(pages(), 0);
  done.resolve(undefined);
  other.close();
  await engine.close();
});

it('no commit of this thread cuts a log of 100 MB: a checkpoint elsewhere does, when nobody reads it', async () => {
  const path = join(newFolder(), 'coffer.db');
  let asked = 0;
  const checkpoint = () => {
    asked += 1;
    return checkpointFile(path);
  };
  const engine = openSqlite({ path, busyTimeoutMs: 1000, checkpoint });
  engine.execute('CREATE TABLE pages (bytes BLOB)');
  const logMB = (): number => statSync(`${path}-wal`).size / 2 ** 20;
  const reader = new Database(path);
  await insertPages(engine, 6000);
  reader.exec('BEGIN; SELECT count(*) FROM pages');
  await checkpointFile(path);
  assert.ok(logMB() > 90, 'somebody reads it');
  await insertPages(engine, 1);
  reader.exec('COMMIT');
  // The log begins again.
  reader.pragma('wal_checkpoint(PASSIVE)');
  await insertPages(engine, 1200);
  assert.ok(logMB() > 90, 'it was not cut');
  assert.equal(asked, 0);
  for (let each = 0; each < 13; each += 1) await insertPages(engine, 1);
  assert.equal(asked, 1, 'a long log is not for this thread, however few pages it has');
  await checkpointFile(path);
  assert.equal(logMB(), 0);
  reader.close();
  await engine.close();
});
