import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeStatement } from './batches.ts';
import type { Owner } from './book.ts';
import { cofferPrints, whose } from './coffer-command.ts';
import { startImport, type ImportProcess } from './import-process.ts';

const filesOfImport = 60;
/** A process for each token would leave the machine no time for imports. */
const tokenPauseMs = 250;
const rowCounts = [5, 40, 300] as const;

/** Processes that write to a database until they are told to stop, and what they were told is stored. */
export interface Writers {
  /** The rows of each batch whose import was acknowledged so far. */
  readonly acknowledged: ReadonlyMap<number, number>;
  /** The rows of each batch that was sent so far. */
  readonly sent: ReadonlyMap<number, number>;
  /** Tokens whose creation was acknowledged so far. */
  readonly tokens: readonly string[];
  /** Resolves when something of each kind was acknowledged. */
  readonly begun: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts imports, one behind the other, and makes access tokens meanwhile. */
export function startWriters(folder: string, database: string, owner: Owner): Writers {
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
      const { code, errors } = await running.ended;
      if (code !== 0 && !isStopped()) throw new Error(`The import ended with ${code}: ${errors}`);
    }
  };
  const makeTokens = async (): Promise<void> => {
    while (!isStopped()) {
      tokens.push((await cofferPrints('token', 'create', ...whose(owner, database))).trim());
      made.resolve(undefined);
      await sleep(tokenPauseMs);
    }
  };
  const ended = Promise.all([importOn(), makeTokens()]);
  // Whoever stops the writers is told of what went wrong.
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopping.abort();
    running?.kill();
    await ended;
  };
  const begun = Promise.race([Promise.all([imported.promise, made.promise]), ended]);
  return { acknowledged, sent, tokens, begun, stop };
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
