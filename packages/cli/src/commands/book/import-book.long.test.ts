import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { coffer, makeFolder, runCoffer, spawnCoffer } from '../../testing/run-coffer.ts';

const laterMs = Date.parse('2100-01-01');

test('an import that is killed at any time leaves nothing to see, and the next one is whole', async () => {
  const folder = makeFolder();
  const [from, to] = ['from', 'to'].map((name) => [
    '--database',
    `sqlite:${join(folder, `${name}.db`)}`,
  ]) as [string[], string[]];
  const archive = join(folder, 'book.tar.gz');
  await coffer('demo', '--transactions', '20000', ...from);
  await coffer('export', '--format', 'archive', '--output', archive, ...from);
  await coffer('user', 'create', '--email', 'me@example.com', '--name', 'Me', ...to);
  const before = await coffer('book', 'list', ...to);
  let killed = 0;
  for (const bytes of [1, 3, 6, 9]) {
    const child = spawnCoffer(['book', 'import', archive, ...to]);
    // It is killed when the write-ahead log has so many megabytes.
    const log = join(folder, 'to.db-wal');
    while (child.exitCode === null && sizeOf(log) < bytes * 2 ** 20)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal === 'SIGKILL') killed += 1;
    assert.equal(await coffer('book', 'list', ...to), before);
  }
  assert.ok(killed > 0);
  const now = (): Date => new Date(laterMs);
  const { code, stderr } = await runCoffer(['book', 'import', archive, ...to], { now });
  assert.equal(code, 0, stderr);
  assert.equal(await coffer('doctor', ...to), 'Everything agrees\n');
  const csv = async (whose: string[]): Promise<string[]> => {
    const text = await coffer('export', ...whose);
    return text.split('\n').map((line) => line.replace(/^\d+,/, ''));
  };
  const whose = [...to, '--book', 'Demo Household'];
  assert.deepEqual((await csv(whose)).toSorted(), (await csv(from)).toSorted());
});

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
