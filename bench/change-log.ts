import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../packages/server/src/db/engine.ts';
import { benchEntries } from './measure/book.ts';
import { droppingLog } from './history/without-log.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs } from './measure/processor-time.ts';
import { measureInTurns } from './measure/turns.ts';
import { importRows, openBook } from './measure/workspace.ts';

const rows = 100_000;

/** Compares the processor time of an import with the change log and without. */
export async function measureChangeLog(folder: string): Promise<Figure[]> {
  const entries = [...benchEntries(rows)];
  const importMs = (use: (engine: Engine) => Engine) => async (): Promise<number> => {
    const path = join(mkdtempSync(join(folder, 'log-')), 'log.db');
    const { engine, book } = await openBook(`sqlite:${path}`);
    const ms = await cpuMs(() => importRows(use(engine), book, entries));
    await engine.close();
    return ms;
  };
  const targets = { with: importMs((engine) => engine), without: importMs(droppingLog) };
  const samples = await measureInTurns(targets, { rounds: 7 });
  const name = 'import with the change log against without';
  return [samples.times(name, 'with', 'without', { atMost: 1.02 })];
}
