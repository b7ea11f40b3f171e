/*
 * Changes the code of small pure rooms, one place at a time, and runs their tests: `npm run prove -- mutants`.
 *
 * Prints a line for every change (mutant) that no test detected or covered, and a summary. Only the tests in these
 * folders run. Two cores test about 90 mutants a minute, and a quarter of that when they are busy.
 */
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTool } from './tools/load.ts';

interface Mutant {
  readonly status: 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'RuntimeError' | 'Ignored';
  readonly fileName: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
  readonly mutatorName: string;
  readonly replacement: string;
}

interface Mutator {
  readonly Stryker: new (options: object) => { runMutationTest(): Promise<Mutant[]> };
}

const ROOMS = ['packages/core/src', 'packages/server/src/{pages,limiter,imports}'];
const runner = './tools/node_modules/@stryker-mutator/tap-runner/dist/src/index.js';
/** These measure memory or need a server. All other tests of the rooms run in memory, in seconds. */
const SLOW = ['memory*', 'redis*', 'shared*', 'postgres*'];

/** Tests every mutant of the rooms below the current folder. Rejects when a test fails without a mutant. */
async function testMutants(): Promise<Mutant[]> {
  // With this variable, the test runner of Node reports to the test that started it.
  delete process.env['NODE_TEST_CONTEXT'];
  // Stryker starts `node` by name, and only this version runs TypeScript.
  process.env['PATH'] = dirname(process.execPath) + delimiter + (process.env['PATH'] ?? '');
  const { Stryker } = await loadTool<Mutator>('@stryker-mutator/core');
  const options = {
    mutate: [
      ...ROOMS.map((room) => `${room}/**/*.ts`),
      `!**/{${SLOW.join()},*.test,*-contract,*-model}.ts`,
      '!**/testing/**',
    ],
    testRunner: 'tap',
    plugins: [fileURLToPath(new URL(runner, import.meta.url))],
    tap: {
      testFiles: ROOMS.map((room) => `${room}/**/!(${SLOW.join('|')}).test.ts`),
      nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
    },
    ignorePatterns: ['bench', 'docs', 'prove'],
    disableTypeChecks: false,
    concurrency: 2,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
    tempDirName: join(tmpdir(), `coffer-mutants-${process.pid}`),
    cleanTempDir: 'always',
  };
  return await new Stryker(options).runMutationTest();
}

function report(mutants: readonly Mutant[]): void {
  const count = (...statuses: Mutant['status'][]): number =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  for (const { status, fileName, location, mutatorName, replacement } of mutants) {
    if (status !== 'Survived' && status !== 'NoCoverage') continue;
    const place = `${relative('.', fileName)}:${location.start.line}:${location.start.column}`;
    const text = replacement.replaceAll(/\s+/g, ' ').slice(0, 60);
    console.log(
      `${status === 'Survived' ? 'survived' : 'not covered'} ${place} ${mutatorName}: ${text}`,
    );
  }
  const noticed = count('Killed', 'Timeout', 'RuntimeError');
  console.log(
    `${mutants.length} mutants: ${noticed} detected, ${count('Survived')} survived, ` +
      `${count('NoCoverage')} not covered`,
  );
}

report(await testMutants());
