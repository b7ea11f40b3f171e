import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithFile } from '../../packages/core/src/testing/ends.ts';

export interface SpecEngine {
  newDatabase(): Promise<SpecDatabase>;
  /** Copies a database that nothing is connected to, which is faster than filling another one. */
  copyDatabase?(from: SpecDatabase): Promise<SpecDatabase>;
  /** Returns the Redis URL for the counts of one service, as a setting; empty for memory. */
  newRedisUrl(): string;
}

export interface SpecDatabase {
  readonly url: string;
  /** The folder for attached files, which need not exist; by default the one that the service chooses. */
  readonly folder?: string;
  remove(): void;
}

/** A file for each database, and the memory of the service for the counts. */
export const sqlite: SpecEngine = {
  newDatabase: () => newFile(),
  copyDatabase: (from) => newFile(from),
  newRedisUrl: () => '',
};

async function newFile(from?: SpecDatabase): Promise<SpecDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-spec-'));
  const path = join(folder, 'coffer.db');
  if (from !== undefined) await copyFile(from.url.slice('sqlite:'.length), path);
  return {
    url: `sqlite:${path}`,
    folder: join(folder, 'files'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

let chosen = sqlite;

export function specEngine(): SpecEngine {
  return chosen;
}

/** Chooses the engine of the services that the running test file starts. */
export function chooseEngine(engine: SpecEngine): void {
  chosen = engine;
  endsWithFile(() => (chosen = sqlite));
}
