import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 30_000;

/** Stands in for npm: writes down how it was called and, unless told to fail, "installs". */
const FAKE_NPM = `#!/bin/sh
echo "$@" > called
env > environment
[ -z "$FAKE_NPM_FAILS" ] || exit 1
mkdir -p node_modules && touch node_modules/.package-lock.json
`;

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A fresh clone as far as the set-up can see, with a stand-in for npm in `bin`. */
function plant(): string {
  const root = mkdtempSync(join(tmpdir(), 'coffer-setup-'));
  folders.push(root);
  for (const file of ['scripts/setup.cjs', 'scripts/bundle.cjs', 'packages/cli/coffer.cjs']) {
    cpSync(join(ROOT, file), join(root, file));
  }
  writeFileSync(join(root, 'package-lock.json'), '{}');
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/npm'), FAKE_NPM);
  chmodSync(join(root, 'bin/npm'), 0o755);
  return root;
}

function setUp(root: string, environment: Record<string, string> = {}): SpawnSyncReturns<string> {
  const path = [join(root, 'node_modules/.bin'), join(root, 'bin'), process.env['PATH']];
  const env = { ...process.env, PATH: path.join(delimiter), ...environment };
  const args = [join(root, 'scripts/setup.cjs')];
  return spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: TIMEOUT_MS });
}

test('a fresh clone is installed, with one line saying so and nothing on stdout', () => {
  const root = plant();
  const { status, stdout, stderr } = setUp(root);
  assert.equal(status, 0);
  assert.equal(stdout, '');
  assert.match(stderr, /^Installing [^\n]+\n$/);
  const called = readFileSync(join(root, 'called'), 'utf8').trim();
  assert.equal(called, 'ci --no-audit --no-fund --include=dev --include=optional');
});

test('what is installed already is left alone, without a word', () => {
  const root = plant();
  setUp(root);
  rmSync(join(root, 'called'));
  const { status, stdout, stderr } = setUp(root);
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
  assert.equal(existsSync(join(root, 'called')), false);
});

test('a lockfile that is newer than what is installed is installed again', () => {
  const root = plant();
  setUp(root);
  rmSync(join(root, 'called'));
  const later = new Date(Date.now() + 5000);
  utimesSync(join(root, 'package-lock.json'), later, later);
  assert.equal(setUp(root).status, 0);
  assert.equal(existsSync(join(root, 'called')), true);
});

test('an npm that fails ends the set-up with what to do', () => {
  const { status, stderr } = setUp(plant(), { FAKE_NPM_FAILS: '1' });
  assert.equal(status, 1);
  assert.match(stderr, /npm ci ended with 1: see its messages above, then run "npm ci" in /);
});

test('a machine without npm is told so', () => {
  const root = plant();
  const { status, stderr } = setUp(root, { PATH: join(root, 'node_modules/.bin') });
  assert.equal(status, 1);
  assert.match(stderr, /npm cannot be run \(.*ENOENT\): install npm\n$/);
});

test('the variables of the npm around it do not reach the npm within', () => {
  const root = plant();
  const outer = {
    npm_command: 'test',
    npm_lifecycle_event: 'pretest',
    npm_package_name: 'other',
    npm_config_local_prefix: '/elsewhere',
    npm_config_workspace: 'coffer',
    npm_config_omit: 'optional',
    npm_config_dry_run: 'true',
  };
  const kept = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: '/c', CI: 'true' };
  assert.equal(setUp(root, { ...outer, ...kept }).status, 0);
  const lines = readFileSync(join(root, 'environment'), 'utf8').split('\n');
  const isSet = (start: string): boolean => lines.some((line) => line.startsWith(start));
  for (const name of Object.keys(outer)) assert.equal(isSet(`${name}=`), false, name);
  for (const [name, value] of Object.entries(kept)) assert.ok(isSet(`${name}=${value}`), name);
  assert.ok(isSet(`PATH=${join(root, 'bin')}`), 'npm has to run on another Node than ours');
});
