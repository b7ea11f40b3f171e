import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { rows } from '../../packages/server/src/db/engine.ts';
import {
  openPostgres,
  type PostgresEngine,
} from '../../packages/server/src/db/postgres/postgres.ts';
import type { PostgresServer } from '../../packages/server/src/db/testing/postgres-server.ts';

/** A fault of a PostgreSQL server. */
export type Blow = 'stop' | 'terminate' | 'kill' | 'freeze';

const awayMs = 300;
/** Longer than any request waits. */
const frozenMs = 4000;
const recoveryTimeoutMs = 30_000;

/** Causes faults of a server from a separate connection, which is not affected by them. */
export class PostgresBlows {
  readonly #server: PostgresServer;
  readonly #engine: PostgresEngine;

  constructor(server: PostgresServer, url: string) {
    this.#server = server;
    this.#engine = openPostgres({
      url,
      poolSize: 1,
      maxWaiting: 1,
      connectTimeoutMs: 5000,
      statementTimeoutMs: 5000,
    });
  }

  /** Causes a fault and resolves when the server responds again. */
  async deal(blow: Blow): Promise<void> {
    if (blow === 'stop') await this.#stop();
    else if (blow === 'terminate') await this.#terminate();
    else if (blow === 'kill') await this.#kill();
    else await this.#freeze();
    await this.#recovered();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  /** Stops the server immediately: nothing is finished or written, and the next start recovers. */
  async #stop(): Promise<void> {
    const { process: server } = this.#server;
    const stopped = once(server, 'exit');
    server.kill('SIGQUIT');
    await stopped;
    await wait(awayMs);
    await this.#server.restart();
  }

  async #terminate(): Promise<void> {
    await this.#engine.read(() =>
      rows(sql`SELECT pg_terminate_backend(pid)::text AS done FROM pg_stat_activity
        WHERE application_name = 'coffer' AND pid <> pg_backend_pid()`),
    );
  }

  /** The server then ends all connections and recovers. */
  async #kill(): Promise<void> {
    const backends = await this.#engine.read(() =>
      rows<{ pid: number }>(sql`SELECT pid FROM pg_stat_activity
        WHERE application_name = 'coffer' AND pid <> pg_backend_pid()
        ORDER BY (state = 'active') DESC LIMIT 1`),
    );
    for (const { pid } of backends) process.kill(pid, 'SIGKILL');
    await wait(awayMs);
  }

  /** Freezes the server, as when its machine swaps or its disk hangs. */
  async #freeze(): Promise<void> {
    const backends = await this.#engine.read(() =>
      rows<{ pid: number }>(sql`SELECT pid FROM pg_stat_activity`),
    );
    const pids = [this.#server.process.pid!, ...backends.map(({ pid }) => pid)];
    const signal = (name: NodeJS.Signals): void => pids.forEach((pid) => trySignal(pid, name));
    signal('SIGSTOP');
    await wait(frozenMs);
    signal('SIGCONT');
  }

  async #recovered(): Promise<void> {
    const deadlineMs = performance.now() + recoveryTimeoutMs;
    for (;;) {
      try {
        await this.#engine.read(() => rows(sql`SELECT 1 AS one`));
        return;
      } catch (error) {
        if (performance.now() > deadlineMs) throw error;
        await wait(10);
      }
    }
  }
}

function trySignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
