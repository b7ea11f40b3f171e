import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { ICruiseResult } from 'dependency-cruiser';
import { readImports, violations as lines } from '../../scripts/imports.ts';
import { CLEAN, SERVER } from './clean-tree.ts';

const ROOT = join(import.meta.dirname, '../..');

const tags = `${SERVER}/resources/tags`;
const OTHER_ROOMS = 'other-rooms-use-resources-through-actions-sql-and-rules';

/** One violation per line: the rule, the file that breaks it, and its import. */
const PLANTED: [rule: string, file: string, imports: string][] = [
  ['no-cycles', `${SERVER}/wire/about.ts`, './round.ts'],
  ['no-dead-imports', `${SERVER}/wire/dead.ts`, './gone.ts'],
  ['core-imports-nothing-of-ours', 'packages/core/src/x.ts', '@coffer/client'],
  ['core-imports-nothing-of-ours', 'packages/core/src/y.ts', '@coffer/statements'],
  ['statements-only-core', 'packages/statements/src/x.ts', '@coffer/server'],
  ['client-imports-nothing-of-ours', 'packages/client/src/a.ts', '@coffer/server'],
  ['client-imports-nothing-of-ours', 'packages/client/src/c.ts', '@coffer/core'],
  ['client-runs-everywhere', 'packages/client/src/b.ts', 'node:timers'],
  ['cli-only-server-main-and-packages', 'packages/cli/src/a.ts', '../../server/src/wire/schema.ts'],
  ['cli-only-server-main-and-packages', 'packages/cli/b.ts', '../server/src/db/sqlite/sqlite.ts'],
  ['cli-only-server-main-and-packages', 'packages/cli/src/c.ts', '../../server/src/config.ts'],
  ['server-imports-no-client', `${SERVER}/x.ts`, '../../cli/src/main.ts'],
  ['wire-imports', `${SERVER}/wire/a.ts`, '../db/engine.ts'],
  ['db-imports', `${SERVER}/db/a.ts`, '../wire/schema.ts'],
  ['db-imports', `${SERVER}/db/sqlite/b.ts`, '../../maintenance/backup.ts'],
  ['files-imports', `${SERVER}/files/a.ts`, '../db/engine.ts'],
  ['limiter-imports', `${SERVER}/limiter/a.ts`, '../db/engine.ts'],
  ['limiter-imports', `${SERVER}/limiter/b.ts`, '../wire/schema.ts'],
  ['changes-imports', `${SERVER}/changes/a.ts`, '../resources/tags/rules.ts'],
  ['pages-imports', `${SERVER}/pages/a.ts`, '../resources/tags/schema.ts'],
  ['pages-imports', `${SERVER}/pages/b.ts`, '../changes/changing.ts'],
  ['connectors-imports', `${SERVER}/connectors/a.ts`, '../db/engine.ts'],
  ['connectors-imports', `${SERVER}/connectors/b.ts`, '../http/app.ts'],
  ['connectors-know-rules-only', `${SERVER}/connectors/c.ts`, '../resources/tags/actions.ts'],
  ['demo-imports', `${SERVER}/demo/a.ts`, '../http/app.ts'],
  ['maintenance-imports', `${SERVER}/maintenance/a.ts`, '../resources/tags/actions.ts'],
  ['imports-imports', `${SERVER}/imports/a.ts`, '../connectors/kraken.ts'],
  ['imports-imports', `${SERVER}/imports/b.ts`, '../config.ts'],
  ['jobs-imports', `${SERVER}/jobs/a.ts`, '../config.ts'],
  ['jobs-imports', `${SERVER}/jobs/b.ts`, '../maintenance/backup.ts'],
  ['resources-imports', `${tags}/h.ts`, '../../jobs/rates/rates-job.ts'],
  ['resources-imports', `${tags}/a.ts`, '../../http/app.ts'],
  ['resources-imports', `${tags}/b.ts`, '../../main.ts'],
  ['resources-imports', `${SERVER}/resources/c.ts`, '../imports/import.ts'],
  ['http-imports', `${SERVER}/http/a.ts`, '../imports/import.ts'],
  ['http-imports', `${SERVER}/http/health/b.ts`, '../../config.ts'],
  ['http-reads-no-rows', `${SERVER}/http/c.ts`, '../db/tables.ts'],
  ['http-reads-no-rows', `${SERVER}/http/d.ts`, '../db/sqlite/sqlite.ts'],
  ['records-are-written-through-changes', `${tags}/d.ts`, '../../db/writes.ts'],
  ['records-are-written-through-changes', `${SERVER}/imports/d.ts`, '../db/writes.ts'],
  ['resources-use-each-other-through-actions-sql-and-rules', `${tags}/e.ts`, '../users/token.ts'],
  [OTHER_ROOMS, `${SERVER}/imports/e.ts`, '../resources/tags/schema.ts'],
  [OTHER_ROOMS, `${SERVER}/demo/e.ts`, '../resources/tags/routes.ts'],
  [OTHER_ROOMS, `${SERVER}/jobs/e.ts`, '../resources/tags/routes.ts'],
  ['resources-use-each-other-through-actions-sql-and-rules', `${tags}/g.ts`, '../users/rerate.ts'],
  ['rules-run-no-statements', `${SERVER}/resources/a/rules.ts`, '../../db/engine.ts'],
  ['rules-run-no-statements', `${SERVER}/resources/b/rules.ts`, '../users/rules.ts'],
  ['pure-rooms-do-no-io', 'packages/core/src/io.ts', 'node:fs'],
  ['pure-rooms-do-no-io', 'packages/statements/src/io.ts', 'node:child_process'],
  ['pure-rooms-do-no-io', `${SERVER}/wire/io.ts`, 'node:fs/promises'],
  ['pure-rooms-do-no-io', `${SERVER}/pages/io.ts`, 'node:net'],
  ['pure-rooms-do-no-io', `${SERVER}/demo/io.ts`, 'node:fs'],
  ['only-tests-import-tests', `${SERVER}/db/d.ts`, './sqlite/sqlite.test.ts'],
  ['only-tests-import-tests', `${SERVER}/db/e.ts`, './testing/books.ts'],
  ['typebox-only-in-wire-and-schemas', `${SERVER}/http/t.ts`, 'typebox'],
  ['typebox-only-in-wire-and-schemas', `${SERVER}/db/t.ts`, 'typebox'],
  ['validator-only-in-wire', `${SERVER}/http/v.ts`, 'ajv'],
  ['validator-only-in-wire', `${tags}/v.ts`, 'ajv'],
  ['web-libraries-only-in-http', `${SERVER}/wire/w.ts`, 'fastify'],
  ['web-libraries-only-in-http', `${SERVER}/w.ts`, '@scalar/fastify-api-reference'],
  ['web-libraries-only-in-http', `${SERVER}/db/m.ts`, 'prom-client'],
  ['type-generator-only-in-the-client-build', 'packages/client/src/g.ts', 'openapi-typescript'],
  ['engines-only-in-db', `${SERVER}/http/e.ts`, 'better-sqlite3'],
  ['engines-only-in-db', `${tags}/f.ts`, 'pg'],
  ['sql-only-where-rows-are', `${SERVER}/http/s.ts`, 'sql-template-tag'],
  ['sql-only-where-rows-are', `${SERVER}/wire/s.ts`, 'sql-template-tag'],
  ['xml-parser-only-in-camt', 'packages/statements/src/ofx/x.ts', 'saxes'],
  ['redis-only-in-its-limiter', `${SERVER}/limiter/memory.ts`, 'ioredis'],
  ['redis-only-in-its-limiter', `${SERVER}/limiter/redis-url.ts`, 'ioredis'],
  ['redis-only-in-its-limiter', `${SERVER}/http/r.ts`, 'ioredis'],
  ['hashes-only-in-connectors', `${SERVER}/http/h.ts`, '@noble/hashes/sha3.js'],
  ['webhook-signatures-only-in-connectors', `${SERVER}/jobs/w.ts`, 'standardwebhooks'],
  ['passkey-library-only-in-its-resource', `${SERVER}/http/p.ts`, '@simplewebauthn/server'],
  ['command-libraries-only-in-cli', `${SERVER}/http/l.ts`, 'commander'],
  ['command-libraries-only-in-cli', 'packages/statements/src/c.ts', 'cli-progress'],
  ['test-libraries-only-in-tests', `${SERVER}/db/f.ts`, 'fast-check'],
  ['test-libraries-only-in-tests', `${SERVER}/http/f.ts`, '@lunch-money/v2-api-spec'],
  ['test-libraries-only-in-tests', 'packages/core/src/f.ts', 'yaml'],
  ['web-imports-core-and-types', 'packages/web/src/screens/a.ts', '@coffer/server'],
  ['web-imports-core-and-types', 'packages/web/src/screens/b.tsx', '@coffer/client'],
  ['web-runs-in-browsers', 'packages/web/src/api/c.ts', 'node:fs'],
  ['web-books-imports', 'packages/web/src/books/a.ts', '../api/request.ts'],
  ['web-texts-imports', 'packages/web/src/texts/a.ts', '../books/money.ts'],
  ['web-api-imports', 'packages/web/src/api/a.ts', '../parts/money.tsx'],
  ['web-parts-imports', 'packages/web/src/parts/a.tsx', '../api/request.ts'],
  ['browser-libraries-only-in-web', 'packages/web/src/books/r.ts', 'react'],
  ['browser-libraries-only-in-web', 'packages/server/src/http/r2.ts', 'wouter'],
  [
    'cache-library-only-where-data-is-read',
    'packages/web/src/parts/q.tsx',
    '@tanstack/react-query',
  ],
  [
    'component-library-only-in-parts-and-screens',
    'packages/web/src/shell/r.tsx',
    'react-aria-components',
  ],
  ['every-library-has-a-room', `${SERVER}/wire/y.ts`, 'prettier'],
];

/** Linked to the installed packages, so that their files are found under their real paths. */
const INSTALLED = [
  ...['saxes', 'typebox', 'fastify', '@scalar/fastify-api-reference', 'better-sqlite3', 'yaml'],
  ...['sql-template-tag', '@noble/hashes', '@simplewebauthn/server', 'standardwebhooks'],
  ...['commander', 'cli-progress', 'fast-check', '@lunch-money/v2-api-spec', 'prettier'],
  'prom-client',
];
/** Libraries that the rules name, planted as empty packages. */
const MADE_UP = [
  ...['pg', 'pg-copy-streams', 'ioredis', 'ajv', 'openapi-typescript'],
  ...['react', 'wouter', '@tanstack/react-query', 'react-aria-components'],
];

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
  for (const name of ['core', 'statements', 'server', 'client']) {
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

/** Returns every module that is loaded with a module; type imports and import() are not followed. */
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

test('a tree that keeps the rules is read completely and has no violations', async () => {
  const result = await readImports(plant(Object.entries(CLEAN)));
  assert.deepEqual(violations(result), []);
  const read = result.modules.map(({ source }) => source);
  for (const file of Object.keys(CLEAN)) assert.ok(read.includes(file), `${file} was not read`);
});

for (const keyword of ['import', 'import type']) {
  test(`every planted violation is found, and nothing else (${keyword})`, async () => {
    const planted = PLANTED.map(([, file, imports]): [string, string[]] => [file, [imports]]);
    // The other half of the cycle, which is reported once.
    planted.push([`${SERVER}/wire/round.ts`, ['./about.ts']]);
    const root = plant([...Object.entries(CLEAN), ...planted], keyword);
    const expected = PLANTED.map(([rule, file]) => `${rule} ${file}`).toSorted();
    assert.deepEqual(violations(await readImports(root)), expected);
  });
}

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[];
};
const rules = forbidden.map(({ name }) => name);

test('every rule has a planted violation', () => {
  assert.deepEqual(new Set(PLANTED.map(([rule]) => rule)), new Set(rules));
});

test('every folder of the server is a room with a rule for its imports', () => {
  const rooms = rules.flatMap((name) => /^(\w+)-imports$/.exec(name)?.[1] ?? []);
  const found = readdirSync(join(ROOT, SERVER), { withFileTypes: true });
  const names = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), rooms.toSorted());
});

let read: Promise<ICruiseResult> | undefined;
const ofTree = (): Promise<ICruiseResult> => (read ??= readImports(ROOT));

test('starting the server loads neither the validator nor the libraries of other engines', async () => {
  const result = await ofTree();
  const loaded = [...loadedWith(result, `${SERVER}/main.ts`)];
  const late = /node_modules\/(ajv|pg|pg-copy-streams|ioredis|@noble\/hashes|standardwebhooks)\//;
  const followed = loaded.some((path) => path.includes('node_modules/fastify/'));
  assert.deepEqual([followed, loaded.filter((path) => late.test(path))], [true, []]);
});

test('the packages are read (more than 20 modules) and keep every rule', async () => {
  const result = await ofTree();
  assert.ok(result.summary.totalCruised > 20, String(result.summary.totalCruised));
  assert.deepEqual(lines(result), []);
});

test('folders of tests that import each other, or their parents, are found', async () => {
  const root = plant([
    ['test/a/one.ts', ['../b/deep/two.ts']],
    ['test/b/deep/two.ts', ['../three.ts']],
    ['test/b/three.ts', ['../a/four.ts']],
    ['test/a/four.ts', []],
    ['prove/run.ts', ['./run/check.ts']],
    ['prove/run/check.ts', ['../book.ts']],
    ['prove/book.ts', []],
    ['bench/run.ts', ['./report/table.ts', '../test/a/four.ts']],
    ['bench/report/table.ts', []],
  ]);
  assert.deepEqual(lines(await readImports(root)).toSorted(), [
    'circle of folders: prove, prove/run',
    'circle of folders: test/a, test/b, test/b/deep',
  ]);
});
