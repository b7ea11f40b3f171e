import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readUntil, readText } from './src/testing/run-coffer.ts';

const GUARD = join(import.meta.dirname, 'coffer.cjs');
const TIMEOUT_MS = 10_000;

interface Inputs {
  begin(): number;
  write(begunMs: number, files: readonly string[], folders: readonly string[]): void;
}

/** Replaces the command. The first argument selects what it does. */
const STUB = `
import { appendFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
/**
 * Keeps enough objects through collections for the young generation to grow, and prints the size that it stays at:
 * while a collection is delayed by a busy processor, it may have more pages.
 */
function grow(): number {
  const kept: object[] = [];
  const sizes: number[] = [];
  for (let made = 1; made <= 2_000_000; made += 1) {
    kept[made % 100_000] = { made };
    if (made <= 1_000_000 || made % 100_000 !== 0) continue;
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    sizes.push(space?.space_size ?? 0);
  }
  console.log(Math.min(...sizes));
  return kept.length > 0 ? 0 : 1;
}
export async function main(argv: string[]): Promise<number> {
  const [what, value, file] = argv;
  if (what === 'serve' || what === 'import') return grow();
  if (what === 'fail') throw new Error('The stub has failed');
  if (what === 'forget') return new Promise(() => {});
  if (what === 'wait') {
    // It also ends without a signal, so that a failing test leaves no process.
    setTimeout(() => process.exit(9), ${TIMEOUT_MS});
    const say = (text: string) => file === undefined ? console.log(text) : appendFileSync(file, text);
    const stopped = new Promise<number>((resolve) => {
      if (value === 'handled') process.on('SIGTERM', () => { say('stopped'); resolve(5); });
    });
    say('ready');
    // Keeps the event loop busy, like an import.
    if (value === 'busy') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${TIMEOUT_MS});
    return stopped.finally(() => setImmediate(() => process.exit()));
  }
  const settings = Object.keys(process.env).filter((name) => name.startsWith('COFFER'));
  console.log(JSON.stringify({ node: process.versions.node, argv, settings }));
  return what === 'end' ? Number(value) : 0;
}
`;

/** The environment without settings for Coffer. */
const bare = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('COFFER')),
);

const folders: string[] = [];
const children: ChildProcess[] = [];
after(() => {
  children.forEach((child) => child.kill('SIGKILL'));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

/** Creates a tree with the guard, a stub of the command and, if given, a bundled Node. */
function plant(bundledNode: string | null): string {
  const root = mkdtempSync(join(tmpdir(), 'coffer-guard-'));
  folders.push(root);
  mkdirSync(join(root, 'packages/cli/src'), { recursive: true });
  for (const file of ['coffer.cjs', 'bundle-inputs.cjs', 'run-bundle.cjs']) {
    cpSync(join(GUARD, '..', file), join(root, 'packages/cli', file));
  }
  writeFileSync(join(root, 'packages/cli/package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'packages/cli/src/main.ts'), STUB);
  if (bundledNode !== null) {
    const folder = join(root, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(folder, { recursive: true });
    symlinkSync(bundledNode, join(folder, 'node'));
  }
  return join(root, 'packages/cli/coffer.cjs');
}

function run(node: string, guard: string, args: string[]): SpawnSyncReturns<string> {
  return spawnSync(node, [guard, ...args], { encoding: 'utf8', timeout: TIMEOUT_MS, env: bare });
}

/** Returns the first Node on PATH that is too old and not from npm, or null. */
function findOldNode(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const nodes = folders.filter((folder) => !folder.includes('node_modules'));
  const isOld = (node: string): boolean => {
    if (!existsSync(node)) return false;
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: TIMEOUT_MS });
    return Number.parseInt(stdout.slice(1), 10) < 24;
  };
  return nodes.map((folder) => join(folder, 'node')).find(isOld) ?? null;
}

function runsCommand(node: string, guard: string): void {
  const argv = ['end', '7', '--port', '0', 'a b'];
  const { status, stdout, stderr } = run(node, guard, argv);
  assert.deepEqual([status, stderr], [7, '']);
  assert.deepEqual(JSON.parse(stdout), { node: process.versions.node, argv, settings: [] });
}

async function startAndWait(node: string, guard: string, how: string) {
  const child = spawn(node, [guard, 'wait', how], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await readUntil(child.stdout, /ready\n/);
  return child;
}

/** Resolves when the file contains the text. Waits for changes that the system reports. */
async function waitForText(file: string, text: string): Promise<void> {
  const isThere = (): boolean => existsSync(file) && readFileSync(file, 'utf8') === text;
  const watcher = watch(join(file, '..'));
  after(() => watcher.close());
  while (!isThere()) await once(watcher, 'change');
}

async function ending(child: ChildProcess): Promise<{ code: unknown; signal: unknown }> {
  const [code, signal] = (await once(child, 'exit')) as [unknown, unknown];
  return { code, signal };
}

describe('the start guard on a Node that is new enough', () => {
  const guard = plant(null);

  test('runs the command with its arguments and ends with its exit code', () =>
    runsCommand(process.execPath, guard));

  test('shows errors that the command did not catch, with their stack traces', () => {
    const { status, stderr } = run(process.execPath, guard, ['fail']);
    assert.equal(status, 1);
    assert.match(stderr, /Error: The stub has failed\n\s+at \S*main/);
  });

  test('runs the bundle until a source changes, then the sources', () => {
    const bundled = plant(null);
    const folder = join(bundled, '..');
    const inputs = createRequire(import.meta.url)(join(folder, 'bundle-inputs.cjs')) as Inputs;
    const begunMs = inputs.begin();
    const bundle = "exports.main = async () => { console.log('bundle'); return 3; };";
    writeFileSync(join(folder, 'dist/main.cjs'), bundle);
    assert.equal(run(process.execPath, bundled, ['end', '0']).status, 0, 'a bundle of unknown age');
    inputs.write(begunMs, ['packages/cli/src/main.ts'], []);
    assert.equal(run(process.execPath, bundled, ['end', '0']).stdout, 'bundle\n');
    writeFileSync(join(folder, 'src/main.ts'), STUB.replace('stub', 'stab'));
    assert.match(run(process.execPath, bundled, ['fail']).stderr, /The stab has failed/);
  });

  test('keeps the young generation of a server small, and not that of other commands', () => {
    const sizeOf = (command: string) => Number(run(process.execPath, guard, [command]).stdout);
    const [served, imported] = [sizeOf('serve'), sizeOf('import')];
    assert.ok(served > 0 && served <= 2 * 1024 ** 2, `serve: ${served} bytes`);
    assert.ok(imported > 4 * 1024 ** 2, `import: ${imported} bytes`);
  });

  test('counts a command that ends without a result as failed', () => {
    assert.equal(run(process.execPath, guard, ['forget']).status, 1);
  });
});

const oldNode = findOldNode();
const skip = oldNode === null && 'missing: a Node older than 24';

describe('the start guard on an old Node', { skip }, () => {
  const old = oldNode ?? '';
  const guard = plant(process.execPath);

  test('runs the command with the bundled Node, the arguments and the exit code', () =>
    runsCommand(old, guard));

  test('forwards each signal and ends with it, or as the command ends on it', async () => {
    for (const [how, signal, ended] of [
      ['unhandled', 'SIGINT', { code: null, signal: 'SIGINT' }],
      ['unhandled', 'SIGTERM', { code: null, signal: 'SIGTERM' }],
      ['unhandled', 'SIGHUP', { code: null, signal: 'SIGHUP' }],
      ['handled', 'SIGTERM', { code: 5, signal: null }],
    ] as const) {
      const child = await startAndWait(old, guard, how);
      child.kill(signal);
      assert.deepEqual(await ending(child), ended);
    }
  });

  for (const how of ['handled', 'busy'])
    test(`a command that is ${how} stops when the wrapper is killed`, async () => {
      const wrapper = await startAndWait(old, guard, how);
      // Ends when the command, which has the same stream, has ended too.
      const rest = readText(wrapper.stdout);
      wrapper.kill('SIGKILL');
      assert.equal(await rest, how === 'busy' ? '' : 'stopped\n');
    });

  test('the command also stops when its streams are closed', async () => {
    const file = join(guard, '../said');
    const said = (text: string): Promise<void> => waitForText(file, text);
    const ready = said('ready');
    const argv = [old, guard, 'wait', 'handled', file];
    const wrapper = spawn('sh', ['-c', 'exec "$@" <&- >&- 2>&-', 'sh', ...argv]);
    children.push(wrapper);
    await ready;
    const stopped = said('readystopped');
    wrapper.kill('SIGKILL');
    await stopped;
  });

  test('prints one line if there is no bundled Node, or an old one', () => {
    const found = spawnSync(old, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
    for (const bundled of [null, old]) {
      const { status, stdout, stderr } = run(old, plant(bundled), ['end', '0']);
      assert.deepEqual([status, stdout], [1, '']);
      const line =
        /^Coffer needs Node 24 or newer, but this is Node (\S+)\. Install Node 24, or on Linux .+\n$/;
      assert.equal(line.exec(stderr)?.[1], found, stderr);
    }
  });

  test('reports a bundled Node that cannot be run', () => {
    const { status, stderr } = run(old, plant(GUARD.replace('coffer.cjs', 'package.json')), []);
    assert.equal(status, 1);
    assert.match(stderr, /^Cannot run ".*\/bin\/node": spawn .*EACCES\n$/);
  });
});

test('a module of Node that a running server loads has the code that comes with Node', () => {
  const script = `
    const guard = require(${JSON.stringify(GUARD)});
    const v8 = require('v8');
    v8.setFlagsFromString(guard.SERVER_FLAGS);
    const kept = v8.cachedDataVersionTag();
    guard.requireForServer('zlib');
    const { internalBinding } = require('internal/test/binding');
    const { compiledWithCache } = internalBinding('builtins').getCacheUsage();
    console.log(compiledWithCache.has('zlib'), v8.cachedDataVersionTag() === kept);`;
  const args = ['--expose-internals', '--no-warnings', '-e', script];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  assert.equal(stdout, 'true true\n');
});
