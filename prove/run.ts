/*
 * Checks what Coffer promises: `npm run prove` runs all checks, `npm run prove -- F1 F21` only these.
 *
 * Prints a line with the result of each check, and writes it with date and commit to prove/results.json and to
 * docs/reference/reliability.md. Ends with 1 when a promise was broken or a check could not run. All checks together
 * take about half an hour on two cores. With `--short` the checks have few rounds, accept longer times, and write
 * nothing. `npm run prove -- mutants` starts mutants.ts instead.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { checks } from './checks.ts';
import { commandsMissing, timed, type Check } from './run/check.ts';
import { record } from './run/record.ts';

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (positionals.join() === 'mutants') await import('./mutants.ts');
else await prove(new Set(positionals.map((id) => id.toUpperCase())));

async function prove(ids: ReadonlySet<string>): Promise<void> {
  const unknown = [...ids].filter((id) => !checks.some((check) => check.id === id));
  if (unknown.length > 0) {
    console.error(`Unknown check: ${unknown.join(', ')}`);
    process.exitCode = 2;
    return;
  }
  for (const check of checks) {
    if (ids.size > 0 && !ids.has(check.id)) continue;
    if (!(await isKept(check))) process.exitCode = 1;
  }
}

async function isKept(check: Check): Promise<boolean> {
  const missing = commandsMissing(check);
  if (missing.length > 0) {
    console.log(`✖ ${check.id} not run: missing ${missing.join(', ')}`);
    return false;
  }
  const { short, full } = check.rounds;
  const [ms, { figure, problems }] = await timed(() => check.run(values.short ? short : full));
  const seconds = Math.round(ms / 1000);
  const passed = problems.length === 0;
  console.log(`${passed ? '✔' : '✖'} ${check.id.padEnd(4)}${figure} (${seconds} s)`);
  for (const problem of problems.slice(0, 20)) console.log(`    ${problem}`);
  if (!values.short) record({ id: check.id, figure, passed, seconds, ...origin() });
  return passed;
}

/**
 * Returns the date, and the last commit that changed the program. Commits that change only documents, checks or results
 * do not change what is checked.
 */
function origin(): { date: string; commit: string } {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const program = ['--', 'packages', 'package-lock.json'];
  const changes = git('status', '--porcelain', ...program);
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('log', '-1', '--format=%h', ...program) + (changes === '' ? '' : '+'),
  };
}
