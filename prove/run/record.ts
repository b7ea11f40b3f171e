import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What one full run of a check found. */
interface Result {
  readonly id: string;
  readonly promise: string;
  readonly figure: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Ends in `+` when the program differed from the commit. */
  readonly commit: string;
}

const resultsFile = new URL('../results.json', import.meta.url);
const referenceFile = new URL('../../docs/reference/reliability.md', import.meta.url);
const table = /(<!-- prove:begin -->)[^]*?(<!-- prove:end -->)/;

/** Puts a result in the place of the check's last one, and the table of the reference after it. */
export function record(result: Result): void {
  const earlier = readResults().filter(({ id }) => id !== result.id);
  const results = [...earlier, result].toSorted((a, b) => numberOf(a) - numberOf(b));
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const text = readFileSync(referenceFile, 'utf8');
  writeFileSync(referenceFile, text.replace(table, `$1\n\n${tableOf(results)}\n\n$2`));
}

/** The results of the last full run of each check, in the order of their numbers. */
function readResults(): Result[] {
  if (!existsSync(resultsFile)) return [];
  return JSON.parse(readFileSync(resultsFile, 'utf8')) as Result[];
}

function tableOf(results: readonly Result[]): string {
  const head = ['Check', 'Promise', 'Found', 'Kept', 'Run'];
  const rows = [head, ...results.map(rowOf)];
  const widths = head.map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n');
}

function rowOf({ id, promise, figure, passed, seconds, date, commit }: Result): string[] {
  return [id, promise, figure, passed ? 'yes' : 'no', `${date}, ${commit}, ${seconds} s`];
}

function numberOf({ id }: Result): number {
  return Number(id.slice(1));
}
