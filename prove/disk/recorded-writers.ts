import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cofferProgram, runProgram, whose } from '../../test/service/coffer.ts';
import { addOwner, useStore } from '../../test/service/owners.ts';
import { withSynced } from '../../test/service/server-process.ts';
import { readAccount } from '../../test/service/synced-accounts.ts';
import { inspect, Ledger, lossProblems, writeStatement } from '../run/ledger.ts';
import { startTracedServer } from './faulty-server.ts';
import type { Image } from './power-cut.ts';
import { readRecording, recorder, saidIn, type Deed } from './recording.ts';
import { writerProgram } from './store-writer.ts';

export interface Recording {
  readonly database: string;
  readonly deeds: readonly Deed[];
  readonly before: Image;
  /** Returns what the database lacks of the writes that the program acknowledged in its output so far. */
  readonly losses: (said: readonly string[]) => Promise<string[]>;
}

const rowCount = 5;
const accountCount = 3;

export async function recordWriter(
  folder: string,
  count: number,
  script: string,
): Promise<Recording> {
  const database = join(folder, 'coffer.db');
  const { bookId } = await useStore(database, (store) => addOwner(store, 'owner'));
  const order = { database, bookId, batchCount: count, rowCount, script };
  return recordBatches(database, writerProgram(order), count, /^ACK \d+$/gm);
}

/** Records `coffer import` with `count` files; the line that it prints for a file acknowledges it. */
export async function recordImport(folder: string, count: number): Promise<Recording> {
  const database = join(folder, 'coffer.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const files = Array.from({ length: count }, (_, n) => writeStatement(folder, n + 1, rowCount));
  const args = ['import', '--json', ...whose(owner, database), ...files];
  return recordBatches(database, [...cofferProgram, ...args], count, /^{"import_id":/gm);
}

/** Each match of `acknowledgement` in the output of the program acknowledges the next batch, from 1 to `count`. */
async function recordBatches(
  database: string,
  program: readonly string[],
  count: number,
  acknowledgement: RegExp,
): Promise<Recording> {
  const before = imageOf(database);
  const prefix = join(database, '../trace');
  const { code, stderr } = await runProgram([...recorder(prefix), ...program]);
  if (code !== 0) throw new Error(`The recorded program ended with ${code}: ${stderr}`);
  const deeds = readRecording(prefix, database);
  const acknowledged = (said: readonly string[]): number =>
    said.reduce((sum, text) => sum + [...text.matchAll(acknowledgement)].length, 0);
  if (acknowledged(saidIn(deeds)) !== count) throw new Error('The recording is incomplete');
  const losses = (said: readonly string[]): Promise<string[]> => {
    const ledger = new Ledger();
    for (let batch = 1; batch <= count; batch += 1) ledger.send(rowCount);
    for (let batch = acknowledged(said); batch >= 1; batch -= 1) ledger.acknowledge(batch);
    const problems = lossProblems(ledger.compare(inspect(database).batches), 'batches');
    return Promise.resolve(problems);
  };
  return { database, deeds, before, losses };
}

/** Records a server that refreshes accounts `count` times; a 200 response acknowledges a refresh. */
export async function recordServer(folder: string, count: number): Promise<Recording> {
  const database = join(folder, 'coffer.db');
  return withSynced({ database }, accountCount, async ({ accounts }) => {
    const before = imageOf(database);
    const prefix = join(folder, 'trace');
    const server = await startTracedServer({
      ...{ database, flags: ['--rate-limit', '1000000'], environment: accounts.environment },
      runner: recorder(prefix),
    });
    try {
      for (let n = 0; n < count; n += 1) await accounts.refresh(server.url, n % accountCount);
    } finally {
      await server.end('SIGTERM');
    }
    const deeds = readRecording(prefix, database);
    if (readingsIn(saidIn(deeds)).size !== accountCount)
      throw new Error('The recording is incomplete');
    const losses = async (said: readonly string[]): Promise<string[]> =>
      lossProblems(await accounts.compare(readingsIn(said)), 'refreshes');
    return { database, deeds, before, losses };
  });
}

function readingsIn(said: readonly string[]): Map<number, number> {
  const readings = new Map<number, number>();
  for (const text of said) {
    if (!text.startsWith('HTTP/1.1 200') || !text.includes('"balances"')) continue;
    const { id, reading } = readAccount(text.slice(text.indexOf('\r\n\r\n') + 4));
    readings.set(id, reading ?? NaN);
  }
  return readings;
}

/** A database that was closed normally is one file. */
function imageOf(database: string): Image {
  return new Map([[database, readFileSync(database)]]);
}
