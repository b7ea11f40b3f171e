/* Holds docs/openapi.json to good practice, by the rules of Redocly in redocly.yaml: a step of `npm run check`. */
import { join } from 'node:path';
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const ROOT = join(import.meta.dirname, '..');

const config = await loadConfig({ configPath: join(ROOT, 'redocly.yaml') });
const problems = await lint({ ref: join(ROOT, 'docs/openapi.json'), config });
const totals = getTotals(problems);
if (problems.length > 0)
  formatProblems(problems, { cwd: ROOT, format: 'stylish', totals, version: '' });
// Warnings too: there is nothing to get used to.
process.exitCode = totals.errors + totals.warnings === 0 ? 0 : 1;
