import { join } from 'node:path';
import { BareTable } from './imports.ts';
import { benchEntries } from './measure/book.ts';
import { cpuOf, startCoffer } from './measure/child.ts';
import { onBothEngines, settle } from './measure/engines.ts';
import { cpuMs, median } from './measure/processor-time.ts';
import { overHttp, writesOf } from './measure/requests.ts';
import { measureInTurns, type Samples } from './measure/turns.ts';
import { fillBook } from './measure/workspace.ts';
import type { Figure } from './report/figure.ts';

const rowsBefore = 20_000;
const rowsInRequest = 500;
const requests = 12;
const goals = { insert: 7, update: 9, delete: 6 };

/**
 * Compares requests that insert, update and delete 500 transactions over HTTP with a bare insert of 500 rows, which is
 * one transaction with a prepared statement: see {@link BareTable}. The unit is the processor time of the server, and
 * of the database server.
 */
export function measureWrites(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, name, databasePid) => {
    const cpu = await measure(folder, url, databasePid);
    const prefix = databasePid === null ? '' : `${name}: `;
    const ratios = Object.entries(goals).map(([kind, goal]) => {
      const name = `${prefix}${kind} of 500 over HTTP against a bare insert`;
      return cpu.times(name, kind, 'bare', { atMost: databasePid === null ? goal : undefined });
    });
    if (databasePid !== null) return ratios;
    const value = (rowsInRequest / median(cpu.of('insert'))) * 1000;
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
  const repeat = (work: () => unknown) => async (): Promise<void> => {
    for (let each = 0; each < requests; each += 1) await work();
  };
  const ofServer = async (work: () => unknown): Promise<number> =>
    (await cpuOf(server, repeat(work), databasePid)) / requests;
  const round = async () => ({
    bare: (await cpuMs(repeat(() => bare.insert(entries)))) / requests,
    insert: await ofServer(async () => inserted!.push(await insert(rowsInRequest))),
    update: await ofServer(async () => {
      const ids = inserted!.pop()!;
      await update(ids, (at) => ({ amount: at, notes: `Note ${at}` }));
      updated!.push(ids);
    }),
    delete: await ofServer(() => remove(updated!.pop()!)),
  });
  const samples = await measureInTurns({ '': round }, { rounds: 7 });
  bare.close();
  await server.stop();
  return samples;
}
