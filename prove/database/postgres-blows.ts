import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import sql, { type Sql } from 'sql-template-tag';
import { rows } from '../../packages/server/src/db/engine.ts';
import { openPostgres } from '../../packages/server/src/db/postgres/postgres.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';

export type Blow = 'stop' | 'terminate' | 'kill' | 'freeze';

const awayMs = 300;
/** Longer than any request waits. */
const frozenMs = 4000;
const recoveryTimeoutMs = 30_000;

/** Causes faults of a server from a separate connection, which is not affected by them. */
export interface PostgresBlows {
  /** Causes a fault and resolves when the server responds again. */
  deal(blow: Blow): Promise<void>;
  close(): Promise<void>;
}

export function openBlows(server: PostgresServer, url: string): PostgresBlows {
  const pool = { poolSize: 1, maxWaiting: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
  const engine = openPostgres({ url, ...pool });
  const read = (statement: Sql) => engine.read(() => rows<{ pid: number }>(statement));
  const others = sql`pg_stat_activity WHERE application_name = 'coffer' AND pid <> pg_backend_pid()`;
  const blows: Readonly<Record<Blow, () => Promise<unknown>>> = {
    // Nothing is finished or written, and the next start recovers.
    stop: async () => {
      const stopped = once(server.process, 'exit');
      server.process.kill('SIGQUIT');
      await stopped;
      await wait(awayMs);
      await server.restart();
    },
    terminate: () => read(sql`SELECT pg_terminate_backend(pid)::text AS done FROM ${others}`),
    // The server then ends all connections and recovers.
    kill: async () => {
      const busy = sql`SELECT pid FROM ${others} ORDER BY (state = 'active') DESC LIMIT 1`;
      for (const { pid } of await read(busy)) process.kill(pid, 'SIGKILL');
      await wait(awayMs);
    },
    // As when its machine swaps or its disk hangs.
    freeze: async () => {
      const backends = await read(sql`SELECT pid FROM pg_stat_activity`);
      const pids = [server.process.pid!, ...backends.map(({ pid }) => pid)];
      for (const signal of ['SIGSTOP', 'SIGCONT'] as const) {
        for (const pid of pids) trySignal(pid, signal);
        if (signal === 'SIGSTOP') await wait(frozenMs);
      }
    },
  };
  return {
    deal: async (blow) => {
      await blows[blow]();
      const deadlineMs = performance.now() + recoveryTimeoutMs;
      for (let isBack = false; !isBack;)
        isBack = await read(sql`SELECT 1 AS pid`).then(
          () => true,
          async (error: unknown) => {
            if (performance.now() > deadlineMs) throw error;
            await wait(10);
            return false;
          },
        );
    },
    close: () => engine.close(),
  };
}

function trySignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
