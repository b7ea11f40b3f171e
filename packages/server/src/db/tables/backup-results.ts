import { select } from '../rows.ts';
import type { Steps } from '../engine.ts';
import type { Row } from '../table.ts';
import { backupResults } from './tables.ts';

/** The last scheduled backup that succeeded, and the last that failed; null for none. */
export interface LastBackups {
  readonly succeeded: Row<typeof backupResults> | null;
  readonly failed: Row<typeof backupResults> | null;
}

/** Reads the last backups by one statement. */
export function* lastBackups(): Steps<LastBackups> {
  const results = yield* select(backupResults, {});
  const find = (outcome: string) => results.find((each) => each.outcome === outcome) ?? null;
  return { succeeded: find('succeeded'), failed: find('failed') };
}
