import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cofferPrints, whose } from '../../test/service/coffer.ts';
import type { Synced } from '../../test/service/server-process.ts';
import { readAccount } from '../../test/service/synced-accounts.ts';
import { importBatches, Ledger, type RunningBatches } from '../run/ledger.ts';

const filesOfImport = 60;
/** Each token needs a process; without a pause they would leave no time for imports. */
const tokenPauseMs = 500;
/** The imports need the write lock, too. */
const refreshPauseMs = 10;
const rowCounts = [5, 40, 300] as const;

export interface Writing {
  readonly folder: string;
  readonly database: string;
  readonly url: string;
  readonly synced: Synced;
  readonly accountCount: number;
}

export interface Acknowledged {
  readonly batches: ReadonlySet<number>;
  readonly tokens: readonly string[];
  readonly readings: ReadonlyMap<number, number>;
  readonly refreshes: number;
}

export interface Writers {
  readonly ledger: Ledger;
  acknowledged(): Acknowledged;
  /** Resolves when something of each kind was acknowledged. */
  readonly begun: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts imports one after the other, and meanwhile creates access tokens and refreshes accounts. */
export function startWriters({ folder, database, url, synced, accountCount }: Writing): Writers {
  const { owner, accounts } = synced;
  const ledger = new Ledger();
  const tokens: string[] = [];
  const readings = new Map<number, number>();
  let refreshes = 0;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let running: RunningBatches | undefined;
  const begun = [1, 2, 3].map(() => Promise.withResolvers<unknown>());
  const importOn = async (): Promise<void> => {
    while (!isStopped()) {
      const place = join(folder, `statements-${ledger.sent.size}`);
      mkdirSync(place);
      const batches = Array.from({ length: filesOfImport }, (_, n) =>
        ledger.send(rowCounts[n % rowCounts.length]!),
      );
      running = importBatches(ledger, { folder: place, database, email: owner.email, batches });
      running.begun.then(begun[0]!.resolve, () => undefined);
      await running.done;
    }
  };
  const makeTokens = async (): Promise<void> => {
    while (!isStopped()) {
      tokens.push((await cofferPrints('token', 'create', ...whose(owner, database))).trim());
      begun[1]!.resolve(undefined);
      await sleep(tokenPauseMs);
    }
  };
  const refreshOn = async (index: number): Promise<void> => {
    while (!isStopped()) {
      const { status, text } = await accounts.refresh(url, index);
      // While imports run, a write may get 503.
      if (status !== 200 && status !== 503) throw new Error(`A refresh is ${status}: ${text}`);
      if (status === 200) {
        const { id, reading } = readAccount(text);
        readings.set(id, reading!);
        refreshes += 1;
        if (readings.size === accountCount) begun[2]!.resolve(undefined);
      }
      await sleep(refreshPauseMs);
    }
  };
  const refreshing = Array.from({ length: accountCount }, (_, index) => refreshOn(index));
  const ended = Promise.all([importOn(), makeTokens(), ...refreshing]);
  // `stop` rejects with the error.
  ended.catch(() => undefined);
  return {
    ledger,
    acknowledged: () => ({
      ...{ batches: new Set(ledger.acknowledged), tokens: [...tokens] },
      ...{ readings: new Map(readings), refreshes },
    }),
    begun: Promise.race([Promise.all(begun.map(({ promise }) => promise)), ended]),
    stop: async () => {
      stopping.abort();
      running?.kill();
      await ended;
    },
  };
}
