import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { readTextFiles } from './tracked-files.ts';

const guard = createRequire(import.meta.url)('../../packages/cli/coffer.cjs') as {
  SERVER_FLAGS: string;
};

/** Flags that change how V8 manages memory. */
const memoryFlag =
  /--(min-semi-space|max-semi-space|semi-space-growth|initial-heap|initial-old|max-old-space|max-heap)[\w=-]*/g;
/** Prose may name flags that were measured. */
const isProse = (path: string): boolean => path.endsWith('.md');
const own = ['packages/cli/coffer.cjs', 'test/house/flags.check.test.ts'];

test('the start guard alone sets the memory flags of a server', () => {
  assert.match(guard.SERVER_FLAGS, memoryFlag);
  const found = readTextFiles()
    .filter(({ path }) => !own.includes(path) && !isProse(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(memoryFlag)].map(([flag]) => `${path}: ${flag}`),
    );
  assert.deepEqual(found, []);
});
