import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the services of a process keep their records in, and where they count requests. */
export interface SpecEngine {
  /** A database of its own for a service, without a schema yet. */
  newDatabase(): Promise<SpecDatabase>;
  /** Where a service shares its counts with nobody else, as a setting; empty for its own memory. */
  newRedisUrl(): string;
}

/** A database of one service. */
export interface SpecDatabase {
  /** As a setting. */
  readonly url: string;
  remove(): Promise<void>;
}

/** A file for each database, and the service's own memory for the counts. */
export const sqlite: SpecEngine = {
  newDatabase: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coffer-spec-'));
    return {
      url: `sqlite:${join(folder, 'coffer.db')}`,
      remove: () => rm(folder, { recursive: true }),
    };
  },
  newRedisUrl: () => '',
};

let chosen = sqlite;

/** The engine of every service that is started from now on; SQLite and its own memory unless one was chosen. */
export function specEngine(): SpecEngine {
  return chosen;
}

/** Chooses the engine of this process. */
export function chooseEngine(engine: SpecEngine): void {
  chosen = engine;
}
