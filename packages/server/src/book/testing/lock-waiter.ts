import sql from 'sql-template-tag';
import { rows, run, type Steps } from '../../db/engine.ts';

/** Waits on PostgreSQL until another connection to the database is waiting for a lock. */
export function* waitForWaiter(): Steps<void> {
  for (;;) {
    yield* run(sql`SELECT pg_stat_clear_snapshot(), pg_sleep(0.005)`);
    const found = yield* rows(sql`SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`);
    if (found.length > 0) return;
  }
}
