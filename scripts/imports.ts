/*
 * Holds every import of the packages to .dependency-cruiser.cjs. Ends with 0 when all of them keep
 * the rules, and fails when it has read no modules, which would keep every rule.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';

const ROOT = join(import.meta.dirname, '..');

/** The modules of the packages below `root` and the rules they break, by the rules of this tree. */
export async function readImports(root: string): Promise<ICruiseResult> {
  const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration;
  const { options = {}, ...ruleSet } = rules;
  const { enhancedResolveOptions, ...cruiseOptions } = options;
  const { output } = await cruise(
    ['packages'],
    { ...cruiseOptions, ruleSet, validate: true, baseDir: root },
    enhancedResolveOptions,
  );
  if (typeof output === 'string') throw new Error(`No cruise result but "${output}"`);
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
