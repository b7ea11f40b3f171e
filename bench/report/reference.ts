import type { Figure } from './figure.ts';
import { markdownTable, rewrite } from './markdown.ts';

const file = new URL('../../docs/reference/performance.md', import.meta.url);

/** Writes the figures of a run, except details, to the table of the reference. */
export function writeReference(figures: readonly Figure[], run: string): void {
  const shown = figures.filter(({ isDetail }) => isDetail !== true);
  const table = markdownTable([['Figure', 'Goal', 'Measured'], ...shown.map(rowOf)]);
  rewrite(file, 'bench', `${table}\n\nRun: ${run}.`);
}

function rowOf({ name, value, unit, atLeast, atMost }: Figure): string[] {
  let goal = '';
  if (atLeast !== undefined) goal = `at least ${atLeast.toLocaleString('en')}`;
  if (atMost !== undefined) goal = `at most ${atMost.toLocaleString('en')}`;
  const digits = value >= 100 ? 0 : 3;
  const measured = Number(value.toFixed(digits)).toLocaleString('en');
  return [name, goal === '' ? '' : `${goal} ${unit}`, `${measured} ${unit}`];
}
