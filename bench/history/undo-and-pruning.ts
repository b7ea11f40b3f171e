import { join } from 'node:path';
import { pruneHistory } from '../../packages/server/src/changes/retention.ts';
import {
  importEntries,
  openDatabase,
  parseDatabase,
  undoImport,
} from '../../packages/server/src/main.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { benchEntries } from '../measure/book.ts';
import type { Figure } from '../report/figure.ts';
import { makeBook } from '../measure/workspace.ts';

const rows = 100_000;

/**
 * Measures the undo of an import of 100,000 rows, and then how fast the log of the undo is pruned, which has every row.
 * The pauses between the transactions are not counted.
 */
export async function measureUndoAndPruning(folder: string): Promise<Figure[]> {
  const engine = await openDatabase(parseDatabase(`sqlite:${join(folder, 'undo.db')}`));
  const { id: bookId } = await makeBook(engine);
  const plan = { entries: () => benchEntries(rows), defaultAccount: null, dryRun: false };
  const { importId } = await importEntries(engine, bookId, plan);
  const cause = { bookId, actor: 'command', operation: 'bench' };
  const undoMs = await msOf(() => undoImport(engine, cause, importId!, 'refuse'));
  const times: number[] = [];
  await pruneHistory(timed(engine, times), '9999-01-01', new AbortController().signal);
  await engine.close();
  const totalMs = times.reduce((sum, ms) => sum + ms, 0);
  return [
    { name: 'undo of an import of 100,000 rows', value: undoMs / 1000, unit: 's', atMost: 5 },
    { name: 'pruning of the log', value: (rows / totalMs) * 1000, unit: 'lines a CPU second' },
    {
      ...{ name: 'longest transaction of the pruning', value: Math.max(...times), unit: 'ms' },
      atMost: 50,
    },
  ];
}

/** The engine, which notes the processor time of each transaction. */
function timed(engine: Engine, times: number[]): Engine {
  return {
    ...{ dialect: engine.dialect, canWrite: true },
    read: (steps) => engine.read(steps),
    readStatement: (steps) => engine.readStatement(steps),
    stream: (steps) => engine.stream(steps),
    close: () => engine.close(),
    write: async (steps, options) => {
      const before = process.cpuUsage();
      const result = await engine.write(steps, options);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
      return result;
    },
  };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
