import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { coffer, makeFolder, runCoffer } from './testing/run-coffer.ts';

const folder = makeFolder();

async function makeDemo(name: string, damage: string): Promise<string[]> {
  const file = join(folder, name);
  const database = ['--database', `sqlite:${file}`];
  await coffer('demo', '--transactions', '200', ...database);
  const engine = new DatabaseSync(file);
  engine.exec(damage);
  engine.close();
  return database;
}

test('a sound database is told to be sound', async () => {
  const database = await makeDemo('sound.db', '');
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
  assert.deepEqual(JSON.parse(await coffer('doctor', '--json', ...database)), { findings: [] });
});

test('what does not agree is told and ends with 1 until it is mended', async () => {
  const damage = "UPDATE transaction_counts SET listed = listed + 1 WHERE granularity = 'month'";
  const database = await makeDemo('damaged.db', damage);
  const found = await runCoffer(['doctor', ...database]);
  assert.equal(found.code, 1);
  assert.match(
    found.stdout,
    /^transaction_counts: Book 1, month 20\d\d-\d\d: \d+ are counted, \d+ are/,
  );
  assert.match(found.stderr, /^\d+ findings not mended: try --repair\n$/);
  const again = await runCoffer(['doctor', '--json', ...database]);
  assert.equal(again.code, 1);
  const { findings } = JSON.parse(again.stdout) as { findings: { repaired: boolean }[] };
  assert.equal(`${findings.length} findings not mended: try --repair\n`, found.stderr);
  assert.ok(findings.every(({ repaired }) => !repaired));

  const mended = await runCoffer(['doctor', '--repair', ...database]);
  assert.deepEqual([mended.code, mended.stderr], [0, '']);
  assert.match(mended.stdout, / \(mended\)\n$/);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});

test('what cannot be mended ends with 1 even so', async () => {
  const damage = 'UPDATE transactions SET amount = amount + 1 WHERE split_parent_id IS NOT NULL';
  const database = await makeDemo('splits.db', damage);
  const { code, stdout, stderr } = await runCoffer(['doctor', '--repair', ...database]);
  assert.equal(code, 1);
  assert.match(stdout, /^splits: Transaction \d+ is /m);
  assert.match(stderr, /cannot be mended by --repair\n$/);
});
