/*
 * Changes the code of small pure rooms, one place at a time, and runs their tests: `npm run prove -- mutants`.
 *
 * Prints a line for every change (mutant) that no test noticed or covered, and a summary. Only tests beside the code
 * run. Two cores do some 90 mutants a minute, and a quarter of that when other work shares them.
 */
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const ROOMS = ['packages/core/src', 'packages/server/src/{pages,limiter,imports}'];
/** These measure memory or need a server; everything else in the rooms runs in memory, in seconds. */
const SLOW = ['memory', 'redis*', 'shared*', 'postgres*'];

/** Tests every mutant of the rooms below the current folder. Rejects when a test fails without any mutant. */
async function testMutants(): Promise<Mutant[]> {
  // In the environment of a test, Node's test runner reports to that test.
  delete process.env['NODE_TEST_CONTEXT'];
  // Stryker starts `node` by that name, and only this one runs TypeScript.
  process.env['PATH'] = dirname(process.execPath) + delimiter + (process.env['PATH'] ?? '');
  const options = {
    mutate: [
      ...ROOMS.map((room) => `${room}/**/*.ts`),
      `!**/{${SLOW.join()},*.test,*-contract,*-model}.ts`,
      '!**/testing/**',
    ],
    testRunner: 'tap',
    plugins: ['@stryker-mutator/tap-runner'],
    tap: {
      testFiles: ROOMS.map((room) => `${room}/**/!(${SLOW.join('|')}).test.ts`),
      nodeArgs: ['--test-reporter=tap', '-r', '{{hookFile}}', '{{testFile}}'],
    },
    ignorePatterns: ['bench', 'docs', 'prove'],
    disableTypeChecks: false,
    concurrency: 2,
    reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
    tempDirName: join(tmpdir(), `coffer-mutants-${process.pid}`),
    cleanTempDir: 'always' as const,
  };
  return await new Stryker(options).runMutationTest();
}

/** Prints the mutants that no test noticed, and a count of all. */
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
    `${mutants.length} mutants: ${noticed} noticed, ${count('Survived')} survived, ` +
      `${count('NoCoverage')} not covered`,
  );
}

report(await testMutants());
