import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import type { ICruiseResult } from 'dependency-cruiser';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { readImports, violations as lines } from '../../scripts/imports.ts';
import { CLEAN, SERVER } from './clean-tree.ts';

const ROOT = join(import.meta.dirname, '../..');

const tags = `${SERVER}/ledger/tags`;

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[];
};
const rules = forbidden.map(({ name }) => name);

/** Each room of the server, in their order, imports a file of the next one above it; the first one the program. */
function roomsImportingUpwards(): [rule: string, file: string, imports: string][] {
  const fileIn = (room: string): string | undefined =>
    Object.keys(CLEAN).find((file) => `${file}/`.startsWith(`${SERVER}/${room}/`));
  const all = rules.flatMap(
    (rule) => /^(?!ledger-|web-|no-dead-)(.+)-imports$/.exec(rule)?.[1] ?? [],
  );
  return all.map((room, at) => {
    const above = all.slice(0, at).findLast((each) => fileIn(each) !== undefined);
    const target = (above === undefined ? undefined : fileIn(above)) ?? `${SERVER}/main.ts`;
    const file = room.endsWith('.ts') ? `${SERVER}/${room}` : `${SERVER}/${room}/a.ts`;
    return [`${room}-imports`, file, relative(dirname(file), target).replace(/^(?!\.)/, './')];
  });
}

/** One violation per line: the rule, the file that breaks it, and its import. */
const PLANTED: [rule: string, file: string, imports: string][] = [
  ['no-cycles', `${SERVER}/operations/about.ts`, './round.ts'],
  ['no-dead-imports', `${SERVER}/operations/dead.ts`, './gone.ts'],
  ['core-imports-nothing-of-ours', 'packages/core/src/x.ts', '@coffer/client'],
  ['core-imports-nothing-of-ours', 'packages/core/src/y.ts', '@coffer/statements'],
  ['statements-only-core', 'packages/statements/src/x.ts', '@coffer/server/src/main.ts'],
  ['client-imports-nothing-of-ours', 'packages/client/src/a.ts', '@coffer/server/src/main.ts'],
  ['client-imports-nothing-of-ours', 'packages/client/src/c.ts', '@coffer/core'],
  ['client-runs-everywhere', 'packages/client/src/b.ts', 'node:timers'],
  ['cli-runs-rooms', 'packages/cli/src/a.ts', '@coffer/server/src/http/app.ts'],
  ['cli-runs-rooms', 'packages/cli/b.ts', '../server/src/db/sqlite/sqlite.ts'],
  ['cli-runs-rooms', 'packages/cli/src/c.ts', '@coffer/server/src/all.ts'],
  ['config-loads-no-framework', `${SERVER}/config.ts`, './http/app.ts'],
  ['server-imports-no-client', `${SERVER}/x.ts`, '../../cli/src/main.ts'],
  ...roomsImportingUpwards(),
  // A closed room imports one below it that it does not know.
  ['http-imports', `${SERVER}/http/b.ts`, '../config.ts'],
  ['imports-imports', `${SERVER}/imports/b.ts`, '../config.ts'],
  ['history-imports', `${SERVER}/history/b.ts`, '@coffer/statements'],
  ['maintenance-imports', `${SERVER}/maintenance/b.ts`, '../pages/pages.ts'],
  ['ledger-imports', `${tags}/b.ts`, '../../main.ts'],
  ['ledger-imports', `${SERVER}/ledger/c.ts`, '../http/app.ts'],
  ...[
    ...['balance-history', 'summary', 'budgets', 'transactions', 'rules', 'recurring', 'tags'],
    ...['categories', 'accounts', 'currencies'],
  ].map((name, at, all): [string, string, string] => [
    `ledger-${name}-imports`,
    `${SERVER}/ledger/${name}/a.ts`,
    at === 0 ? '../merge.ts' : `../${all[at - 1]}/actions.ts`,
  ]),
  ['jobs-imports', `${SERVER}/jobs/b.ts`, '../pages/pages.ts'],
  ['db-imports', `${SERVER}/db/sqlite/b.ts`, '../../maintenance/backup.ts'],
  ['http-reads-no-rows', `${SERVER}/http/c.ts`, '../db/tables/tables.ts'],
  ['http-reads-no-rows', `${SERVER}/http/d.ts`, '../db/sqlite/sqlite.ts'],
  ['records-are-written-through-the-book', `${tags}/d.ts`, '../../db/writes.ts'],
  ['records-are-written-through-the-book', `${SERVER}/imports/d.ts`, '../db/writes.ts'],
  ['rules-run-no-statements', `${SERVER}/ledger/a/rules.ts`, '../../db/engine.ts'],
  ['rules-run-no-statements', `${SERVER}/history/b/rules.ts`, '../../ledger/tags/rules.ts'],
  ['pure-rooms-do-no-io', 'packages/core/src/io.ts', 'node:fs'],
  ['pure-rooms-do-no-io', 'packages/statements/src/io.ts', 'node:child_process'],
  ['pure-rooms-do-no-io', `${SERVER}/operations/io.ts`, 'node:fs/promises'],
  ['pure-rooms-do-no-io', `${SERVER}/pages/io.ts`, 'node:net'],
  ['pure-rooms-do-no-io', `${SERVER}/demo/io.ts`, 'node:fs'],
  ['only-tests-import-tests', `${SERVER}/db/d.ts`, './sqlite/sqlite.test.ts'],
  ['only-tests-import-tests', `${SERVER}/db/e.ts`, './testing/books.ts'],
  ['typebox-only-in-subjects', `${SERVER}/http/t.ts`, 'typebox'],
  ['typebox-only-in-subjects', `${SERVER}/db/t.ts`, 'typebox'],
  ['validator-only-in-operations', `${SERVER}/http/v.ts`, 'ajv'],
  ['validator-only-in-operations', `${tags}/v.ts`, 'ajv'],
  ['web-libraries-only-in-http', `${SERVER}/operations/w.ts`, 'fastify'],
  ['web-libraries-only-in-http', `${SERVER}/w.ts`, '@scalar/fastify-api-reference'],
  ['web-libraries-only-in-http', `${SERVER}/db/m.ts`, 'prom-client'],
  ['type-generator-only-in-the-client-build', 'packages/client/src/g.ts', 'openapi-typescript'],
  ['form-parser-only-in-uploads', `${SERVER}/http/m.ts`, '@fastify/busboy'],
  ['engines-only-in-db', `${SERVER}/http/e.ts`, 'better-sqlite3'],
  ['engines-only-in-db', `${tags}/f.ts`, 'pg'],
  ['sql-only-where-rows-are', `${SERVER}/http/s.ts`, 'sql-template-tag'],
  ['sql-only-where-rows-are', `${SERVER}/files/s.ts`, 'sql-template-tag'],
  ['xml-parser-only-in-camt', 'packages/statements/src/ofx/x.ts', 'saxes'],
  ['redis-only-in-its-limiter', `${SERVER}/limiter/memory.ts`, 'ioredis'],
  ['redis-only-in-its-limiter', `${SERVER}/limiter/redis-url.ts`, 'ioredis'],
  ['redis-only-in-its-limiter', `${SERVER}/http/r.ts`, 'ioredis'],
  ['hashes-only-in-identity-and-sync', `${SERVER}/http/h.ts`, '@noble/hashes/sha3.js'],
  ['webhook-signatures-only-in-webhooks', `${SERVER}/jobs/w.ts`, 'standardwebhooks'],
  ['passkey-library-only-in-passkeys', `${SERVER}/http/p.ts`, '@simplewebauthn/server'],
  ['command-libraries-only-in-cli', `${SERVER}/http/l.ts`, 'commander'],
  ['command-libraries-only-in-cli', 'packages/statements/src/c.ts', 'cli-progress'],
  ['test-libraries-only-in-tests', `${SERVER}/db/f.ts`, 'fast-check'],
  ['test-libraries-only-in-tests', `${SERVER}/http/f.ts`, '@lunch-money/v2-api-spec'],
  ['test-libraries-only-in-tests', 'packages/core/src/f.ts', 'yaml'],
  ['web-imports-core-and-types', 'packages/web/src/screens/a.ts', '@coffer/server/src/main.ts'],
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
  ['database-of-the-browser-only-in-its-store', 'packages/web/src/api/idb.ts', 'idb'],
  ['every-library-has-a-room', `${SERVER}/operations/y.ts`, 'prettier'],
];

/** Linked to the installed packages, so that their files are found under their real paths. */
const INSTALLED = (
  'saxes typebox fastify @fastify/busboy @scalar/fastify-api-reference better-sqlite3 yaml sql-template-tag ' +
  '@noble/hashes @simplewebauthn/server standardwebhooks commander cli-progress fast-check ' +
  '@lunch-money/v2-api-spec prettier prom-client'
).split(' ');
/** Libraries that the rules name, planted as empty packages. */
const MADE_UP =
  'pg pg-copy-streams ioredis ajv openapi-typescript react wouter idb @tanstack/react-query'.split(
    ' ',
  );

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
  const root = realpathSync(newFolder());
  for (const [file, imports] of files) write(root, file, code(imports, keyword));
  for (const name of ['core', 'statements', 'server', 'client']) {
    const manifest = { name: `@coffer/${name}`, type: 'module', main: './src/index.ts' };
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
    planted.push([`${SERVER}/operations/round.ts`, ['./about.ts']]);
    const root = plant([...Object.entries(CLEAN), ...planted], keyword);
    const expected = PLANTED.map(([rule, file]) => `${rule} ${file}`).toSorted();
    assert.deepEqual(violations(await readImports(root)), expected);
  });
}

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
  const late = /node_modules\/(ajv|pg|pg-copy-streams|@fastify\/busboy|ioredis|standardwebhooks)\//;
  const followed = loaded.some((path) => path.includes('node_modules/fastify/'));
  assert.deepEqual([followed, loaded.filter((path) => late.test(path))], [true, []]);
});

test('the packages are read (more than 20 modules) and keep every rule', async () => {
  const result = await ofTree();
  assert.ok(result.summary.totalCruised > 20, String(result.summary.totalCruised));
  assert.deepEqual(lines(result), []);
});

test('folders that import each other, or their parents, are found', async () => {
  const root = plant([
    ['packages/core/src/a/one.ts', ['../two.ts']],
    ['packages/core/src/two.ts', ['./b/three.ts']],
    ['packages/core/src/b/three.ts', ['../a/four.ts']],
    ['packages/core/src/a/four.ts', []],
    // A test may use its package from any folder of it.
    ['packages/core/src/a/four.test.ts', ['../c/five.ts']],
    ['packages/core/src/c/five.ts', ['../a/four.ts']],
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
  const result = await readImports(root);
  assert.deepEqual(lines(result).toSorted(), [
    'circle of folders: packages/core/src, packages/core/src/a, packages/core/src/b',
    'circle of folders: prove, prove/run',
    'circle of folders: test/a, test/b, test/b/deep',
  ]);
});
