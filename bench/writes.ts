import { join } from 'node:path';
import { BareTable } from './imports.ts';
import { benchEntries } from './measure/book.ts';
import { cpuOf, startCoffer } from './measure/child.ts';
import { onBothEngines, settle } from './measure/engines.ts';
import { cpuMs, processorTimeMs, median, medianRatio } from './measure/processor-time.ts';
import { overHttp, writesOf } from './measure/requests.ts';
import { fillBook } from './measure/workspace.ts';
import type { Figure } from './report/figure.ts';

const rowsBefore = 20_000;
const rowsInRequest = 500;
const requests = 12;
const rounds = 7;
const goals = { insert: 7, update: 9, delete: 6 };
const kinds = ['insert', 'update', 'delete'] as const;

type Samples = Record<(typeof kinds)[number] | 'bare', number[]>;

/**
 * Compares requests that insert, update and delete 500 transactions over HTTP with a bare insert of 500 rows, which is
 * one transaction with a prepared statement: see {@link BareTable}. The unit is the processor time of the server, and
 * of the database server.
 */
export function measureWrites(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, databasePid) => {
    const cpu = await measure(folder, url, databasePid);
    const prefix = databasePid === null ? '' : `${name}: `;
    const ratios = kinds.map((kind) => ({
      name: `${prefix}${kind} of 500 over HTTP against a bare insert`,
      value: medianRatio(cpu[kind], cpu.bare),
      unit: 'times',
      ...(databasePid === null && { atMost: goals[kind] }),
    }));
    if (databasePid !== null) return ratios;
    const value = (rowsInRequest / median(cpu.insert)) * 1000;
    const insert = { value, unit: 'rows a CPU second', atLeast: 20_000 };
    return [{ name: 'insert over HTTP, 500 in a request', ...insert }, ...ratios];
  });
}

async function measure(folder: string, url: string, databasePid: number | null): Promise<Samples> {
  const token = await fillBook(url, rowsBefore);
  await settle(url);
  const server = await startCoffer(url);
  const bare = new BareTable(join(folder, `bare-${databasePid ?? 'sqlite'}.db`));
  const { insert, update, remove } = await writesOf(overHttp(server.port, token));
  const entries = [...benchEntries(rowsInRequest)];
  const [inserted, updated]: number[][][] = [[], []];
  const works: Record<keyof Samples, () => unknown> = {
    bare: () => bare.insert(entries),
    insert: async () => inserted!.push(await insert(rowsInRequest)),
    update: async () => {
      const ids = inserted!.pop()!;
      await update(ids, (at) => ({ amount: at, notes: `Note ${at}` }));
      updated!.push(ids);
    },
    delete: () => remove(updated!.pop()!),
  };
  const samples: Samples = { bare: [], insert: [], update: [], delete: [] };
  for (let round = 0; round <= rounds; round += 1)
    for (const kind of ['bare', ...kinds] as const) {
      const run = async (): Promise<void> => {
        for (let each = 0; each < requests; each += 1) await works[kind]();
      };
      const before = databasePid === null ? 0 : processorTimeMs(databasePid);
      const ms = await (kind === 'bare' ? cpuMs(run) : cpuOf(server, run));
      const ofDatabase = databasePid === null ? 0 : processorTimeMs(databasePid) - before;
      // The first round warms the server up.
      if (round > 0) samples[kind].push((ms + (kind === 'bare' ? 0 : ofDatabase)) / requests);
    }
  bare.close();
  await server.stop();
  return samples;
}
