import { undoImport } from '../../packages/server/src/imports/operations/records.ts';
import { join } from 'node:path';
import { pruneHistory } from '../../packages/server/src/book/retention.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { onBothEngines } from '../measure/engines.ts';
import { meanCpuMs, sum } from '../measure/processor-time.ts';
import { startApp } from '../measure/requests.ts';
import { openBook, importRows } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';
import { measureFeed } from './feed.ts';
import { writeLog } from './log.ts';
import { measureUndo } from './undo.ts';
import { writingThrough } from './without-log.ts';
import { measureWriteCost } from './write-cost.ts';

export async function measureHistory(folder: string): Promise<Figure[]> {
  return [
    ...(await measureWriteCost(folder)),
    ...(await measureUndo(folder)),
    ...(await measurePruning(folder)),
    ...(await measureReads(folder)),
    ...(await measureFeed(folder)),
  ];
}

const changes = 1_000_000;
const chunk = 10_000;
const rounds = { warmUps: 5, rounds: 100 };

/**
 * Measures pages of the history of a book with a million changes on both engines. Times are processor time, with that
 * of PostgreSQL's processes.
 */
function measureReads(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, serverPid) => {
    const { engine, book, token } = await openBook(url);
    const renamed = (version: number) => {
      const id = 1 + (version % 1000);
      return [['tags', id, id, 'changed', `{"name":["Name ${version - 1}","Name ${version}"]}`]];
    };
    for (let from = 2; from < 2 + changes; from += chunk) {
      const versions = Array.from({ length: chunk }, (_, at) => from + at);
      await engine.write(() => writeLog(book.id, versions, renamed));
    }
    const send = startApp(engine, token);
    const figure = async (what: string, query: string): Promise<Figure> => {
      const path = `/coffer/history?limit=100${query}`;
      const value = await meanCpuMs(serverPid, rounds, () => send('GET', path));
      return { name: `${name}: ${what}`, value, unit: 'ms', atMost: 5 };
    };
    const figures = [
      await figure('newest page of the history, a million changes', ''),
      await figure('page in the middle of the history', `&before=${changes / 2}`),
      await figure('page of the history of one record', '&record=tags&id=77'),
    ];
    await engine.close();
    return figures;
  });
}

const rows = 100_000;

/**
 * Measures how fast the log of the undo of an import of 100,000 rows is pruned, which has every row. The pauses between
 * the transactions are not counted.
 */
async function measurePruning(folder: string): Promise<Figure[]> {
  const { engine, book } = await openBook(`sqlite:${join(folder, 'undo.db')}`);
  const { importId } = await importRows(engine, book, rows);
  const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
  await undoImport(engine, cause, importId!, 'refuse');
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
    { name: 'pruning of the log', value: perSecond, unit: 'lines a CPU second' },
    { name: 'longest transaction of the pruning', value: longest, unit: 'ms', atMost: 50 },
  ];
}
