/*
 * Puts to the proof what Coffer promises: `npm run prove`, or `npm run prove -- F1 F21` for some of it.
 *
 * Prints a line for each check with its figure, and writes it with date and commit to prove/results.json and into
 * docs/reference/reliability.md. Ends with 1 when a promise was broken or a check could not run. The whole takes about
 * an hour on two cores. `npm run prove -- mutants` is another matter: see mutants.ts.
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
    console.error(`There is no check ${unknown.join(', ')}`);
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
  record({ id: check.id, promise: check.promise, figure, passed, seconds, ...origin() });
  return passed;
}

function origin(): { date: string; commit: string } {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  // What the results themselves change does not make the program another one.
  const changes = git('status', '--porcelain', '--', '.', ':!prove/results.json', ':!docs');
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : '+'),
  };
}
