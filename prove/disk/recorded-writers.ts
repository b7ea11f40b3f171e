import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addOwner, useStore, type Owner } from '../run/book.ts';
import { cofferProgram, whose } from '../run/coffer.ts';
import { writeStatement, inspect, Ledger } from '../run/ledger.ts';
import { readAccount, SyncedAccounts } from '../run/synced-accounts.ts';
import { startTracedServer } from './faulty-server.ts';
import type { Image } from './power-cut.ts';
import { readRecording, recorder, recordProgram, saidIn, type Deed } from './recording.ts';
import type { WriterOrder } from './store-writer.ts';

/** The calls of a program on a database, and a check for what it acknowledged. */
export interface Recording {
  readonly database: string;
  readonly deeds: readonly Deed[];
  /** The files at the start. */
  readonly before: Image;
  /** Returns what the database lacks of the writes that the program acknowledged in its output so far. */
  readonly losses: (said: readonly string[]) => Promise<string[]>;
}

const writer = join(import.meta.dirname, 'store-writer.ts');
const rowCount = 5;
const accountCount = 3;

/** Records the store while it writes `count` batches one after another; its connection runs `script` first. */
export async function recordWriter(
  folder: string,
  count: number,
  script: string,
): Promise<Recording> {
  const { database, owner } = await prepare(folder);
  const before = imageOf(database);
  const order: WriterOrder = {
    database,
    bookId: owner.bookId,
    batchCount: count,
    rowCount,
    script,
  };
  const program = [process.execPath, writer, JSON.stringify(order)];
  const deeds = await recordProgram(folder, database, program);
  return { database, deeds, before, losses: batchLosses(database, deeds, count, /^ACK \d+$/gm) };
}

/** Records `coffer import` with `count` files; the line that it prints for a file acknowledges it. */
export async function recordImport(folder: string, count: number): Promise<Recording> {
  const { database, owner } = await prepare(folder);
  const before = imageOf(database);
  const batches = Array.from({ length: count }, (_, index) => index + 1);
  const files = batches.map((batch) => writeStatement(folder, batch, rowCount));
  const args = ['import', '--json', ...whose(owner, database), ...files];
  const program = [...cofferProgram, ...args];
  const deeds = await recordProgram(folder, database, program);
  return {
    database,
    deeds,
    before,
    losses: batchLosses(database, deeds, count, /^{"import_id":/gm),
  };
}

/** Records a server that refreshes accounts `count` times; a 200 response acknowledges a refresh. */
export async function recordServer(folder: string, count: number): Promise<Recording> {
  const { database, owner } = await prepare(folder);
  const accounts = await SyncedAccounts.make(database, owner, accountCount);
  const before = imageOf(database);
  const prefix = join(folder, 'trace');
  const server = await startTracedServer({
    database,
    flags: ['--rate-limit', '1000000'],
    environment: accounts.environment,
    runner: recorder(prefix),
  });
  try {
    for (let n = 0; n < count; n += 1) await accounts.refresh(server.url, n % accountCount);
  } finally {
    await server.end('SIGTERM');
    await accounts.close();
  }
  const losses = async (said: readonly string[]): Promise<string[]> => {
    const { lost, half } = await accounts.compare(readingsIn(said));
    return lost + half === 0 ? [] : [`accounts: ${lost} lost, ${half} partial`];
  };
  const deeds = readRecording(prefix, database);
  if (readingsIn(saidIn(deeds)).size !== accountCount)
    throw new Error('The recording is incomplete');
  return { database, deeds, before, losses };
}

/** Returns the last reading of each account in a 200 response. */
function readingsIn(said: readonly string[]): Map<number, number> {
  const readings = new Map<number, number>();
  for (const text of said) {
    if (!text.startsWith('HTTP/1.1 200') || !text.includes('"balances"')) continue;
    const { id, reading } = readAccount(text.slice(text.indexOf('\r\n\r\n') + 4));
    readings.set(id, reading ?? NaN);
  }
  return readings;
}

/** Each match of `acknowledgement` in the output acknowledges the next batch, from 1 to `count`. */
function batchLosses(
  database: string,
  deeds: readonly Deed[],
  count: number,
  acknowledgement: RegExp,
) {
  const acknowledged = (said: readonly string[]): number =>
    said.reduce((sum, text) => sum + [...text.matchAll(acknowledgement)].length, 0);
  if (acknowledged(saidIn(deeds)) !== count) throw new Error('The recording is incomplete');
  return (said: readonly string[]): Promise<string[]> => {
    const ledger = new Ledger();
    for (let batch = 1; batch <= count; batch += 1) ledger.send(rowCount);
    for (let batch = acknowledged(said); batch >= 1; batch -= 1) ledger.acknowledge(batch);
    const { lost, half } = ledger.compare(inspect(database).batches);
    const isSound = lost + half === 0;
    return Promise.resolve(isSound ? [] : [`batches: ${lost} lost, ${half} partial`]);
  };
}

async function prepare(folder: string): Promise<{ database: string; owner: Owner }> {
  const database = join(folder, 'coffer.db');
  return { database, owner: await useStore(database, (store) => addOwner(store, 'owner')) };
}

/** A database that was closed normally is one file. */
function imageOf(database: string): Image {
  return new Map([[database, readFileSync(database)]]);
}
