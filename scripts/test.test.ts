import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { newFolder } from '../packages/server/src/db/testing/folder.ts';
import { describe, test } from 'node:test';
import { makeMemoryFolder } from './tests/memory-folder.ts';

const folder = newFolder();

function plant(name: string, lines: readonly string[]): string {
  const file = join(folder, `${name}.test.ts`);
  const imports = ["import { after, before, describe, test } from 'node:test';"];
  writeFileSync(file, [...imports, ...lines].join('\n'));
  return file;
}

/** Runs the script as npm does, with these arguments only. */
function runTests(args: readonly string[], ci = '', more = {}): SpawnSyncReturns<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, CI: ci, ...more };
  // With this variable Node refuses to run tests within tests.
  delete env['NODE_TEST_CONTEXT'];
  const script = join(import.meta.dirname, 'test.ts');
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env, timeout: 90_000 });
}

/** Lines that start a process which never ends. */
const startChild = [
  "const child = (await import('node:child_process')).spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)']);",
  "(await import('node:fs')).writeFileSync(new URL('child.pid', import.meta.url), String(child.pid));",
];

function isChildAlive(): boolean {
  const pid = readFileSync(join(folder, 'child.pid'), 'utf8');
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** A killed process may still wait for a processor to end on. */
async function childEnds(): Promise<void> {
  while (isChildAlive()) await setImmediate();
}

const passing = plant('passing', ["test('one', () => {});", "test('two', () => {});"]);
const failing = plant('failing', ["test('three', () => { throw new Error('no'); });"]);
const skipping = plant('skipping', [
  "test('four', { skip: 'missing: redis-server' }, () => {});",
  "test('five', { skip: 'only on Sundays' }, () => {});",
  "describe('six', { skip: true }, () => { test('inner', () => {}); });",
]);

describe('npm test', () => {
  test('ends with 0, the counts and the costs when every test passes', () => {
    const { status, stdout } = runTests([passing], 'true');
    assert.equal(status, 0);
    assert.match(stdout, /passing\.test\.ts \(2 passed, [\d.]+ s\)$/m);
    assert.match(stdout, /^Costliest files.*\n +[\d.]+ {2}.*passing\.test\.ts/m);
    assert.match(stdout, /^ℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ skipped 0\nℹ files 1\nℹ wall time/m);
    assert.doesNotMatch(stdout, /Skipped tests|Failed tests/);
  });

  test('ends with 1 and names each test that failed, with its error', () => {
    const broken = plant('broken', ["throw new Error('cannot be read');"]);
    const { status, stdout } = runTests([passing, failing, broken]);
    assert.equal(status, 1);
    assert.match(stdout, /✖ .*failing\.test\.ts.*\n {2}three\n {4}Error: no\n/);
    assert.match(stdout, /Failed tests \(2\):\n.*: (three|the file itself)\n/);
    assert.match(stdout, /the file itself\n.*Error: cannot be read/);
    assert.match(stdout, /^ℹ tests 4\nℹ pass 2\nℹ fail 2$/m);
  });

  test('lists every skipped test with its reason', () => {
    const { status, stdout } = runTests([skipping]);
    assert.equal(status, 0);
    const list =
      'Skipped tests (3):\n  four (missing: redis-server)\n  five (only on Sundays)\n  six\n';
    assert.ok(stdout.includes(list), stdout);
  });

  test('fails in CI when a test was skipped because something is missing, and only then', () => {
    const { status, stderr } = runTests([skipping], 'true');
    assert.equal(status, 1);
    assert.match(stderr, /^Tests were skipped because/);
    const sundays = plant('sundays', ["test('five', { skip: 'only on Sundays' }, () => {});"]);
    assert.equal(runTests([sundays], 'true').status, 0);
  });

  test('runs only the tests whose name matches', () => {
    const { status, stdout } = runTests(['--test-name-pattern', 'one|six', passing]);
    assert.equal(status, 0);
    assert.match(stdout, /^ℹ tests 1$/m);
  });

  test('refuses a missing file', () => {
    const { status, stderr } = runTests(['packages/nowhere.test.ts']);
    assert.equal(status, 1);
    assert.equal(stderr, 'There are no such tests\n');
  });

  test('leaves nothing of one file to the next in its process', () => {
    const first = plant('first', [
      'before(() => { globalThis.hooks = (globalThis.hooks ?? 0) + 1; });',
      "process.env['TZ'] = 'UTC'; process.env['OF_FIRST'] = '1'; process.chdir('/');",
      "process.once('SIGINT', () => process.exit(130));",
      "test('seven', () => { if (globalThis.hooks !== 1) throw new Error(String(globalThis.hooks)); });",
    ]);
    const second = plant('second', [
      `test('eight', () => {`,
      `  process.emit('SIGINT');`,
      `  const seen = [globalThis.hooks, process.env['TZ'], process.env['OF_FIRST'], process.cwd()];`,
      `  if (JSON.stringify(seen) !== JSON.stringify([1, 'Pacific/Kiritimati', undefined, ${JSON.stringify(join(import.meta.dirname, '..'))}]))`,
      `    throw new Error(JSON.stringify(seen));`,
      `});`,
    ]);
    const { status, stdout } = runTests(['--workers=1', first, second]);
    assert.equal(status, 0, stdout);
  });

  test('names the test whose promise or timer failed, without following all of them', () => {
    const late = plant('late', [
      "import { executionAsyncId } from 'node:async_hooks';",
      "import { setImmediate } from 'node:timers/promises';",
      "test('promises have no ids', async () => {",
      '  await null;',
      '  if (executionAsyncId() !== 0) throw new Error(String(executionAsyncId()));',
      '});',
      "describe('suite', () => {",
      "  test('rejects', async () => { void Promise.reject(new Error('left')); await setImmediate(); });",
      "  test('throws', async (context) => {",
      "    setTimeout(() => { throw new Error('late'); });",
      '    await new Promise((resolve) => { context.signal.onabort = resolve; });',
      '  });',
      '});',
    ]);
    const { stdout } = runTests([late]);
    assert.match(stdout, /\n {2}suite > rejects\n {4}Error: left\n/);
    assert.match(stdout, /\n {2}suite > throws\n {4}Error: late\n/);
    assert.match(stdout, /^ℹ tests 3\nℹ pass 1\nℹ fail 2$/m);
  });

  const room = makeMemoryFolder();
  test(
    'keeps temporary files in memory, and none of them',
    { skip: room === null && 'no room' },
    () => {
      const [note, elsewhere] = [join(folder, 'seen'), { TMPDIR: folder }];
      const seen = plant('temporary', [
        `test('nine', async () => {`,
        `  const [fs, os] = [await import('node:fs'), await import('node:os')];`,
        `  fs.writeFileSync(${JSON.stringify(note)}, fs.mkdtempSync(os.tmpdir() + '/left-'));`,
        `});`,
      ]);
      assert.equal(runTests([seen], '', { TMPDIR: undefined }).status, 0);
      assert.equal(dirname(dirname(readFileSync(note, 'utf8'))), dirname(room!));
      assert.equal(existsSync(readFileSync(note, 'utf8')), false);
      assert.equal(runTests([seen], '', elsewhere).status, 0);
      assert.equal(dirname(readFileSync(note, 'utf8')), folder);
    },
  );
});

describe(
  'a file that goes wrong',
  { skip: process.platform !== 'linux' && 'only on Linux' },
  () => {
    for (const [how, body] of [
      ['waits', 'new Promise(() => {})'],
      ['computes', '{ for (;;); }'],
    ] as const) {
      test(`ends when it ${how} for ever, is named, and leaves no process`, async () => {
        const hanging = plant(how, [...startChild, `test('nine', () => ${body});`]);
        const { status, stdout } = runTests(['--hang-s=3', hanging, passing]);
        assert.equal(status, 1);
        assert.match(
          stdout,
          /✖ .*\.test\.ts.*\n {2}Ended, because nothing happened for 3 s, in "(nine)?"/,
        );
        assert.match(stdout, /passing\.test\.ts \(2 passed/);
        await childEnds();
      });
    }

    test('is named when its process ends, and the others run', () => {
      const crashing = plant('crashing', [
        "test('ten', () => { process.kill(process.pid, 'SIGKILL'); });",
      ]);
      const { status, stdout } = runTests(['--workers=1', crashing, passing]);
      assert.equal(status, 1);
      assert.match(stdout, /✖ .*crashing\.test\.ts.*\n {2}The process ended with SIGKILL in "/);
      assert.match(stdout, /passing\.test\.ts \(2 passed/);
    });

    test('fails the run when a worker cannot begin', () => {
      const code = "if (process.argv[1]?.endsWith('/worker.ts')) throw new Error('no worker');";
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`;
      const { status, stdout } = runTests([passing], '', { NODE_OPTIONS });
      assert.equal(status, 1);
      assert.match(stdout, /Failed tests \(1\):\n.*The process ended with 1/);
      assert.match(stdout, /no worker/);
    });

    test('fails the run when it leaves a process', async () => {
      const leaving = plant('leaving', [...startChild, "child.unref(); test('eleven', () => {});"]);
      const { status, stdout } = runTests([leaving]);
      assert.equal(status, 1);
      assert.match(stdout, /A file has left a process running: \d+ .*setInterval/);
      await childEnds();
    });
  },
);
