import { readFileSync, writeFileSync } from 'node:fs';
import { goalOf, type Figure } from './figure.ts';
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

/** What a user asks first, and the text for it: `{ms: NAME}` is the figure of that name in milliseconds. */
const lines: Readonly<Record<string, string>> = {
  'A page of 1,000 of a million transactions':
    '{ms: processor time, page at 0}, and {ms: processor time, page at depth} at offset 900,000',
  'The same page again, from memory':
    '{ms: requests: processor time, repeated page}, {share: requests: repeated page} of the speed of a bare Node server',
  'That page against other software':
    'json-server takes {times: peers: page at 0, json-server against Coffer}, Directus {times: peers: page at 0, Directus against Coffer} as much processor time',
  'A repeated page against a file of nginx':
    '{share: peers: repeated page against nginx’s static file, requests a second} of its requests a second',
  'A page over the network':
    'gzip makes {share: page of the demo book, gzip against plain bytes} of its bytes; {ms: requests: processor time, repeated page, gzip} when repeated',
  'A request for one transaction':
    '{ms: requests: processor time, list of 1}; `/v2/me` {ms: requests: processor time, me}',
  'A search among 100,000 transactions; the summary of a year':
    '{ms: requests: processor time, search}; {ms: requests: processor time, summary of a year}',
  'An insert of one transaction; of 500':
    '{ms: requests: processor time, insert of 1}; {ms: requests: processor time, insert of 500}',
  'An import of a CSV file': '{thousands: import from CSV} rows a second on one processor',
  'Start, and memory with a million transactions':
    '{ms: processor time of a start, compile cache warm, Coffer} to the first response; {whole: memory after the walks, with a full page cache} MB after every page was read',
};

const twoDigits = (value: number): number =>
  value >= 10 ? Math.round(value) : Number(value.toPrecision(2));

const formats: Readonly<Record<string, (value: number) => string>> = {
  ms: (value) => `${twoDigits(value)} ms`,
  times: (value) => `${twoDigits(value)} times`,
  share: (value) => `${Number((value * 100).toPrecision(2))} %`,
  thousands: (value) => (Math.round(value / 1000) * 1000).toLocaleString('en'),
  whole: (value) => String(Math.round(value)),
};

const place = /\{(\w+): ([^}]+)\}/g;

/** Returns a table of what a user asks first. Leaves out lines whose figures are missing. */
export function headlineTable(figures: readonly Figure[]): string {
  const values = new Map(figures.map(({ name, value }) => [name, value]));
  const rows = Object.entries(lines).flatMap(([question, text]) => {
    const isComplete = [...text.matchAll(place)].every(([, , name = '']) => values.has(name));
    const filled = text.replaceAll(place, (_, form: string, name: string) =>
      formats[form]!(values.get(name) ?? 0),
    );
    return isComplete ? [[question, filled]] : [];
  });
  return markdownTable([['What', 'Measured'], ...rows]);
}
