import sql from 'sql-template-tag';
import type { Engine, Steps } from './engine.ts';
import { row } from './engine.ts';

/** What a database can do at the moment. */
export interface Readiness {
  readonly canRead: boolean;
  /** False after a write that the disk refused, until a write succeeds. */
  readonly canWrite: boolean;
}

/**
 * Checks an engine with a small read. Only after a write that the disk refused, it also tries a small write.
 *
 * A lock that another process holds is not a failure: writers wait for it, so the database can be written to.
 */
export async function readiness(engine: Engine): Promise<Readiness> {
  const canRead = await succeeds(() => engine.read(readSomething));
  if (canRead && !engine.canWrite) await succeeds(() => engine.write(writeNothing, { waitMs: 0 }));
  return { canRead, canWrite: canRead && engine.canWrite };
}

function* readSomething(): Steps<unknown> {
  return yield* row(sql`SELECT version FROM books LIMIT 1`);
}

/** While {@link Engine.canWrite} is false, the engine itself adds a write that reaches the disk. */
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
