/*
 * A thread or a process that writes again and again without a pause: `node steady-writer.ts FILE WRITES`. Each write
 * inserts a row into `written` and takes some hundredths of a second. It reports when the first one is done.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import sql from 'sql-template-tag';
import { run } from '../engine.ts';
import { openSqlite } from '../sqlite/sqlite.ts';

const [path, writes] = (isMainThread ? process.argv.slice(2) : workerData) as [string, string];
const engine = openSqlite({ path, busyTimeoutMs: 60_000 });
for (let write = 0; write < Number(writes); write += 1) {
  await engine.write(function* () {
    yield* run(sql`INSERT INTO written SELECT count(*) FROM (
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i FROM n)`);
  });
  if (write > 0) continue;
  if (isMainThread) process.stdout.write('wrote\n');
  else parentPort!.postMessage('wrote');
}
await engine.close();
