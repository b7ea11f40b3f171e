import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { markdownTable, rewrite } from '../../bench/report/markdown.ts';
import { goals } from './goals.ts';

export interface Result {
  readonly id: string;
  readonly figure: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly date: string;
  /** The commit of the program; ends in `+` when the program had other changes. */
  readonly commit: string;
}

const resultsFile = new URL('../results.json', import.meta.url);
const referenceFile = new URL('../../docs/reference/reliability.md', import.meta.url);

export function record(result: Result): void {
  const earlier = readResults().filter(({ id }) => id !== result.id);
  const place = (one: Result): number => goals.findIndex(({ id }) => id === one.id);
  const results = [...earlier, result].toSorted((a, b) => place(a) - place(b));
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  rewrite(referenceFile, 'prove', tableOf(results));
}

export function readResults(): Result[] {
  if (!existsSync(resultsFile)) return [];
  return JSON.parse(readFileSync(resultsFile, 'utf8')) as Result[];
}

export function tableOf(results: readonly Result[]): string {
  const rows = goals.map(({ id, promise, unchecked }) => {
    if (unchecked !== undefined) return [id, promise, unchecked, '', ''];
    const result = results.find((each) => each.id === id);
    if (result === undefined) return [id, promise, 'Not measured on this version', '', ''];
    const { figure, passed, date, commit } = result;
    return [id, promise, figure, passed ? 'yes' : 'no', `${date}, ${commit}`];
  });
  return markdownTable([['Goal', 'Promise', 'Result', 'Kept', 'Run'], ...rows]);
}
