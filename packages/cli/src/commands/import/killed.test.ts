import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeBook, makeFolder, spawnCoffer } from '../../testing/run-coffer.ts';

const rowCount = 50_000;
/** The engine keeps the first rows in memory. A file of this size contains rows. */
const writtenBytes = 4_000_000;

/** Resolves when the file has that size. */
async function waitForBytes(folder: string, name: string, signal: AbortSignal): Promise<void> {
  for await (const { filename } of watch(folder, { signal })) {
    if (filename !== name) continue;
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && stats.size > writtenBytes) return;
  }
}

test('an import that is killed in the middle changes nothing', { timeout: 300_000 }, async () => {
  const folder = makeFolder();
  const whose = await makeBook(folder);
  const file = join(folder, 'large.csv');
  const rows = Array.from(
    { length: rowCount },
    (_, index) => `2024-01-02,Payee ${index},-1.00,Cash`,
  );
  writeFileSync(file, `Date,Payee,Amount,Account\n${rows.join('\n')}\n`);

  const ended = new AbortController();
  const written = waitForBytes(folder, 'coffer.db-wal', ended.signal);
  const child = spawnCoffer(['import', file, ...whose]);
  child.once('exit', () => ended.abort(new Error('The import ended before it could be killed')));
  await written;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  assert.deepEqual(await exit, [null, 'SIGKILL']);

  const [, ...whereabouts] = whose;
  assert.equal(await coffer('doctor', ...whereabouts.slice(1)), 'Everything agrees\n');
  assert.equal((await coffer('export', ...whose)).split('\n').length, 2);
  assert.doesNotMatch(await coffer('export', '--format', 'ndjson', ...whose), /Cash|Payee/);
  const summary = JSON.parse(await coffer('import', file, '--json', ...whose)) as {
    imported: number;
  };
  assert.equal(summary.imported, rowCount);
});
