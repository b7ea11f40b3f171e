/*
 * Checks every import against the rules in .dependency-cruiser.cjs, and that no folders form a circle. Ends with 1 on a
 * violation, and also when no modules were read.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import { circlesOfFolders } from './circles.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['packages', 'test', 'prove', 'bench', 'scripts'];
/** Where folders may not form circles. Tests of a package use the whole of it, from whatever folder they are in. */
const WITHOUT_CIRCLES =
  /^(test|prove|bench)\/|^packages\/[^/]+\/src\/(?!.*((\.test|-contract|-model)\.tsx?$|\/testing\/))/;

/** Returns the modules below `root`, with their violations of the rules of this project. */
export async function readImports(root: string): Promise<ICruiseResult> {
  const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration;
  const { options = {}, ...ruleSet } = rules;
  const { enhancedResolveOptions, ...cruiseOptions } = options;
  const { output } = await cruise(
    FOLDERS.filter((folder) => existsSync(join(root, folder))),
    { ...cruiseOptions, ruleSet, validate: true, baseDir: root },
    enhancedResolveOptions,
  );
  if (typeof output === 'string')
    throw new Error(`dependency-cruiser returned a text instead of a result: "${output}"`);
  return output;
}

/** Returns a line for each violation of a rule, and for each circle of folders. */
export function violations({ summary, modules }: ICruiseResult): string[] {
  const ofRules = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  const circles = circlesOfFolders(modules, WITHOUT_CIRCLES);
  return [...ofRules, ...circles.map((folders) => `circle of folders: ${folders.join(', ')}`)];
}

async function main(): Promise<number> {
  const result = await readImports(ROOT);
  const { totalCruised, totalDependenciesCruised = 0 } = result.summary;
  const found = violations(result);
  for (const line of found) console.error(line);
  console.log(`${totalCruised} modules, ${totalDependenciesCruised} imports`);
  if (totalCruised === 0) console.error('No modules were read: nothing is checked');
  return totalCruised > 0 && found.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
