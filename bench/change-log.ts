import { join } from 'node:path';
import type { ImportEntry } from '../packages/server/src/imports/entry.ts';
import { benchEntries } from './measure/book.ts';
import { droppingLog } from './history/without-log.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs, median } from './measure/processor-time.ts';
import { importRows, openBook } from './measure/workspace.ts';

const rows = 100_000;
const rounds = 7;

/** Compares the processor time of an import with the change log and without, in alternating order. */
export async function measureChangeLog(folder: string): Promise<Figure[]> {
  const entries = [...benchEntries(rows)];
  const times = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const kinds = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    for (const kind of kinds)
      times[kind].push(await importMs(join(folder, `log-${kind}-${round}.db`), entries, kind));
  }
  const value = median(times.with) / median(times.without);
  return [
    { name: 'import with the change log against without', value, unit: 'times', atMost: 1.02 },
  ];
}

async function importMs(path: string, entries: readonly ImportEntry[], kind: 'with' | 'without') {
  const { engine, book } = await openBook(`sqlite:${path}`);
  const used = kind === 'with' ? engine : droppingLog(engine);
  const ms = await cpuMs(() => importRows(used, book, entries));
  await engine.close();
  return ms;
}
