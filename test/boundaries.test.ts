import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { ICruiseResult } from 'dependency-cruiser';
import { readImports } from '../scripts/imports.ts';

const ROOT = join(import.meta.dirname, '..');
const SERVER = 'packages/server/src';

/** A small tree that keeps every rule: each file with what it imports. */
const CLEAN: Record<string, string[]> = {
  'packages/contract/src/index.ts': ['typebox', 'node:crypto'],
  'packages/contract/src/build-openapi.ts': ['node:fs', './index.ts'],
  'packages/statements/src/index.ts': ['node:zlib'],
  'packages/statements/src/index.test.ts': ['node:fs', './index.ts', 'fast-check'],
  [`${SERVER}/records/store.ts`]: ['@coffer/contract', 'node:crypto'],
  [`${SERVER}/records/money.ts`]: ['@coffer/contract'],
  [`${SERVER}/records/testing/books.ts`]: ['fast-check', '../money.ts'],
  [`${SERVER}/records/money.test.ts`]: ['./testing/books.ts'],
  [`${SERVER}/store/sqlite.ts`]: ['better-sqlite3', 'sql-template-tag', '../records/store.ts'],
  [`${SERVER}/store/postgres.ts`]: ['pg', '@coffer/contract'],
  [`${SERVER}/store/store-contract.ts`]: ['fast-check', '../records/store.ts'],
  [`${SERVER}/store/sqlite.test.ts`]: ['./sqlite.ts', './store-contract.ts'],
  [`${SERVER}/limiter/limiter.ts`]: ['node:net'],
  [`${SERVER}/limiter/redis.ts`]: ['ioredis', './limiter.ts'],
  [`${SERVER}/http/app.ts`]: [
    'fastify',
    'ajv',
    '@scalar/fastify-api-reference',
    '../records/store.ts',
    '../limiter/limiter.ts',
    '@coffer/contract',
    '@coffer/statements',
  ],
  [`${SERVER}/http/app.test.ts`]: ['./app.ts', '../store/sqlite.ts', '@lunch-money/v2-api-spec'],
  [`${SERVER}/connectors/kraken.ts`]: ['node:crypto', 'node:https', '../records/store.ts'],
  [`${SERVER}/config.ts`]: ['node:fs'],
  [`${SERVER}/main.ts`]: [
    './config.ts',
    './http/app.ts',
    './limiter/redis.ts',
    './store/sqlite.ts',
    './store/postgres.ts',
    './connectors/kraken.ts',
  ],
  'packages/client/src/index.ts': [],
  'packages/client/src/index.test.ts': ['node:http', './index.ts'],
  'packages/client/build/types.ts': ['node:fs', 'openapi-typescript'],
  'packages/cli/src/main.ts': [
    'commander',
    'cli-progress',
    '@coffer/server',
    '@coffer/statements',
    '@coffer/client',
  ],
};

/** One violation a line: the rule, the file that breaks it, what it imports. */
const PLANTED: [rule: string, file: string, imports: string][] = [
  ['no-cycles', `${SERVER}/records/about.ts`, './round.ts'],
  ['no-dead-imports', `${SERVER}/records/dead.ts`, './gone.ts'],
  ['contract-imports-nothing-of-ours', 'packages/contract/src/x.ts', '@coffer/statements'],
  ['statements-import-nothing-of-ours', 'packages/statements/src/x.ts', '@coffer/contract'],
  ['records-only-contract', `${SERVER}/records/a.ts`, '../limiter/limiter.ts'],
  ['records-only-contract', `${SERVER}/records/b.ts`, '../store/sqlite.ts'],
  ['records-only-contract', `${SERVER}/records/c.test.ts`, '../config.ts'],
  ['store-only-records-and-contract', `${SERVER}/store/a.ts`, '../http/app.ts'],
  ['store-only-records-and-contract', `${SERVER}/store/b.ts`, '../limiter/limiter.ts'],
  ['store-only-records-and-contract', `${SERVER}/store/c.ts`, '@coffer/statements'],
  ['connectors-only-records-and-contract', `${SERVER}/connectors/a.ts`, '../store/sqlite.ts'],
  ['connectors-only-records-and-contract', `${SERVER}/connectors/b.ts`, '../http/app.ts'],
  ['http-never-store', `${SERVER}/http/x.ts`, '../connectors/kraken.ts'],
  ['client-imports-nothing-of-ours', 'packages/client/src/a.ts', '@coffer/contract'],
  ['client-runs-everywhere', 'packages/client/src/b.ts', 'node:timers'],
  ['limiter-imports-nothing-of-ours', `${SERVER}/limiter/a.ts`, '../records/store.ts'],
  ['limiter-imports-nothing-of-ours', `${SERVER}/limiter/b.ts`, '@coffer/contract'],
  ['http-never-store', `${SERVER}/http/a.ts`, '../store/sqlite.ts'],
  ['http-never-store', `${SERVER}/http/v2/b.ts`, '../../config.ts'],
  ['http-tests-may-see-store', `${SERVER}/http/a.test.ts`, '../main.ts'],
  ['server-imports-no-client', `${SERVER}/x.ts`, '../../cli/src/main.ts'],
  ['cli-only-server-main-and-statements', 'packages/cli/src/a.ts', '@coffer/contract'],
  ['cli-only-server-main-and-statements', 'packages/cli/b.ts', '../server/src/store/sqlite.ts'],
  ['cli-only-server-main-and-statements', 'packages/cli/src/c.ts', '../../server/src/config.ts'],
  ['pure-rooms-do-no-io', 'packages/contract/src/io.ts', 'node:fs'],
  ['pure-rooms-do-no-io', 'packages/statements/src/io.ts', 'node:child_process'],
  ['pure-rooms-do-no-io', `${SERVER}/records/io.ts`, 'node:fs/promises'],
  ['only-tests-import-tests', `${SERVER}/store/d.ts`, './sqlite.test.ts'],
  ['only-tests-import-tests', `${SERVER}/store/e.ts`, './store-contract.ts'],
  ['only-tests-import-tests', `${SERVER}/records/e.ts`, './testing/books.ts'],
  ['typebox-only-in-contract', `${SERVER}/http/t.ts`, 'typebox'],
  ['typebox-only-in-contract', `${SERVER}/records/t.ts`, 'typebox'],
  ['web-libraries-only-in-http', `${SERVER}/store/w.ts`, 'fastify'],
  ['web-libraries-only-in-http', `${SERVER}/records/w.ts`, 'ajv'],
  ['web-libraries-only-in-http', `${SERVER}/w.ts`, '@scalar/fastify-api-reference'],
  ['web-libraries-only-in-http', `${SERVER}/store/m.ts`, 'prom-client'],
  ['type-generator-only-in-the-client-build', 'packages/client/src/g.ts', 'openapi-typescript'],
  ['databases-only-in-store', `${SERVER}/http/d.ts`, 'better-sqlite3'],
  ['databases-only-in-store', `${SERVER}/records/d.ts`, 'sql-template-tag'],
  ['databases-only-in-store', `${SERVER}/limiter/d.ts`, 'pg'],
  ['redis-only-in-its-limiter', `${SERVER}/limiter/memory.ts`, 'ioredis'],
  ['redis-only-in-its-limiter', `${SERVER}/http/r.ts`, 'ioredis'],
  ['command-libraries-only-in-cli', `${SERVER}/http/c.ts`, 'commander'],
  ['command-libraries-only-in-cli', 'packages/statements/src/c.ts', 'cli-progress'],
  ['test-libraries-only-in-tests', `${SERVER}/store/f.ts`, 'fast-check'],
  ['test-libraries-only-in-tests', `${SERVER}/http/f.ts`, '@lunch-money/v2-api-spec'],
  ['test-libraries-only-in-tests', 'packages/contract/src/f.ts', 'yaml'],
  ['every-library-has-a-room', `${SERVER}/records/y.ts`, 'prettier'],
];

/** Installed here, so that they are found where they lie in truth, below `dist` and the like. */
const INSTALLED = [
  'typebox',
  'fastify',
  '@scalar/fastify-api-reference',
  'better-sqlite3',
  'sql-template-tag',
  'commander',
  'cli-progress',
  'fast-check',
  '@lunch-money/v2-api-spec',
  'yaml',
  'prettier',
  'prom-client',
];
/** Libraries that the rules know before the first use of them, and one that is nested. */
const MADE_UP = ['pg', 'ioredis', 'ajv', 'openapi-typescript'];

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function link(root: string, name: string, target: string): void {
  const path = join(root, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(target), path);
}

function code(imports: string[], keyword: string): string {
  return imports.map((name, n) => `${keyword} { a as a${n} } from '${name}';`).join('\n');
}

function plant(files: [file: string, imports: string[]][], keyword = 'import'): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coffer-boundaries-')));
  folders.push(root);
  for (const [file, imports] of files) write(root, file, code(imports, keyword));
  for (const name of ['contract', 'statements', 'server', 'client']) {
    const exports = { '.': `./src/${name === 'server' ? 'main' : 'index'}.ts` };
    const manifest = { name: `@coffer/${name}`, type: 'module', exports };
    write(root, `packages/${name}/package.json`, JSON.stringify(manifest));
    link(root, `@coffer/${name}`, join(root, `packages/${name}`));
  }
  for (const name of INSTALLED) link(root, name, join(ROOT, 'node_modules', name));
  for (const name of MADE_UP) {
    write(root, `node_modules/${name}/package.json`, JSON.stringify({ main: 'dist/index.js' }));
    write(root, `node_modules/${name}/dist/index.js`, '');
  }
  return root;
}

function violations(result: ICruiseResult): string[] {
  return result.summary.violations.map(({ rule, from }) => `${rule.name} ${from}`).toSorted();
}

/** Every module that is loaded with that one, which imports of types and import() do not do. */
function loadedWith(result: ICruiseResult, source: string): Set<string> {
  const loaded = new Set([source]);
  for (const path of loaded) {
    const dependencies = result.modules.find((module) => module.source === path)?.dependencies;
    for (const { dynamic, dependencyTypes, resolved } of dependencies ?? []) {
      if (!dynamic && !dependencyTypes.includes('type-only')) loaded.add(resolved);
    }
  }
  return loaded;
}

test('a tree that keeps the rules is read whole and found clean', async () => {
  const result = await readImports(plant(Object.entries(CLEAN)));
  assert.deepEqual(violations(result), []);
  for (const file of Object.keys(CLEAN)) {
    assert.ok(
      result.modules.some(({ source }) => source === file),
      `${file} was not read`,
    );
  }
});

for (const keyword of ['import', 'import type']) {
  test(`every planted violation is found, and nothing else (${keyword})`, async () => {
    const planted = PLANTED.map(([, file, imports]): [string, string[]] => [file, [imports]]);
    // The other half of the cycle, which is reported once.
    planted.push([`${SERVER}/records/round.ts`, ['./about.ts']]);
    const root = plant([...Object.entries(CLEAN), ...planted], keyword);
    const expected = PLANTED.map(([rule, file]) => `${rule} ${file}`).toSorted();
    assert.deepEqual(violations(await readImports(root)), expected);
  });
}

test('every rule has a planted violation', () => {
  const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[];
  };
  const rules = config.forbidden.map(({ name }) => name);
  assert.deepEqual(new Set(PLANTED.map(([rule]) => rule)), new Set(rules));
});

test('starting the server loads no typebox, which would cost 80 ms each time', async () => {
  const result = await readImports(ROOT);
  const loaded = [...loadedWith(result, `${SERVER}/main.ts`)];
  assert.ok(
    loaded.some((path) => path.includes('node_modules/fastify/')),
    'nothing was followed',
  );
  assert.deepEqual(
    loaded.filter((path) => path.includes('node_modules/typebox/')),
    [],
  );
});

test('the packages are read (more than 20 modules) and keep every rule', async () => {
  const result = await readImports(ROOT);
  assert.ok(
    result.summary.totalCruised > 20,
    `only ${result.summary.totalCruised} modules were read`,
  );
  assert.deepEqual(violations(result), []);
});
