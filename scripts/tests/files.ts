import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Which tests run: those of `npm test`, all of them, or those of `npm run check` that read the code itself. */
export type Length = 'short' | 'all' | 'check';

/** The rooms with the slowest files first, so that no worker waits for them at the end. */
const rooms = ['test', 'prove', 'scripts', 'bench', 'packages'];

/** What measures or changes the whole process. */
const needsProcess =
  /process\.(?:memoryUsage|getActiveResourcesInfo|on\()|needs a process of its own/;

/** Returns the paths of test files that match a pattern. */
export function findTests(root: string, pattern: string): string[] {
  const isForeign = (path: string): boolean => path.includes('node_modules');
  return globSync(pattern, { cwd: root, exclude: isForeign }).toSorted();
}

/** Returns all test files of a length: `x.long.test.ts` runs only in `all`, `x.check.test.ts` only in `check`. */
export function testsOf(root: string, length: Length): string[] {
  const files = rooms.flatMap((room) => findTests(root, `${room}/**/*.test.ts`));
  return files.filter((file) => {
    if (file.endsWith('.check.test.ts')) return length === 'check';
    if (file.endsWith('.long.test.ts')) return length === 'all';
    return length !== 'check';
  });
}

/** Returns whether a test file must be alone in its process. */
export function isAlone(root: string, file: string): boolean {
  return needsProcess.test(readFileSync(resolve(root, file), 'utf8'));
}
