import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the services of a process store records and count requests. */
export interface SpecEngine {
  /** Creates a database for one service, without a schema. */
  newDatabase(): Promise<SpecDatabase>;
  /** Returns the Redis URL for the counts of one service, as a setting; empty for memory. */
  newRedisUrl(): string;
}

/** A database of one service. */
export interface SpecDatabase {
  /** The value of the setting. */
  readonly url: string;
  /** The folder for attached files, which need not exist; by default the one that the service chooses. */
  readonly folder?: string;
  remove(): Promise<void>;
}

/** A file for each database, and the memory of the service for the counts. */
export const sqlite: SpecEngine = {
  newDatabase: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coffer-spec-'));
    return {
      url: `sqlite:${join(folder, 'coffer.db')}`,
      folder: join(folder, 'files'),
      remove: () => rm(folder, { recursive: true }),
    };
  },
  newRedisUrl: () => '',
};

let chosen = sqlite;

/** Returns the engine of every service that is started from now on; SQLite and memory by default. */
export function specEngine(): SpecEngine {
  return chosen;
}

/** Chooses the engine of this process. */
export function chooseEngine(engine: SpecEngine): void {
  chosen = engine;
}
