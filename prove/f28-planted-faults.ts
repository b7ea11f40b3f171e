import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from './book.ts';
import type { Check, Outcome } from './check.ts';
import type { PlantedFault } from './planted/planted-fault.ts';
import { plantedFaults } from './planted-faults.ts';
import { passes } from './test-run.ts';
import { copyTree } from './tree-copy.ts';

/** Copies of the tree that are tested at once. */
const lanes = 2;
const slowTests = /^prove|\/(sqlite|memory|export|import)\.test|^test/;

/** Guards are removed one at a time from a copy; the tests that are named must miss them. */
export const check: Check = {
  id: 'F28',
  promise: 'Every guard that is removed makes a test fail',
  // A test that is skipped misses nothing.
  needs: ['libfaketime', 'redis-server', 'openssl'],
  rounds: { short: 3, full: plantedFaults.length },
  async run(count) {
    const stale = plantedFaults.filter((fault) => !applies(fault));
    const problems = stale.map(({ file, name }) => `${file}: "${name}" cannot be planted any more`);
    const chosen = choose(count).filter((fault) => !stale.includes(fault));
    const run = new PlantedRun(chosen);
    await Promise.all(Array.from({ length: lanes }, () => inFolder((folder) => run.work(folder))));
    return run.outcome(problems);
  },
};

/** Of the whole table so many, spread over it; when it is not all, those that are caught in a moment. */
function choose(count: number): PlantedFault[] {
  if (count >= plantedFaults.length) return [...plantedFaults];
  const quick = plantedFaults.filter(({ tests: [first = ''] }) => !slowTests.test(first));
  return quick.filter((_, n) => n % Math.ceil(quick.length / count) === 0);
}

function applies({ file, text }: PlantedFault): boolean {
  const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  return source.split(text).length === 2;
}

/** One run of the table, worked off by several lanes. */
class PlantedRun {
  readonly #faults: readonly PlantedFault[];
  readonly #missed: string[] = [];
  /** Whether a test file passes in the tree as it is. */
  readonly #sound = new Map<string, Promise<boolean>>();
  #next = 0;

  constructor(faults: readonly PlantedFault[]) {
    this.#faults = faults;
  }

  /** Plants faults in a copy of the tree in `folder` until none is left. */
  async work(folder: string): Promise<void> {
    copyTree(folder);
    for (let n = this.#take(); n < this.#faults.length; n = this.#take()) {
      const fault = this.#faults[n]!;
      const problem = await this.#plant(folder, fault);
      if (problem !== undefined) this.#missed.push(`${fault.file}: "${fault.name}" ${problem}`);
    }
  }

  outcome(problems: readonly string[]): Outcome {
    const caught = this.#faults.length - this.#missed.length;
    const figure = `${caught} of ${this.#faults.length} planted faults caught`;
    return { figure, problems: [...problems, ...this.#missed] };
  }

  #take(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  async #plant(folder: string, { file, text, replacement, tests }: PlantedFault) {
    const path = join(folder, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      source.replace(text, () => replacement),
    );
    const failed = await firstFailed(folder, tests);
    writeFileSync(path, source);
    if (failed === undefined) return 'is missed by every test';
    return (await this.#isSound(folder, failed))
      ? undefined
      : `proves nothing: ${failed} fails anyway`;
  }

  #isSound(folder: string, test: string): Promise<boolean> {
    const known = this.#sound.get(test) ?? passes(folder, test);
    this.#sound.set(test, known);
    return known;
  }
}

async function firstFailed(folder: string, tests: readonly string[]): Promise<string | undefined> {
  for (const test of tests) if (!(await passes(folder, test))) return test;
  return undefined;
}
