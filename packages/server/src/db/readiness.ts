import sql from 'sql-template-tag';
import type { Engine, Steps } from './engine.ts';
import { row } from './engine.ts';

/** What a store can do at the moment. */
export interface Readiness {
  readonly canRead: boolean;
  /** False after a write that the disk refused, until one succeeds again. */
  readonly canWrite: boolean;
}

/**
 * Asks an engine how it stands: by a small read, and by a small write only after one that the disk refused.
 *
 * A lock that another process holds is no fault: writers wait for it, so the database can be written.
 */
export async function readiness(engine: Engine): Promise<Readiness> {
  const canRead = await succeeds(() => engine.read(readSomething));
  if (canRead && !engine.canWrite) await succeeds(() => engine.write(writeNothing, { waitMs: 0 }));
  return { canRead, canWrite: canRead && engine.canWrite };
}

function* readSomething(): Steps<unknown> {
  return yield* row(sql`SELECT version FROM books LIMIT 1`);
}

/** While it cannot write, an engine adds to every operation a write that reaches the disk. */
function* writeNothing(): Steps<void> {
  return undefined;
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
