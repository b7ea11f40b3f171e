/*
 * Checks every import of the packages against the rules in .dependency-cruiser.cjs. Ends with 1 on a
 * violation, and also when no modules were read.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';

const ROOT = join(import.meta.dirname, '..');

/** Returns the modules of the packages below `root`, with their violations of the rules of this project. */
export async function readImports(root: string): Promise<ICruiseResult> {
  const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration;
  const { options = {}, ...ruleSet } = rules;
  const { enhancedResolveOptions, ...cruiseOptions } = options;
  const { output } = await cruise(
    ['packages'],
    { ...cruiseOptions, ruleSet, validate: true, baseDir: root },
    enhancedResolveOptions,
  );
  if (typeof output === 'string')
    throw new Error(`dependency-cruiser returned a text instead of a result: "${output}"`);
  return output;
}

async function main(): Promise<number> {
  const { summary } = await readImports(ROOT);
  for (const { rule, from, to } of summary.violations)
    console.error(`${rule.name}: ${from} → ${to}`);
  console.log(`${summary.totalCruised} modules, ${summary.totalDependenciesCruised ?? 0} imports`);
  if (summary.totalCruised === 0) console.error('No modules were read: nothing is checked');
  return summary.totalCruised > 0 && summary.violations.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
