/*
 * Runs the tests: `npm test [-- [--test-name-pattern PATTERN] [FILE…]]`.
 *
 * Exits with 0 when every test that ran passed. A test may skip itself with a reason. A reason that begins with
 * "missing:" names a program that is not installed. With CI=true such a skip is a failure.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { run, type RunOptions } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { groupTests } from './test-groups.ts';

const ROOT = join(import.meta.dirname, '..');
/** The slowest files first, so that no processor waits for them at the end. */
const ALL_TESTS = ['test', 'prove', 'scripts', 'bench', 'packages'].map(
  (room) => `${room}/**/*.test.ts`,
);
/** Long enough for the slowest file on two slow cores, short enough that a hang ends the run. */
const FILE_TIMEOUT_MS = 900_000;
/** More than the two processors of a small machine, because many tests wait for other processes. */
const CONCURRENCY = 3;
const MISSING = 'missing:';
/** Far from UTC, so that a test which depends on the zone of the machine fails here. */
const ZONE = 'Pacific/Kiritimati';

interface Skip {
  name: string;
  reason: string;
}

interface Outcome {
  isSuccess: boolean;
  skips: Skip[];
}

function findTests(pattern: string): string[] {
  const isForeign = (path: string): boolean => path.includes('node_modules');
  return globSync(pattern, { cwd: ROOT, exclude: isForeign }).toSorted();
}

function readArguments(): RunOptions & { files: string[] } {
  const pattern = { type: 'string', multiple: true } as const;
  const options = { 'test-name-pattern': pattern, 'test-skip-pattern': pattern } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const isAll = positionals.length === 0;
  return {
    files: isAll ? groupTests(ROOT, ALL_TESTS.flatMap(findTests)) : positionals.flatMap(findTests),
    testNamePatterns: values['test-name-pattern'] ?? [],
    testSkipPatterns: values['test-skip-pattern'] ?? [],
  };
}
/** Runs the files with node's own runner, its report on stdout. */
async function runTests(options: RunOptions): Promise<Outcome> {
  const outcome: Outcome = { isSuccess: false, skips: [] };
  const events = run({ ...options, cwd: ROOT, concurrency: CONCURRENCY, timeout: FILE_TIMEOUT_MS });
  events.on('test:pass', ({ name, skip }) => {
    if (skip === undefined || skip === false) return;
    outcome.skips.push({ name, reason: skip === true ? '' : skip });
  });
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) outcome.isSuccess = success;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(String(text));
  return outcome;
}

/** Prints every test that did not run. */
function reportSkips(skips: Skip[]): void {
  if (skips.length === 0) return;
  console.log(`\nSkipped tests (${skips.length}):`);
  for (const { name, reason } of skips) console.log(`  ${name}${reason && ` (${reason})`}`);
}

process.env['TZ'] ??= ZONE;
// Tests start hundreds of processes, which share compiled sources.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/tests');

const options = readArguments();
if (options.files.length === 0) {
  console.error('There are no such tests');
  process.exit(1);
}
const { isSuccess, skips } = await runTests(options);
reportSkips(skips);
const isComplete = !skips.some(({ reason }) => reason.startsWith(MISSING));
if (!isComplete && process.env['CI'] === 'true') {
  console.error('Tests were skipped because programs are missing, which CI does not allow');
  process.exitCode = 1;
}
if (!isSuccess) process.exitCode = 1;
