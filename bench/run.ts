/*
 * Measures what Coffer promises about speed: `npm run bench`. For fewer rows, use `npm run bench -- --rows 100000`; for
 * some parts, `npm run bench -- postgres`. `npm run bench -- requests --against ../other` compares with another
 * checkout. `npm run bench -- stalls --only search --engine sqlite --keep ../filled` measures some requests of a part.
 *
 * Most goals are ratios of two values of the same run, so that they hold on a slow machine too. Ends with 1 when a goal
 * is missed or a part fails; the other parts run all the same. A run of all parts with a million rows writes its
 * figures to bench/results and the reference. Some parts also write files of their own.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parts, withBook } from './parts.ts';
import type { PartPlan, PartRequest } from './measure/plan.ts';
import { isMet, printFigure, type Figure } from './report/figure.ts';
import { writeReference } from './report/reference.ts';
import { writeResults, takeStamp } from './report/results.ts';
import { makeWorkspace, type Workspace } from './measure/workspace.ts';

const fullRows = 1_000_000;

const { values, positionals } = parseArgs({
  options: {
    rows: { type: 'string', default: String(fullRows) },
    against: { type: 'string' },
    only: { type: 'string' },
    engine: { type: 'string' },
    mix: { type: 'string' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});
const rows = readRows(values.rows);
const against = values.against === undefined ? null : resolve(values.against);
const { only, engine, mix, keep } = values;
const choice = { only, engine, mix, keep };
const wanted = readParts(positionals);
const stamp = takeStamp();
const figures: Figure[] = [];
const failed: string[] = [];
const shared: { workspace: Workspace | null } = { workspace: null };
const startedMs = performance.now();
try {
  for (const name of wanted) await runPart(name);
} finally {
  if (shared.workspace !== null) removeFolder(shared.workspace.folder);
}
console.log(`  all parts: ${secondsSince(startedMs)}`);
if (failed.length > 0) console.log(`✖ failed: ${failed.join(', ')}`);
if (positionals.length === 0 && rows === fullRows) save();
process.exitCode = failed.length === 0 && figures.every(isMet) ? 0 : 1;

function readRows(text: string): number {
  const rows = Number(text);
  if (Number.isSafeInteger(rows) && rows >= 1000 && rows % 1000 === 0) return rows;
  throw new Error(`--rows must be a multiple of 1000, but it is "${text}"`);
}

function readParts(names: readonly string[]): readonly string[] {
  const all = Object.keys(parts);
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length === 0) return all.filter((name) => names.length === 0 || names.includes(name));
  throw new Error(`Unknown part: ${unknown.join(', ')}. The parts are ${all.join(', ')}`);
}

async function runPart(name: string): Promise<void> {
  const partStartedMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'coffer-bench-'));
  try {
    const book = withBook.includes(name) ? { workspace: await importBook() } : {};
    report(
      await measure({ name, plan: { rows, stamp, folder, against, choice, ...book } as PartPlan }),
    );
    console.log(`  ${name}: ${secondsSince(partStartedMs)}`);
  } catch (error) {
    failed.push(name);
    console.error(`✖ ${name} failed after ${secondsSince(partStartedMs)}:`, error);
  } finally {
    removeFolder(folder);
  }
}

async function importBook(): Promise<Workspace> {
  if (shared.workspace !== null) return shared.workspace;
  console.log(`  importing a book of ${rows.toLocaleString('en')} transactions …`);
  const workspace = await makeWorkspace(rows);
  shared.workspace = workspace;
  const perSecond = (rows / workspace.importMs) * 1000;
  report([{ name: 'import of the book', value: perSecond, unit: 'rows a second' }]);
  return workspace;
}

function measure(request: PartRequest): Promise<Figure[]> {
  const child = fork(new URL('part.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    child.once('message', (measured) => resolve(measured as Figure[]));
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`It ended with ${signal ?? code}`)));
    child.send(request);
  });
}

function report(measured: readonly Figure[]): void {
  for (const figure of measured) console.log(printFigure(figure));
  figures.push(...measured);
}

/** Saves the figures of a full run. The reference is only written if no part is missing. */
function save(): void {
  const results = { ...stamp, rows, figures };
  writeResults(`${stamp.date}-${stamp.commit}.json`, results);
  if (failed.length === 0) writeReference(results);
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function secondsSince(beginMs: number): string {
  return `${((performance.now() - beginMs) / 1000).toFixed(0)} s`;
}
