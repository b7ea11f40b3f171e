import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findUnused } from './unused.ts';

/** A tree in which everything is used, in every way in which something can be. */
const CLEAN: Record<string, string> = {
  'package.json': '{ "scripts": { "build": "node packages/a/src/build.ts" } }',
  'packages/a/package.json': '{ "name": "@x/a", "type": "module", "exports": "./src/index.ts" }',
  'packages/a/src/index.ts': `
    import * as numbers from './numbers.ts';
    export * from './star.ts';
    export { renamed as given } from './renamed.ts';
    export type { Shape } from './shape.ts';
    const worker = new URL('./worker.ts', import.meta.url);
    export const sum: numbers.Count = numbers.one + Number(worker);`,
  'packages/a/src/star.ts': 'export const passedOn = 1;',
  'packages/a/src/renamed.ts': 'export const renamed = 1;',
  'packages/a/src/numbers.ts': 'export const one = 1; export type Count = number;',
  'packages/a/src/shape.ts': `
    export interface Shape { side: Side }
    export type Side = number;`,
  'packages/a/src/worker.ts': 'export const port = 1;',
  'packages/a/src/build.ts': 'export function parts(): void {}',
  'packages/a/src/build.test.ts': "import { parts } from './build.ts'; parts();",
  'packages/a/src/store-contract.ts': 'export const suite = 1;',
  'packages/a/src/store.test.ts': `
    import { suite } from './store-contract.ts';
    import { clock } from './testing/clock.ts';
    export type Both = [typeof suite, typeof clock, Both];`,
  'packages/a/src/testing/clock.ts': 'export const clock = 1;',
  'packages/b/start.cjs': "import('./src/main.ts').then((m) => m.main());",
  'packages/b/package.json': '{ "name": "@x/b", "bin": "./start.cjs" }',
  'packages/b/src/main.ts': `
    import { given, passedOn, sum, type Shape } from '../../a/src/index.ts';
    export function main(shape: Shape): unknown { return [given, passedOn, sum, shape]; }`,
};

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function findIn(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'coffer-unused-'));
  folders.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return findUnused(root).unused;
}

test('finds nothing in a tree where everything is used', () => {
  assert.deepEqual(findIn(CLEAN), []);
});

const PLANTED: [what: string, file: string, text: string, found: string[]][] = [
  [
    'an export that no other file takes, though its own file does',
    'packages/a/src/numbers.ts',
    'export const one = 1; export type Count = number; export const two = 2; two;',
    ['"two" is not used by any other file'],
  ],
  [
    'a type that is written once and taken nowhere',
    'packages/a/src/numbers.ts',
    'export const one = 1; export type Count = number; export interface Lonely { a: 1 }',
    ['"Lonely" is not used by any other file'],
  ],
  [
    'an export behind a star that nobody takes through it',
    'packages/a/src/star.ts',
    'export const passedOn = 1; export const stays = 1;',
    ['"stays" is not used by any other file'],
  ],
  ['a file that nothing imports', 'packages/a/src/alone.ts', '', ['nothing imports this file']],
  [
    'a value in the door of a package that nobody takes',
    'packages/b/src/main.ts',
    `import { given, passedOn, type Shape } from '../../a/src/index.ts';
     export function main(shape: Shape): unknown { return [given, passedOn, shape]; }`,
    ['"sum" is not used by any other file'],
  ],
  [
    'an export that only a test takes',
    'packages/a/src/more.test.ts',
    "import { forTests } from './more.ts'; forTests;",
    ['"forTests" is used by tests only'],
  ],
];

for (const [what, file, text, found] of PLANTED) {
  test(`finds ${what}`, () => {
    const more = { 'packages/a/src/more.ts': 'export const forTests = 1;' };
    const files = { ...CLEAN, ...(file.includes('more.') ? more : {}), [file]: text };
    const messages = findIn(files).map((line) => line.replace(/^[^:]+: /, ''));
    assert.deepEqual(messages, found);
  });
}

test('reads no file at all in an empty folder, and says so', () => {
  const root = mkdtempSync(join(tmpdir(), 'coffer-unused-'));
  folders.push(root);
  assert.deepEqual(findUnused(root), { files: [], unused: [] });
});
