/*
 * Checks what Coffer promises: `npm run prove` runs all checks, `npm run prove -- F1 F21` only these.
 *
 * Prints a line with the result of each check, and writes it with date and commit to prove/results.json and to
 * docs/reference/reliability.md. Ends with 1 when a promise was broken or a check could not run. All checks together
 * take about half an hour on two cores. `npm run prove -- mutants` starts mutants.ts instead.
 */
import { execFileSync } from 'node:child_process';
import { commandsMissing } from './run/commands.ts';
import type { Check } from './run/check.ts';
import { checks } from './checks.ts';
import { record } from './run/record.ts';

if (process.argv.slice(2).join() === 'mutants') await import('./mutants.ts');
else await prove(new Set(process.argv.slice(2).map((id) => id.toUpperCase())));

/** Runs the checks with these ids, or all. */
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
  const startedAtMs = performance.now();
  const { figure, problems } = await check.run(check.rounds.full);
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  const passed = problems.length === 0;
  console.log(`${passed ? '✔' : '✖'} ${check.id.padEnd(4)}${figure} (${seconds} s)`);
  for (const problem of problems.slice(0, 20)) console.log(`    ${problem}`);
  record({ id: check.id, figure, passed, seconds, ...origin() });
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
