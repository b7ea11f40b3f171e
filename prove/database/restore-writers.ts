import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../run/book.ts';
import { cofferPrints, whose, startImport, type ImportProcess } from '../run/coffer.ts';
import { writeStatement } from '../run/ledger.ts';
import { readAccount, type SyncedAccounts } from '../run/synced-accounts.ts';

const filesOfImport = 60;
/** Each token needs a process; without a pause they would leave no time for imports. */
const tokenPauseMs = 500;
/** The imports need the write lock, too. */
const refreshPauseMs = 10;
const rowCounts = [5, 40, 300] as const;

/** The database, and what writes to it. */
export interface Writing {
  readonly folder: string;
  readonly database: string;
  readonly owner: Owner;
  /** The server, which must know the provider of `accounts`. */
  readonly url: string;
  readonly accounts: SyncedAccounts;
  readonly accountCount: number;
}

/** A server and processes that write to a database until they are stopped, and the acknowledged writes. */
export interface Writers {
  /** The rows of each batch whose import was acknowledged so far. */
  readonly acknowledged: ReadonlyMap<number, number>;
  /** The rows of each batch that was sent so far. */
  readonly sent: ReadonlyMap<number, number>;
  /** Tokens whose creation was acknowledged so far. */
  readonly tokens: readonly string[];
  /** The last reading of each synced account, by its id, that a refresh has acknowledged so far. */
  readonly readings: ReadonlyMap<number, number>;
  /** Refreshes that were acknowledged so far. */
  readonly refreshes: () => number;
  /** Resolves when something of each kind was acknowledged. */
  readonly begun: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts imports one after the other, and meanwhile creates access tokens and refreshes accounts. */
export function startWriters(writing: Writing): Writers {
  const { folder, database, owner } = writing;
  const acknowledged = new Map<number, number>();
  const sent = new Map<number, number>();
  const tokens: string[] = [];
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let running: ImportProcess | undefined;

  const [imported, made] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const importOn = async (): Promise<void> => {
    while (!isStopped()) {
      const batches = newBatches(sent);
      running = startImport({
        database,
        email: owner.email,
        files: filesOf(folder, batches),
        onImported: (index) => {
          acknowledged.set(...batches[index]!);
          imported.resolve(undefined);
        },
      });
      const { code, stderr } = await running.ended;
      if (code !== 0 && !isStopped()) throw new Error(`The import ended with ${code}: ${stderr}`);
    }
  };
  const makeTokens = async (): Promise<void> => {
    while (!isStopped()) {
      tokens.push((await cofferPrints('token', 'create', ...whose(owner, database))).trim());
      made.resolve(undefined);
      await sleep(tokenPauseMs);
    }
  };
  const refreshing = startRefreshing(writing, isStopped);
  const ended = Promise.all([importOn(), makeTokens(), refreshing.ended]);
  // `stop` rejects with the error.
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort();
    running?.kill();
    await ended;
  };
  const ofEachKind = Promise.all([imported.promise, made.promise, refreshing.begun]);
  const begun = Promise.race([ofEachKind, ended]);
  const { readings, refreshes } = refreshing;
  return { acknowledged, sent, tokens, readings, refreshes, begun, stop };
}

/** Refreshes every account repeatedly. */
function startRefreshing({ url, accounts, accountCount }: Writing, isStopped: () => boolean) {
  const readings = new Map<number, number>();
  let refreshes = 0;
  const begun = Promise.withResolvers<undefined>();
  const refreshOn = async (index: number): Promise<void> => {
    while (!isStopped()) {
      const { status, text } = await accounts.refresh(url, index);
      // While imports run, a write may get 503.
      if (status !== 200 && status !== 503) throw new Error(`A refresh is ${status}: ${text}`);
      if (status === 200) {
        const { id, reading } = readAccount(text);
        readings.set(id, reading!);
        refreshes += 1;
        if (readings.size === accountCount) begun.resolve(undefined);
      }
      await sleep(refreshPauseMs);
    }
  };
  const ended = Promise.all(Array.from({ length: accountCount }, (_, index) => refreshOn(index)));
  return { readings, refreshes: () => refreshes, begun: begun.promise, ended };
}

function newBatches(sent: Map<number, number>): [batch: number, rowCount: number][] {
  return Array.from({ length: filesOfImport }, () => {
    const batch = sent.size + 1;
    const rowCount = rowCounts[batch % rowCounts.length] ?? 1;
    sent.set(batch, rowCount);
    return [batch, rowCount];
  });
}

function filesOf(folder: string, batches: readonly [number, number][]): string[] {
  const place = join(folder, `statements-${batches[0]?.[0]}`);
  mkdirSync(place);
  return batches.map(([batch, rowCount]) => writeStatement(place, batch, rowCount));
}
