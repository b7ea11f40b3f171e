import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How many files share a process: enough to hide its start, few enough to keep the processors busy at the end. */
const GROUP_SIZE = 16;

/** Hooks for every test of the process, and what changes or measures the process. */
const NEEDS_PROCESS = new RegExp(
  [
    String.raw`^(?:before|beforeEach|afterEach)\(`,
    String.raw`^mock\.|[^.\w]mock\.(?:method|timers)`,
    String.raw`process\.(?:chdir|memoryUsage|getActiveResourcesInfo|on\()`,
    String.raw`process\.env(?:\.\w+|\[[^\]]+\]) \??\??= |delete process\.env`,
  ].join('|'),
  'm',
);

/** The tests of packages, and those of the API, which on-postgres.long.test.ts runs in one process, too. */
const SHARED = /^(?:packages|test\/spec(?!\/engines))\//;

/** Returns whether a test file changes nothing that others in its process see. */
function isShared(root: string, file: string): boolean {
  return SHARED.test(file) && !NEEDS_PROCESS.test(readFileSync(join(root, file), 'utf8'));
}

/**
 * Puts tests together, so that a process loads the product, compiles its schemas and starts a database
 * server once for many files. Returns the files that the runner starts: for each group one that imports its files.
 */
export function groupTests(root: string, files: readonly string[]): string[] {
  const shared = files.filter((file) => isShared(root, file));
  const folder = join(root, 'node_modules/.cache/test-groups');
  mkdirSync(folder, { recursive: true });
  const groups: string[] = [];
  for (let from = 0; from < shared.length; from += GROUP_SIZE) {
    const imports = shared
      .slice(from, from + GROUP_SIZE)
      .map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    const path = join(folder, `${groups.length}.test.mjs`);
    writeFileSync(path, imports.join(''));
    groups.push(path);
  }
  return [...files.filter((file) => !shared.includes(file)), ...groups];
}
