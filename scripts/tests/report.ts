import { styleText } from 'node:util';
import type { FileResult } from './pool.ts';
import { processorS } from './processes.ts';

const MISSING = 'missing:';
const COSTLIEST = 10;
const SHOWN_LINES = 12;

/** Prints a line for each file, and at the end what failed, what was skipped, and what it cost. */
export class Report {
  readonly #results: FileResult[] = [];
  readonly #startedAtMs = performance.now();

  add(result: FileResult): void {
    const { file, passed, failures, processorS: spentS } = result;
    this.#results.push(result);
    const mark = failures.length === 0 ? styleText('green', '✔') : styleText('red', '✖');
    console.log(`${mark} ${file} (${passed} passed, ${spentS.toFixed(1)} s)`);
    for (const failure of failures) console.log(`  ${failure.trim().replaceAll('\n', '\n    ')}`);
  }

  /** Prints the end. Returns whether everything passed; with `isComplete`, a missing program counts as failure. */
  end(isComplete: boolean): boolean {
    const failures = this.#results.flatMap((each) =>
      each.failures.map((text) => [each.file, text]),
    );
    const skips = this.#results.flatMap((each) => each.skips);
    if (failures.length > 0) console.log(`\nFailed tests (${failures.length}):`);
    // Again, and last: what keeps only the end of a long output shows why.
    for (const [file = '', text = ''] of failures) console.log(`  ${file}: ${beginOf(text)}`);
    if (skips.length > 0) console.log(`\nSkipped tests (${skips.length}):`);
    for (const { name, reason } of skips) console.log(`  ${name}${reason && ` (${reason})`}`);
    this.#printCosts();
    this.#printCounts(failures.length, skips.length);
    const isMissing = skips.some(({ reason }) => reason.startsWith(MISSING));
    if (isMissing && isComplete)
      console.error('Tests were skipped because programs are missing, which CI does not allow');
    return failures.length === 0 && !(isMissing && isComplete);
  }

  #printCosts(): void {
    const costliest = this.#results.toSorted((a, b) => b.processorS - a.processorS);
    console.log('\nCostliest files, in processor seconds:');
    for (const { file, processorS: spentS, wallS } of costliest.slice(0, COSTLIEST))
      console.log(`  ${spentS.toFixed(1).padStart(6)}  ${file} (${wallS.toFixed(1)} s)`);
  }

  /** The lines of node's own runner, which tools look for. */
  #printCounts(failed: number, skipped: number): void {
    const passed = this.#results.reduce((sum, each) => sum + each.passed, 0);
    const wallS = (performance.now() - this.#startedAtMs) / 1000;
    console.log(`\nℹ tests ${passed + failed + skipped}\nℹ pass ${passed}\nℹ fail ${failed}`);
    console.log(`ℹ skipped ${skipped}\nℹ files ${this.#results.length}`);
    console.log(`ℹ wall time ${wallS.toFixed(0)} s\nℹ processor time ${processorS().toFixed(0)} s`);
  }
}

/** Returns the name of a failed test and the first lines of what it threw. */
function beginOf(failure: string): string {
  const lines = failure.trim().split('\n');
  const more = lines.length > SHOWN_LINES ? ['…'] : [];
  return [...lines.slice(0, SHOWN_LINES), ...more].join('\n    ');
}
