import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';

const GUARD = join(import.meta.dirname, 'coffer.cjs');
const TIMEOUT_MS = 10_000;

/** What the stand-in for the command does; the name comes as the first argument. */
const STUB = `
export async function main(argv: string[]): Promise<number> {
  const [what, value] = argv;
  if (what === 'fail') throw new Error('The stub has failed');
  if (what === 'forget') return new Promise(() => {});
  if (what === 'wait') {
    setInterval(() => {}, 1000);
    const answered = new Promise<number>((resolve) => {
      if (value === 'handled') process.on('SIGTERM', () => resolve(5));
    });
    console.log('ready');
    return answered.finally(() => setImmediate(() => process.exit()));
  }
  console.log(JSON.stringify({ node: process.versions.node, argv }));
  return what === 'end' ? Number(value) : 0;
}
`;

const folders: string[] = [];
const children: ChildProcess[] = [];
after(() => {
  children.forEach((child) => child.kill('SIGKILL'));
  folders.forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

/** A tree with the guard, a stub of the command and, where given, that Node as the bundled one. */
function plant(bundledNode: string | null): string {
  const root = mkdtempSync(join(tmpdir(), 'coffer-guard-'));
  folders.push(root);
  mkdirSync(join(root, 'packages/cli/src'), { recursive: true });
  cpSync(GUARD, join(root, 'packages/cli/coffer.cjs'));
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
  return spawnSync(node, [guard, ...args], { encoding: 'utf8', timeout: TIMEOUT_MS });
}

/** The first Node on PATH that is too old for us and is the machine's own, or null. */
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

async function startAndWait(node: string, guard: string, how: string): Promise<ChildProcess> {
  const child = spawn(node, [guard, 'wait', how], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function ending(child: ChildProcess): Promise<{ code: unknown; signal: unknown }> {
  const [code, signal] = (await once(child, 'exit')) as [unknown, unknown];
  return { code, signal };
}

describe('the start guard on a Node that is new enough', () => {
  const guard = plant(null);

  test('runs the command with its arguments and ends with its exit code', () => {
    const { status, stdout, stderr } = run(process.execPath, guard, ['end', '7', '--port', '0']);
    assert.equal(stderr, '');
    assert.equal(status, 7);
    const expected = { node: process.versions.node, argv: ['end', '7', '--port', '0'] };
    assert.deepEqual(JSON.parse(stdout), expected);
  });

  test('ends with 0 when the command says so', () => {
    assert.equal(run(process.execPath, guard, ['end', '0']).status, 0);
  });

  test('hides nothing of an error that the command did not catch', () => {
    const { status, stderr } = run(process.execPath, guard, ['fail']);
    assert.equal(status, 1);
    assert.match(stderr, /Error: The stub has failed\n\s+at \S*main/);
  });

  test('runs the bundle as long as every source is as it was, then the sources again', () => {
    const bundled = plant(null);
    const folder = join(bundled, '..');
    const source = join(folder, 'src/main.ts');
    const bundle = "export const main = async () => { console.log('bundle'); return 3; };";
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/main.js'), bundle);
    assert.equal(run(process.execPath, bundled, ['end', '0']).status, 0, 'a bundle of unknown age');
    const inputs = { 'packages/cli/src/main.ts': statSync(source).mtimeMs };
    writeFileSync(join(folder, 'dist/inputs.json'), JSON.stringify(inputs));
    assert.equal(run(process.execPath, bundled, ['end', '0']).stdout, 'bundle\n');
    utimesSync(source, 1, 1);
    assert.equal(run(process.execPath, bundled, ['end', '0']).status, 0);
    rmSync(source);
    assert.equal(run(process.execPath, bundled, ['end', '0']).status, 1, 'a source is gone');
  });

  test('counts a command that ends without an answer as failed', () => {
    assert.equal(run(process.execPath, guard, ['forget']).status, 1);
  });
});

const oldNode = findOldNode();
const skip = oldNode === null && 'no Node older than 24 on PATH';

describe('the start guard on an old Node', { skip }, () => {
  const old = oldNode ?? '';
  const guard = plant(process.execPath);

  test('goes on with the bundled Node, its arguments and its exit code', () => {
    const { status, stdout, stderr } = run(old, guard, ['end', '7', '--name', 'a b']);
    assert.equal(stderr, '');
    assert.equal(status, 7);
    const expected = { node: process.versions.node, argv: ['end', '7', '--name', 'a b'] };
    assert.deepEqual(JSON.parse(stdout), expected);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(
      `hands on ${signal} and ends by it as the command did`,
      { timeout: TIMEOUT_MS },
      async () => {
        const child = await startAndWait(old, guard, 'unhandled');
        child.kill(signal);
        assert.deepEqual(await ending(child), { code: null, signal });
      },
    );
  }

  test('lets the command answer a signal with an exit code', { timeout: TIMEOUT_MS }, async () => {
    const child = await startAndWait(old, guard, 'handled');
    child.kill('SIGTERM');
    assert.deepEqual(await ending(child), { code: 5, signal: null });
  });

  test('stops with one sentence when there is no bundled Node', () => {
    const { status, stdout, stderr } = run(old, plant(null), ['end', '0']);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    const found = spawnSync(old, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
    assert.match(stderr, /^Coffer needs Node 24 or newer, found \S+: run "npm ci" [^\n]+\n$/);
    assert.ok(stderr.includes(`found ${found}:`), stderr);
  });

  test('does not start an old bundled Node over and over', () => {
    const { status, stderr } = run(old, plant(old), ['end', '0']);
    assert.equal(status, 1);
    assert.match(stderr, /^Coffer needs Node 24/);
  });

  test('says which bundled Node cannot be run', () => {
    const { status, stderr } = run(old, plant(GUARD.replace('coffer.cjs', 'package.json')), []);
    assert.equal(status, 1);
    assert.match(stderr, /^Cannot run ".*\/bin\/node": spawn .*EACCES\n$/);
  });
});
