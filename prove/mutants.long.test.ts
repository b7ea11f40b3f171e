import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../packages/server/src/db/testing/folder.ts';
import { installOnDemand } from '../scripts/on-demand.ts';

const ROOT = join(import.meta.dirname, '..');
const skip = installOnDemand(join(ROOT, 'prove/tools'));
const folder = newFolder();

/** Files with all the syntax of TypeScript that Node must strip, also from a mutated file. */
const TREE: Record<string, string> = {
  'package.json': '{ "name": "x", "private": true, "type": "module" }',
  'packages/core/src/between.ts': `
    interface Range { readonly from: number; readonly to: number }
    export function isBetween<T extends Range>(value: number, { from, to }: T): boolean {
      const isAfter: boolean = value >= from;
      return isAfter && value < (to satisfies number as number);
    }`,
  'packages/core/src/between.test.ts': `
    import assert from 'node:assert/strict';
    import { test } from 'node:test';
    import { isBetween } from './between.ts';
    test('the lower bound is inside', () => {
      assert.deepEqual([0, 1, 2].map((n) => isBetween(n, { from: 1, to: 9 })), [false, true, true]);
    });`,
  'packages/server/src/limiter/lonely.ts': 'export const twice = (n: number): number => n * 2;',
};

test('lists the mutants that no test detects, and counts the others', { skip }, async () => {
  for (const [file, text] of Object.entries(TREE)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(ROOT, 'prove/mutants.ts');
  const options = { cwd: folder, timeout: 300_000 };
  const { stdout } = await promisify(execFile)(process.execPath, [program], options);
  const limiter = 'packages/server/src/limiter/lonely.ts';
  const core = 'packages/core/src/between.ts';
  const lines = stdout
    .split('\n')
    .filter((line) => /^(survived|not covered|\d+ mutants)/.test(line));
  assert.deepEqual(lines.toSorted(), [
    '13 mutants: 9 detected, 2 survived, 2 not covered',
    `not covered ${limiter}:1:22 ArrowFunction: () => undefined`,
    `not covered ${limiter}:1:45 ArithmeticOperator: n / 2`,
    `survived ${core}:5:25 ConditionalExpression: true`,
    `survived ${core}:5:25 EqualityOperator: value <= (to satisfies number as number)`,
  ]);
});
