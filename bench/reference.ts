import { readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from './figure.ts';

const file = new URL('../docs/reference/performance.md', import.meta.url);
const table = /(<!-- bench:begin -->)[^]*?(<!-- bench:end -->)/;

/** Writes the figures of a run into the table of the reference. */
export function writeReference(figures: readonly Figure[], run: string): void {
  const rows = [['Figure', 'Goal', 'Measured'], ...figures.map(rowOf)];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const text = [line(head), rule, ...body.map(line)].join('\n');
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.replace(table, `$1\n\n${text}\n\nRun: ${run}.\n\n$2`));
}

function rowOf({ name, value, unit, atLeast, atMost }: Figure): string[] {
  let goal = '';
  if (atLeast !== undefined) goal = `at least ${atLeast.toLocaleString('en')}`;
  if (atMost !== undefined) goal = `at most ${atMost.toLocaleString('en')}`;
  const digits = value >= 100 ? 0 : 3;
  const measured = Number(value.toFixed(digits)).toLocaleString('en');
  return [name, goal === '' ? '' : `${goal} ${unit}`, `${measured} ${unit}`];
}
