import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '../packages/server/src/db/testing/folder.ts';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** A tree in which everything is used, in every supported way. */
const CLEAN: Record<string, string> = {
  'package.json': '{ "name": "x", "type": "module", "workspaces": ["packages/*"] }',
  'scripts/check.ts': "import { make } from '../packages/a/build/make.ts'; make();",
  'packages/a/package.json': '{ "name": "@x/a", "type": "module", "exports": "./src/index.ts" }',
  'packages/a/build/make.ts': 'export function make(): void {}',
  'packages/a/src/index.ts': `
    import * as numbers from './numbers.ts';
    export * from './star.ts';
    export { renamed as given } from './renamed.ts';
    export type { Shape } from './shape.ts';
    const worker = new URL('./worker.ts', import.meta.url);
    const later = import('./later.ts').then(({ value }) => value);
    export const sum: numbers.Count = numbers.one + Number(worker) + Number(later);`,
  'packages/a/src/star.ts': 'export const passedOn = 1;',
  'packages/a/src/renamed.ts': 'export const renamed = 1;',
  'packages/a/src/numbers.ts': 'export const one = 1; export type Count = number;',
  'packages/a/src/shape.ts': `
    export interface Shape { side: Side }
    export type Side = number;`,
  'packages/a/src/worker.ts': 'setTimeout(() => undefined, 1);',
  'packages/a/src/later.ts': 'export const value = 1;',
  'packages/a/src/store-contract.ts': 'export const suite = 1;',
  'packages/a/src/store.test.ts': `
    import { suite } from './store-contract.ts';
    import { clock } from './testing/clock.ts';
    console.log(suite, clock);`,
  'packages/a/src/testing/clock.ts': 'export const clock = 1;',
  'packages/b/coffer.cjs': "import('./src/main.ts').then((m) => m.main());",
  'packages/b/package.json':
    '{ "name": "@x/b", "bin": "./coffer.cjs", "dependencies": { "@x/a": "*" } }',
  'packages/b/src/main.ts': `
    import { given, passedOn, sum, type Shape } from '../../a/src/index.ts';
    const shape: Shape = { side: 1 };
    console.log(given, passedOn, sum, shape);`,
};

/** Returns `file: name` for everything that knip finds in a tree, with the configuration of this project. */
async function findIn(files: Record<string, string>, ...flags: string[]): Promise<string[]> {
  const root = newFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  copyFileSync(join(ROOT, 'knip.config.js'), join(root, 'knip.config.js'));
  const knip = join(ROOT, 'node_modules/knip/bin/knip.js');
  const args = [knip, '--no-config-hints', '--no-progress', '--reporter', 'json', ...flags];
  const { promise, resolve } = Promise.withResolvers<[Error | null, string, string]>();
  execFile(process.execPath, args, { cwd: root, timeout: 60_000 }, (...end) => resolve(end));
  const [error, output] = await promise;
  const found = namesIn(output);
  assert.equal(error === null, found.length === 0, output);
  return found;
}

type Issues = Record<string, { name: string }[]> & { file: string };

function namesIn(output: string): string[] {
  const report = JSON.parse(output) as { files: string[]; issues: Issues[] };
  const named = report.issues.flatMap(({ file, ...kinds }) =>
    Object.values(kinds)
      .filter((names) => Array.isArray(names))
      .flatMap((names) => names.map(({ name }) => `${file}: ${name}`)),
  );
  return [...report.files, ...named].toSorted();
}

test('finds nothing in a tree where everything is used', async () => {
  assert.deepEqual(await findIn(CLEAN), []);
  assert.deepEqual(await findIn(CLEAN, '--production'), []);
});

test('finds every planted violation, and nothing else', async () => {
  const planted = {
    'packages/a/src/alone.ts': 'export {};',
    'packages/a/src/numbers.ts': `export const one = 1; export type Count = number;
      export const ownFile = 2; console.log(ownFile); export interface Lonely { a: 1 }`,
    'packages/a/src/star.ts': 'export const passedOn = 1; export const stays = 1;',
    'packages/a/src/later.ts': 'export const value = 1; export const never = 1;',
    'packages/b/src/main.ts': `import { given, passedOn, type Shape } from '../../a/src/index.ts';
      const shape: Shape = { side: 1 };
      console.log(given, passedOn, shape);`,
  };
  assert.deepEqual(await findIn({ ...CLEAN, ...planted }), [
    'packages/a/src/alone.ts',
    'packages/a/src/index.ts: sum',
    'packages/a/src/later.ts: never',
    'packages/a/src/numbers.ts: Lonely',
    'packages/a/src/numbers.ts: ownFile',
    'packages/a/src/star.ts: stays',
  ]);
});

test('finds what only tests use, unless its own file uses it too', async () => {
  const planted = {
    'packages/a/src/renamed.ts': `export const renamed = 1;
      export const forTests = 1; export const both = 1; console.log(both);`,
    'packages/a/src/renamed.test.ts': `
      import { both, forTests } from './renamed.ts';
      console.log(both, forTests);`,
    'packages/a/src/tested.ts': 'export const onlyTested = 1;',
    'packages/a/src/tested.test.ts': "import { onlyTested } from './tested.ts'; onlyTested;",
  };
  assert.deepEqual(await findIn({ ...CLEAN, ...planted }), []);
  assert.deepEqual(await findIn({ ...CLEAN, ...planted }, '--production'), [
    'packages/a/src/renamed.ts: forTests',
    'packages/a/src/tested.ts',
  ]);
});
