/*
 * Runs all checks that a change must pass: `npm run check`.
 *
 * First it runs all fast steps, two at a time, then the tests. It prints a line for each step, and the output of failed
 * steps. Exits with 0 when every step passed. COFFER_TESTS_JUST_RAN=1 skips the tests, for a caller that has just run
 * them.
 */
import { spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const STEP_TIMEOUT_MS = 900_000;
const TESTS_TIMEOUT_MS = 1_800_000;
const CONCURRENCY = 2;

/** A step is a script for the Node that runs this one, with its arguments. */
interface Step {
  name: string;
  script: string;
  args: string[];
}

interface Outcome {
  isSuccess: boolean;
  output: string;
}

function tool(path: string): string {
  return join(ROOT, 'node_modules', path);
}

function script(url: string): string {
  return fileURLToPath(url);
}

const knipFlags = ['--no-progress', '--no-config-hints'];

/** The longest first, so that both workers finish at about the same time. */
const steps: Step[] = [
  { name: 'lint', script: tool('eslint/bin/eslint.js'), args: ['--max-warnings', '0', '.'] },
  { name: 'format', script: tool('prettier/bin/prettier.cjs'), args: ['--check', '.'] },
  { name: 'types', script: tool('typescript7/bin/tsc'), args: ['-p', 'tsconfig.json'] },
  {
    name: 'types of the browser UI',
    script: tool('typescript7/bin/tsc'),
    args: ['-p', 'packages/web/tsconfig.json'],
  },
  {
    name: 'types of its tests',
    script: tool('typescript7/bin/tsc'),
    args: ['-p', 'test/web/tsconfig.json'],
  },
  { name: 'unused code', script: tool('knip/bin/knip.js'), args: knipFlags },
  {
    name: 'code that only tests use',
    script: tool('knip/bin/knip.js'),
    args: [...knipFlags, '--production'],
  },
  { name: 'import rules', script: script(import.meta.resolve('./imports.ts')), args: [] },
  {
    name: 'planted violations',
    script: script(import.meta.resolve('./test.ts')),
    args: ['--check', '--workers=1'],
  },
  { name: 'OpenAPI', script: script(import.meta.resolve('./lint-openapi.ts')), args: [] },
];

async function run(step: Omit<Step, 'name'>, options: SpawnOptions): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const child = spawn(process.execPath, [step.script, ...step.args], {
    cwd: ROOT,
    ...options,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  child.on('error', (error) => resolve({ isSuccess: false, output: error.message }));
  child.on('close', (code, signal) => {
    const end =
      signal === null ? '' : `\nEnded by ${signal}, after ${options.timeout} ms or by hand\n`;
    resolve({ isSuccess: code === 0, output: output + end });
  });
  return promise;
}

function report(name: string, isSuccess: boolean, startedAtMs: number): void {
  const mark = isSuccess ? styleText('green', '✔') : styleText('red', '✖');
  console.log(`${mark} ${name} (${((performance.now() - startedAtMs) / 1000).toFixed(1)} s)`);
}

/** Runs steps from the queue until it is empty. Returns whether all passed. */
async function work(queue: Step[]): Promise<boolean> {
  let isSuccess = true;
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    const startedAtMs = performance.now();
    const outcome = await run(step, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: STEP_TIMEOUT_MS,
    });
    report(step.name, outcome.isSuccess, startedAtMs);
    if (!outcome.isSuccess) console.log(outcome.output);
    isSuccess &&= outcome.isSuccess;
  }
  return isSuccess;
}

async function checkAll(): Promise<boolean> {
  const queue = [...steps];
  const workers = Array.from({ length: CONCURRENCY }, () => work(queue));
  if ((await Promise.all(workers)).includes(false)) return false;
  if (process.env['COFFER_TESTS_JUST_RAN'] === '1') {
    console.log('- tests (not run again: COFFER_TESTS_JUST_RAN is set)');
    return true;
  }
  const startedAtMs = performance.now();
  const tests = { script: script(import.meta.resolve('./test.ts')), args: [] };
  const { isSuccess } = await run(tests, { stdio: 'inherit', timeout: TESTS_TIMEOUT_MS });
  report('tests', isSuccess, startedAtMs);
  return isSuccess;
}

process.exitCode = (await checkAll()) ? 0 : 1;
