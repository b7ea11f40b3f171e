/*
 * Runs the tests: `npm test [-- [--test-name-pattern PATTERN] [FILE…]]`, and with --all every repetition too.
 *
 * Exits with 0 when every test that ran passed. A test may skip itself with a reason. A reason that begins with
 * "missing:" names a program that is not installed. With CI=true such a skip is a failure.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findTests, isAlone, testsOf, type Length } from './tests/files.ts';
import { makeMemoryFolder } from './tests/memory-folder.ts';
import { runPool } from './tests/pool.ts';
import { Report } from './tests/report.ts';

const ROOT = join(import.meta.dirname, '..');
/** More than the two processors of a small machine, because many tests wait for other processes. */
const WORKERS = 3;
/** How many seconds a worker may begin no test. In the long run single tests are proofs. */
const HANG_S: Readonly<Record<Length, string>> = { short: '110', check: '110', all: '600' };
/** The share of the repetitions that runs: packages/core/src/testing/length.ts. */
const RUNS: Readonly<Record<Length, string>> = { short: '0.15', check: '1', all: '1' };
/** Far from UTC, so that a test which depends on the zone of the machine fails here. */
const ZONE = 'Pacific/Kiritimati';

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean' },
    check: { type: 'boolean' },
    'hang-s': { type: 'string' },
    workers: { type: 'string' },
    'test-name-pattern': { type: 'string', multiple: true },
  },
  allowPositionals: true,
});
const length: Length = values.all === true ? 'all' : values.check === true ? 'check' : 'short';
const patterns = values['test-name-pattern'] ?? [];
const files =
  positionals.length === 0
    ? testsOf(ROOT, length)
    : positionals.flatMap((pattern) => findTests(ROOT, pattern));

process.env['TZ'] ??= ZONE;
process.env['COFFER_RUNS'] ??= RUNS[length];
// Tests start hundreds of processes, which share compiled sources.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/tests');

// The long run has files that are too large for memory.
if (length === 'short' && process.env['TMPDIR'] === undefined) {
  const folder = makeMemoryFolder();
  if (folder !== null) process.env['TMPDIR'] = folder;
}

if (files.length === 0) {
  console.error('There are no such tests');
  process.exitCode = 1;
} else {
  process.exitCode = patterns.length > 0 ? runByName(patterns) : await runFiles();
}

/** Node's own runner looks for tests by their names. */
function runByName(names: readonly string[]): number {
  const flags = names.map((name) => `--test-name-pattern=${name}`);
  const options = { cwd: ROOT, stdio: 'inherit' } as const;
  return spawnSync(process.execPath, ['--test', ...flags, ...files], options).status ?? 1;
}

async function runFiles(): Promise<number> {
  const report = new Report();
  const alone = files.filter((file) => isAlone(ROOT, file));
  const shared = files.filter((file) => !alone.includes(file));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await runPool({
    root: ROOT,
    shared,
    alone,
    workers: Math.min(Number(values.workers ?? WORKERS), files.length),
    hangMs: Number(values['hang-s'] ?? HANG_S[length]) * 1000,
    onFile: (result) => report.add(result),
  });
  return report.end(process.env['CI'] === 'true') ? 0 : 1;
}
