import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'coffer-tests-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function plant(name: string, lines: string[]): string {
  const file = join(folder, `${name}.test.ts`);
  writeFileSync(file, ["import { test } from 'node:test';", ...lines].join('\n'));
  return file;
}

/** Runs the script as npm does, with these arguments only. */
function runTests(args: string[], ci: string): SpawnSyncReturns<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, CI: ci };
  // With this variable Node refuses to run tests within tests.
  delete env['NODE_TEST_CONTEXT'];
  const script = join(import.meta.dirname, 'test.ts');
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env, timeout: 60_000 });
}

const passing = plant('passing', ["test('one', () => {});", "test('two', () => {});"]);
const failing = plant('failing', ["test('three', () => { throw new Error('no'); });"]);
const skipping = plant('skipping', [
  "test('four', { skip: 'missing: redis-server' }, () => {});",
  "test('five', { skip: 'only on Sundays' }, () => {});",
  "test('six', { skip: true }, () => {});",
]);

test('ends with 0 and the summary of the runner when every test passes', () => {
  const { status, stdout } = runTests([passing], 'true');
  assert.equal(status, 0);
  assert.match(stdout, /^ℹ tests 2\n(ℹ .*\n)*ℹ pass 2\nℹ fail 0$/m);
  assert.doesNotMatch(stdout, /Skipped tests/);
});

test('ends with 1 when a test fails', () => {
  const { status, stdout } = runTests([passing, failing], '');
  assert.equal(status, 1);
  assert.match(stdout, /^ℹ tests 3\n(ℹ .*\n)*ℹ pass 2\nℹ fail 1$/m);
});

test('lists every skipped test with its reason at the end', () => {
  const { status, stdout } = runTests([skipping], '');
  assert.equal(status, 0);
  const end =
    'Skipped tests (3):\n  four (missing: redis-server)\n  five (only on Sundays)\n  six\n';
  assert.ok(stdout.endsWith(end), stdout);
});

test('fails in CI when a test was skipped because something is missing, and only then', () => {
  const { status, stderr } = runTests([skipping], 'true');
  assert.equal(status, 1);
  assert.match(stderr, /^Tests were skipped because/);
  assert.equal(runTests([skipping, '--test-skip-pattern=four'], 'true').status, 0);
});

test('runs only the tests whose name matches', () => {
  const { status, stdout } = runTests(['--test-name-pattern', 'one|six', passing], '');
  assert.equal(status, 0);
  assert.match(stdout, /^ℹ tests 1$/m);
});

test('refuses a missing file', () => {
  const { status, stderr } = runTests(['packages/nowhere.test.ts'], '');
  assert.equal(status, 1);
  assert.equal(stderr, 'There are no such tests\n');
});
