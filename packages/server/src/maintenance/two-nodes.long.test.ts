import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import sql from 'sql-template-tag';
import { endsWithFile } from '../../../core/src/testing/ends.ts';
import { findProgram } from '../../../core/src/testing/starts.ts';
import { openDatabase } from '../database.ts';
import { run } from '../db/engine.ts';
import { find, select } from '../db/rows.ts';
import { backupResults, leases } from '../db/tables/tables.ts';
import { newPostgresUrl, noPostgres } from '../db/testing/engines.ts';
import { newFolder } from '../db/testing/folder.ts';
import { noFileStore } from '../files/store.ts';
import { openPlace } from './scheduled/place.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { startJobs } from '../jobs/scheduler.ts';
import type { RunningJobs } from '../jobs/scheduler.ts';
import { ManualJobClock } from '../jobs/testing/manual-job-clock.ts';
import { backupJob } from './scheduled/backup-job.ts';
import type { BackupPlace } from './scheduled/place.ts';

const startMs = Date.UTC(2026, 10, 1, 3);
const hourMs = 3_600_000;
const skip = noPostgres || (findProgram('pg_dump') === null && 'missing: pg_dump');

it(
  'of two nodes on PostgreSQL one makes backups, and the other after its death',
  { skip },
  async () => {
    const url = await newPostgresUrl();
    const folder = join(newFolder(), 'backups');
    mkdirSync(folder);
    const source = {
      database: { engine: 'postgres', url },
      files: null,
      store: noFileStore,
    } as const;
    const place = await openPlace(source, { kind: 'folder', path: folder });
    const clock = new ManualJobClock(startMs);
    const made: string[] = [];
    const failures: object[] = [];
    let isHeld = false;
    const startNode = async (name: string) => {
      const engine = await openDatabase(source.database);
      endsWithFile(() => engine.close().catch(() => undefined));
      const backups: BackupPlace = {
        nameOf: (at) => place.nameOf(at),
        make: async (...how) => {
          made.push(name);
          // A node that dies while it works does not get further.
          if (isHeld) await new Promise(() => undefined);
          return place.make(...how);
        },
        names: () => place.names(),
        remove: (each) => place.remove(each),
        sweep: () => place.sweep(),
      };
      const log = {
        info: () => undefined,
        error: (details: object) => void failures.push(details),
      };
      const job = backupJob(backups, { everyMs: 24 * hourMs, keep: 2, keepMs: null }, log);
      const jobs: RunningJobs = startJobs({ engine, jobs: [job], log, clock });
      return { engine, jobs };
    };
    const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
    };
    const first = await startNode('first');
    await newBook(first.engine);
    // While it makes the backup, it sleeps for a minute between renewals of its lease.
    await until(() => clock.sleeping === 1 && clock.nextMs === hourMs);
    const second = await startNode('second');
    await until(() => clock.sleeping === 2);
    const lease = () => second.engine.read(() => find(leases, { name: 'job backup' }));

    // The first one made the first backup. The next day one of both begins, and dies.
    assert.deepEqual([made, readdirSync(folder).length], [['first'], 1]);
    isHeld = true;
    for (let hour = 0; hour < 24; hour += 1) {
      clock.advance(hourMs);
      await until(() => clock.sleeping === 2);
    }
    await until(async () => made.length === 2 && (await lease())!.expires_at_ms > 0);
    const dead = made[1] === 'first' ? first : second;
    const living = dead === first ? second : first;
    await dead.engine.close();
    isHeld = false;
    const isBackedUp = async () =>
      (await living.engine.read(() => select(backupResults, { outcome: 'succeeded' }))).some(
        ({ at }) => at.startsWith('2026-11-02'),
      );
    // Before its lease ends, nothing happens.
    clock.advance(10 * 60_000);
    await until(() => clock.sleeping > 0);
    assert.equal(made.length, 2);
    await living.engine.write(() =>
      run(sql`UPDATE leases SET expires_at_ms = 1 WHERE name = 'job backup'`),
    );
    await until(async () => {
      clock.advance(60_000);
      return isBackedUp();
    });
    assert.equal(made[2], living === first ? 'first' : 'second');
    assert.equal(made.length, 3);
    const names = readdirSync(folder).filter((name) => name.endsWith('.dump'));
    assert.equal(names.length, 2);
    assert.ok(names.every((name) => existsSync(join(folder, name))));
    await living.jobs.close();
  },
);
