import type { Figure } from './figure.ts';
import { markdownTable } from './markdown.ts';

/** Returns the value of a figure by its name. */
type ValueOf = (name: string) => number;

/** What a user asks first, and the text for it from the figures of a run. */
const lines: readonly (readonly [question: string, textOf: (of: ValueOf) => string])[] = [
  [
    'A page of 1,000 of a million transactions',
    (of) =>
      `${ms(of('processor time, page at 0'))}, and ${ms(of('processor time, page at depth'))} at offset 900,000`,
  ],
  [
    'The same page again, from memory',
    (of) =>
      `${ms(of('requests: processor time, repeated page'))}, ` +
      `${share(of('requests: repeated page'))} of the speed of a bare Node server`,
  ],
  [
    'That page against other software',
    (of) =>
      `json-server takes ${times(of('peers: page at 0, json-server against Coffer'))}, ` +
      `Directus ${times(of('peers: page at 0, Directus against Coffer'))} as much processor time`,
  ],
  [
    'A repeated page against a file of nginx',
    (of) =>
      `${share(of('peers: repeated page against nginx’s static file, requests a second'))} of its requests a second`,
  ],
  [
    'A page over the network',
    (of) =>
      `gzip makes ${share(of('page of the demo book, gzip against plain bytes'))} of its bytes; ` +
      `${ms(of('requests: processor time, repeated page, gzip'))} when repeated`,
  ],
  [
    'A request for one transaction',
    (of) =>
      `${ms(of('requests: processor time, list of 1'))}; \`/v2/me\` ${ms(of('requests: processor time, me'))}`,
  ],
  [
    'A search among 100,000 transactions; the summary of a year',
    (of) =>
      `${ms(of('requests: processor time, search'))}; ${ms(of('requests: processor time, summary of a year'))}`,
  ],
  [
    'An insert of one transaction; of 500',
    (of) =>
      `${ms(of('requests: processor time, insert of 1'))}; ${ms(of('requests: processor time, insert of 500'))}`,
  ],
  [
    'An import of a CSV file',
    (of) => `${thousands(of('import from CSV'))} rows a second on one processor`,
  ],
  [
    'Start, and memory with a million transactions',
    (of) =>
      `${ms(of('start to first response, Coffer'))} to the first response; ` +
      `${Math.round(of('memory after the walks, with a full page cache'))} MB after every page was read`,
  ],
];

/** Returns a table of what a user asks first. Leaves out lines whose figures are missing. */
export function headlineTable(figures: readonly Figure[]): string {
  const values = new Map(figures.map(({ name, value }) => [name, value]));
  const rows = lines.flatMap(([question, textOf]) => {
    const asked: string[] = [];
    const text = textOf((name) => {
      asked.push(name);
      return values.get(name) ?? 0;
    });
    return asked.every((name) => values.has(name)) ? [[question, text]] : [];
  });
  return markdownTable([['What', 'Measured'], ...rows]);
}

/** Two digits, or whole milliseconds. */
function ms(value: number): string {
  return `${value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} ms`;
}

function times(value: number): string {
  return `${value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} times`;
}

function share(value: number): string {
  return `${Number((value * 100).toPrecision(2))} %`;
}

function thousands(value: number): string {
  return (Math.round(value / 1000) * 1000).toLocaleString('en');
}
