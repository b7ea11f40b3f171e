/*
 * Measures what Coffer promises about speed: `npm run bench`. For fewer rows, use `npm run bench -- --rows 100000`; for
 * some parts, `npm run bench -- postgres`.
 *
 * Most goals are ratios of two values of the same run, so that they hold on a slow machine too. Ends with 1 when a goal
 * is missed. A run of all parts with a million rows writes its figures to bench/results and the reference. The part
 * `capacity` always writes its figures to bench/results and docs/operate/scale.md, and `search` to bench/results.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeCapacity } from './capacity/result.ts';
import { isMet, printFigure } from './report/figure.ts';
import type { Figure } from './report/figure.ts';
import { measureAsOf } from './as-of.ts';
import { measureChangeLog } from './change-log.ts';
import { measureHistory } from './history/history.ts';
import { measureImports } from './imports.ts';
import { measureLimiter } from './limiter.ts';
import { measurePages } from './pages.ts';
import { measurePostgres } from './postgres/postgres.ts';
import { writeReference } from './report/reference.ts';
import { takeStamp } from './report/stamp.ts';
import { measureSearch } from './search/search.ts';
import { measureStarts } from './starts.ts';
import { measureWrites } from './writes.ts';
import { makeWorkspace } from './workspace.ts';

const fullRows = 1_000_000;

const parts = [
  'limiter',
  'starts',
  'pages',
  'imports',
  'change-log',
  'history',
  'search',
  'as-of',
  'writes',
  'postgres',
  'capacity',
];

const { values, positionals } = parseArgs({
  options: { rows: { type: 'string', default: String(fullRows) } },
  allowPositionals: true,
});
const rows = Number(values.rows);
const unknown = positionals.filter((name) => !parts.includes(name));
if (unknown.length > 0) {
  throw new Error(`Unknown part: ${unknown.join(', ')}. The parts are ${parts.join(', ')}`);
}
const isAll = positionals.length === 0;
const isWanted = (name: string): boolean => isAll || positionals.includes(name);
const stamp = takeStamp();
const figures: Figure[] = [];
const report = (measured: readonly Figure[]): void => {
  for (const figure of measured) console.log(printFigure(figure));
  figures.push(...measured);
};

if (isWanted('limiter')) report(measureLimiter());
if (isWanted('capacity')) report(await runCapacity());
if (isWanted('history')) await inFolder(measureHistory);
if (isWanted('search')) await runSearch();
const withoutBook = ['limiter', 'capacity', 'history', 'search'];
if (parts.some((part) => !withoutBook.includes(part) && isWanted(part))) await measureBook();
if (rows === fullRows && isAll) console.log(`  written to ${writeResult()}`);
process.exitCode = figures.every(isMet) ? 0 : 1;

async function measureBook(): Promise<void> {
  console.log(`  importing a book of ${rows.toLocaleString('en')} transactions …`);
  const workspace = await makeWorkspace(rows);
  try {
    const perSecond = (rows / workspace.importMs) * 1000;
    report([{ name: 'import of the book', value: perSecond, unit: 'rows a second' }]);
    if (isWanted('starts')) report(await measureStarts(workspace));
    if (isWanted('pages')) report(await measurePages(workspace, rows));
    if (isWanted('imports')) report(await measureImports(workspace.folder));
    if (isWanted('change-log')) report(await measureChangeLog(workspace.folder));
    if (isWanted('as-of')) report(await measureAsOf(workspace.folder));
    if (isWanted('writes')) report(await measureWrites(workspace.folder));
    if (isWanted('postgres')) report(await measurePostgres(workspace, rows));
  } finally {
    await workspace.remove();
  }
}

async function inFolder(measure: (folder: string) => Promise<Figure[]>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-bench-'));
  try {
    report(await measure(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runSearch(): Promise<void> {
  const before = figures.length;
  await inFolder((folder) => measureSearch(folder, rows));
  writeFigures('search.json', figures.slice(before));
}

async function runCapacity(): Promise<Figure[]> {
  // Loaded late: with the Redis driver in the process, limiter hits are a third slower. Servers without Redis lack it.
  const { capacityFigures, measureCapacity } = await import('./capacity/capacity.ts');
  const run = await measureCapacity();
  if (run === null) return [];
  const { date, commit, inShort: machine } = stamp;
  writeCapacity({ date, commit, machine, run });
  return capacityFigures(run);
}

function writeResult(): string {
  const { date, commit, inShort } = stamp;
  const written = writeFigures(`${date}-${commit}.json`, figures);
  writeReference(figures, `${date}, commit ${commit}, ${inShort}`);
  return written;
}

function writeFigures(name: string, measured: readonly Figure[]): string {
  const folder = join(import.meta.dirname, 'results');
  const { date, commit, machine } = stamp;
  mkdirSync(folder, { recursive: true });
  const result = { date, commit, machine, rows, figures: measured };
  writeFileSync(join(folder, name), `${JSON.stringify(result, null, 2)}\n`);
  return `bench/results/${name}`;
}
