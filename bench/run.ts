/*
 * Measures what Coffer promises about speed: `npm run bench`, or `npm run bench -- --rows 100000` for a quick look.
 *
 * Every goal is a ratio against something measured in the same run, so that it holds on a slow machine too. Ends with
 * 1 when a goal is missed. A run over the full million rows writes its figures to bench/results.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem, type as systemType, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMet, printFigure } from './figure.ts';
import type { Figure } from './figure.ts';
import { measureImports } from './imports.ts';
import { measureLimiter } from './limiter.ts';
import { measurePages } from './pages.ts';
import { writeReference } from './reference.ts';
import { measureStarts } from './starts.ts';
import { makeWorkspace } from './workspace.ts';

const fullRows = 1_000_000;

const { values } = parseArgs({ options: { rows: { type: 'string', default: String(fullRows) } } });
const rows = Number(values.rows);
const figures: Figure[] = [];
const report = (measured: readonly Figure[]): void => {
  for (const figure of measured) console.log(printFigure(figure));
  figures.push(...measured);
};

report(measureLimiter());
console.log(`  making a book of ${rows.toLocaleString('en')} transactions …`);
const workspace = await makeWorkspace(rows);
try {
  report([
    {
      name: 'the book was made at',
      value: (rows / workspace.importMs) * 1000,
      unit: 'rows a second',
    },
  ]);
  report(await measureStarts(workspace));
  report(await measurePages(workspace, rows));
  report(await measureImports(workspace.folder));
} finally {
  await workspace.remove();
}
if (rows === fullRows) console.log(`  written to ${writeResult()}`);
process.exitCode = figures.every(isMet) ? 0 : 1;

function writeResult(): string {
  const folder = join(import.meta.dirname, 'results');
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const commit =
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  const machine = {
    processors: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${systemType()} ${release()}`,
    node: process.version,
  };
  const date = new Date().toISOString().slice(0, 10);
  mkdirSync(folder, { recursive: true });
  const name = `${date}-${commit}.json`;
  writeFileSync(
    join(folder, name),
    `${JSON.stringify({ date, commit, machine, rows, figures }, null, 2)}\n`,
  );
  writeReference(
    figures,
    `${date}, commit ${commit}, ${machine.processors} processors, Node ${machine.node.slice(1)}`,
  );
  return `bench/results/${name}`;
}
