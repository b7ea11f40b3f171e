import { writeFileSync } from 'node:fs';
import { markdownTable, rewrite } from '../report/markdown.ts';
import { referenceDocument } from '../report/reference.ts';
import type { Stamp } from '../report/results.ts';
import type { Mix } from './mix.ts';

export type EngineName = 'SQLite' | 'PostgreSQL';

/** What others saw during a request, and what it cost; waits are the longest ones, in milliseconds. */
export interface Stall {
  readonly name: string;
  /** Why it failed, or null. */
  readonly error: string | null;
  readonly wallMs: number;
  /** Processor time of the server without that of the probes. A command has its own, which is not in it. */
  readonly cpuMs: number;
  readonly databaseCpuMs: number;
  /** The longest processor time for which the server could not begin other work: it depends on no other process. */
  readonly heldMs: number;
  readonly meMs: number;
  readonly healthzMs: number;
  readonly writeMs: number;
  readonly writes: number;
  readonly writesRefused: number;
  readonly peakMB: number;
}

export interface Stalls {
  readonly stalls: readonly Stall[];
  readonly mix: Mix | null;
}

export interface StallsRun {
  readonly rows: number;
  readonly engines: Partial<Readonly<Record<EngineName, Stalls>>>;
}

export const resultFile = new URL('../results/stalls.json', import.meta.url);

/** Prints a request with its figures. */
export function printStall({ name, error, ...stall }: Stall): void {
  const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0).padStart(7);
  console.log(
    `  ${name.padEnd(38)} wall${ms(stall.wallMs)}  cpu${ms(stall.cpuMs)} +${ms(stall.databaseCpuMs)}` +
      `  held${ms(stall.heldMs)}  me${ms(stall.meMs)}  healthz${ms(stall.healthzMs)}  write${ms(stall.writeMs)}` +
      `  refused ${stall.writesRefused}/${stall.writes}  ${stall.peakMB} MB${error === null ? '' : `\n    ✖ ${error}`}`,
  );
}

/** Writes a run to the file, or, without one, to the results and the reference. */
export function writeStalls(
  { stamp, ...run }: StallsRun & { stamp: Stamp },
  file: string | null,
): void {
  const { date, commit, machine } = stamp;
  const text = `${JSON.stringify({ date, commit, machine, ...run }, null, 2)}\n`;
  writeFileSync(file ?? resultFile, text);
  console.log(`  written to ${file ?? 'bench/results/stalls.json'}`);
  if (file === null) rewrite(referenceDocument, 'stalls', stallsText(run));
}

const ms = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en');

/** Returns a table of the longest waits of others and the costs, and a line about each mix. */
export function stallsText(run: StallsRun): string {
  const mixes = Object.entries(run.engines).flatMap(([engine, { mix }]) =>
    mix === null ? [] : [mixLine(engine, mix)],
  );
  return [stallsTable(run), ...mixes].join('\n\n');
}

function mixLine(engine: string, mix: Mix): string {
  const refused = Object.values(mix.refused).reduce((total, each) => total + each, 0);
  return (
    `Ten users at once on ${engine}, for ${mix.seconds} s: \`/v2/me\` waits at most ${ms(mix.meP99Ms)} ms in 99 of 100 ` +
    `cases.\nOf ${mix.requests.toLocaleString('en')} requests ${refused} were refused, and ${mix.writesRefused} inserts.`
  );
}

function stallsTable({ engines }: StallsRun): string {
  const { SQLite: own, PostgreSQL: other } = engines;
  const of = (stall: Stall | undefined): string[] =>
    stall === undefined
      ? ['', '', '']
      : [
          ms(Math.max(stall.meMs, stall.healthzMs)),
          ms(stall.writeMs),
          ms(stall.cpuMs + stall.databaseCpuMs),
        ];
  const head = (engine: string) => ['wait', 'write', 'CPU'].map((each) => `${engine}: ${each}`);
  const rows = (own ?? other)?.stalls.map((each) => [
    each.name,
    ...of(own?.stalls.find(({ name }) => name === each.name)),
    ...of(other?.stalls.find(({ name }) => name === each.name)),
  ]);
  return markdownTable([
    ['Milliseconds', ...head('SQLite'), ...head('PostgreSQL')],
    ...(rows ?? []),
  ]);
}
