import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { coffer, makeFolder, runCoffer } from '../../testing/run-coffer.ts';

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

test('an intact database has no findings', async () => {
  const database = await makeDemo('sound.db', '');
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
  const { findings, change_log } = JSON.parse(
    await coffer('doctor', '--json', ...database),
  ) as Record<string, unknown[] & { oldest_at: string; versions: number }>;
  assert.deepEqual([findings, change_log!.versions], [[], 1]);
  const day = change_log!.oldest_at.slice(0, 10);
  const { stderr } = await runCoffer(['doctor', ...database]);
  assert.match(
    stderr,
    new RegExp(`^Note: Change log: 1 change, [\\d,]+ lines, [.\\d]+ MB, since ${day}\n$`),
  );
});

test('findings are printed, and the exit code is 1 until they are fixed', async () => {
  const damage = "UPDATE transaction_counts SET listed = listed + 1 WHERE granularity = 'month'";
  const database = await makeDemo('damaged.db', damage);
  const found = await runCoffer(['doctor', ...database]);
  assert.equal(found.code, 1);
  assert.match(
    found.stdout,
    /^transaction_counts: Book 1, month 20\d\d-\d\d: the stored count is \d+, the actual count is \d+/,
  );
  const again = await runCoffer(['doctor', '--json', ...database]);
  assert.equal(again.code, 1);
  const { findings } = JSON.parse(again.stdout) as {
    findings: { repaired: boolean; count?: number }[];
  };
  // At most 20 findings of a check are listed, and another line counts the rest.
  const rest = findings.at(-1)!;
  assert.ok(found.stdout.endsWith(`transaction_counts: … and ${rest.count} more\n`));
  assert.ok(found.stderr.endsWith(`\n${20 + rest.count!} findings not fixed. Try --repair\n`));
  assert.ok(findings.every(({ repaired }) => !repaired));

  const fixed = await runCoffer(['doctor', '--repair', ...database]);
  assert.equal(fixed.code, 0);
  assert.match(fixed.stdout, / \(fixed\)\n$/);
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});

test('the exit code is 1 for findings that cannot be fixed', async () => {
  const damage = 'UPDATE transactions SET amount = amount + 1 WHERE split_parent_id IS NOT NULL';
  const database = await makeDemo('splits.db', damage);
  const { code, stdout, stderr } = await runCoffer(['doctor', '--repair', ...database]);
  assert.equal(code, 1);
  assert.match(stdout, /^splits: Transaction \d+ has /m);
  assert.match(stderr, /cannot be fixed with --repair\n$/);
});

test('a key that does not open what is stored is said', async () => {
  const [key, other] = ['11'.repeat(32), '22'.repeat(32)];
  const database = await makeDemo('sealed.db', '');
  const add = ['webhook', 'add', 'https://hooks.example/x', ...database];
  assert.equal((await runCoffer(add, { environment: { ENCRYPTION_KEY: key } })).code, 0);
  for (const [environment, code] of [
    [{}, 0],
    [{ ENCRYPTION_KEY: key }, 0],
    [{ ENCRYPTION_KEY: other }, 1],
  ] as const) {
    const found = await runCoffer(['doctor', ...database], { environment });
    assert.equal(found.code, code);
    const said = /^encryption_key: ENCRYPTION_KEY is not the key with which .* of 1 webhooks were/m;
    assert.equal(said.test(found.stdout), code === 1);
  }
  const wrong = await runCoffer(['doctor', ...database], { environment: { ENCRYPTION_KEY: 'x' } });
  assert.match(wrong.stderr, /ENCRYPTION_KEY: An encryption key is 32 bytes/);
});
