import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import Database from 'better-sqlite3';
import { raw } from 'sql-template-tag';
import { run } from '../engine.ts';
import { newFolder } from '../testing/folder.ts';
import { checkpointSteps, openSqlite } from './sqlite.ts';

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
  const insert = (count: number) =>
    engine.write(() =>
      run(
        raw(`INSERT INTO pages
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
          SELECT zeroblob(16000) FROM n`),
      ),
    );
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
  const thread = openSqlite({ path, busyTimeoutMs: 1000 });
  await thread.readStatement(checkpointSteps);
  await thread.close();
  assert.equal(pages(), 0);
  done.resolve(undefined);
  other.close();
  await engine.close();
});
