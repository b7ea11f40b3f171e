import { readFileSync, writeFileSync } from 'node:fs';
import { goalOf, type Figure } from './figure.ts';
import { headlineTable } from './headline.ts';
import { markdownTable, placeBetween } from './markdown.ts';
import type { Results } from './results.ts';

export const referenceDocument = new URL('../../docs/reference/performance.md', import.meta.url);

export function writeReference(results: Results): void {
  const document = readFileSync(referenceDocument, 'utf8');
  writeFileSync(referenceDocument, withResults(document, results));
}

export function withResults(document: string, { figures, ...results }: Results): string {
  const { date, commit, machine } = results;
  const shown = figures.filter(({ isDetail }) => isDetail !== true);
  const table = markdownTable([['Figure', 'Goal', 'Measured'], ...shown.map(rowOf)]);
  const node = String(machine['node']).slice(1);
  const run = `Run: ${date}, commit ${commit}, ${machine['processors']} processors, Node ${node}.`;
  return placeBetween(
    placeBetween(document, 'headline', headlineTable(figures)),
    'bench',
    `${table}\n\n${run}`,
  );
}

function rowOf(figure: Figure): string[] {
  const { name, value, unit } = figure;
  const goal = goalOf(figure, (each) => each.toLocaleString('en'));
  const digits = value >= 100 ? 0 : 3;
  const measured = Number(value.toFixed(digits)).toLocaleString('en');
  return [name, goal === '' ? '' : `${goal} ${unit}`, `${measured} ${unit}`];
}
