import { join } from 'node:path';
import { pruneHistory } from '../../packages/server/src/changes/retention.ts';
import { undoImport, type Engine } from '../../packages/server/src/main.ts';
import { cpuMs } from '../measure/processor-time.ts';
import { sum } from '../measure/samples.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { writingThrough } from './without-log.ts';

const rows = 100_000;

/**
 * Measures the undo of an import of 100,000 rows, and then how fast the log of the undo is pruned, which has every row.
 * The pauses between the transactions are not counted.
 */
export async function measureUndoAndPruning(folder: string): Promise<Figure[]> {
  const { engine, book } = await openBook(`sqlite:${join(folder, 'undo.db')}`);
  const { importId } = await importRows(engine, book, rows);
  const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
  const undoMs = await cpuMs(() => undoImport(engine, cause, importId!, 'refuse'));
  const times: number[] = [];
  const write: Engine['write'] = async (steps, options) => {
    const before = process.cpuUsage();
    const result = await engine.write(steps, options);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    return result;
  };
  const { signal } = new AbortController();
  await pruneHistory(writingThrough(engine, write), '9999-01-01', signal);
  await engine.close();
  const perSecond = (rows / sum(times)) * 1000;
  const longest = Math.max(...times);
  return [
    { name: 'undo of an import of 100,000 rows', value: undoMs / 1000, unit: 's', atMost: 5 },
    { name: 'pruning of the log', value: perSecond, unit: 'lines a CPU second' },
    { name: 'longest transaction of the pruning', value: longest, unit: 'ms', atMost: 50 },
  ];
}
