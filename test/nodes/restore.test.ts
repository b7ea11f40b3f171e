import { importEntries, exportBook } from '../../packages/server/src/main.ts';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  postgresPrograms,
  startPostgres,
  type PostgresServer,
} from '../../packages/server/src/db/testing/postgres-server.ts';
import { ask } from '../../prove/run/ask.ts';
import { batchOf, payeeOf } from '../../prove/run/ledger.ts';
import { addOwner, useStore, type Owner } from '../../prove/run/book.ts';
import { startServer } from '../../prove/run/server-process.ts';
import { documentedCommands, type DocumentedCommands } from './documented-commands.ts';
import { until } from './nodes.ts';

const page = 'docs/operate/many-nodes.md';
const timeout = 120_000;
const rowCount = 5;
const nobody = 65_534;
const programs = ['pg_dump', 'pg_restore', 'pg_basebackup', 'pg_verifybackup', 'psql', 'pg_ctl'];
const folderOfPrograms = postgresPrograms();
const missing = programs.filter((name) => !existsSync(join(folderOfPrograms ?? '', name)));
const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;

/** One import, by the clock of the machine. */
interface Batch {
  readonly sentMs: number;
  /** Infinity until it is acknowledged. */
  acknowledgedMs: number;
}

/** Imports that go on, one after the other. */
interface Writing {
  readonly batches: readonly Batch[];
  stop(): Promise<void>;
}

describe(
  'PostgreSQL is backed up and restored by the commands of the documentation',
  {
    skip,
    timeout,
  },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'coffer-restore-'));
    const place = (name: string): string => join(folder, name);
    const words: Record<string, string> = {
      '/mnt/archive': place('archive'),
      '/mnt/backups': place('backups'),
      '/var/lib/postgresql/17/restored': place('restored'),
    };
    const environment: Record<string, string> = {};
    const documented = (): DocumentedCommands => documentedCommands(page, words, environment);
    let server: PostgresServer;
    let owner: Owner;
    let database: string;

    before(async () => {
      for (const name of ['.', 'archive', 'backups', 'socket']) {
        mkdirSync(place(name), { recursive: true });
        if (process.getuid?.() === 0) chownSync(place(name), nobody, nobody);
      }
      server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
      const settings = `${documented().example('ini', 'archive_command')}
listen_addresses = ''
max_connections = 200
unix_socket_directories = '${place('socket')}'
`;
      appendFileSync(join(server.dataFolder, 'postgresql.conf'), settings);
      server.process.kill('SIGINT');
      await once(server.process, 'exit');
      await server.restart();
      database = await server.newDatabase();
      owner = await useStore(database, (engine) => addOwner(engine, 'owner'));
      const named = (name: string): string => database.replace(/book\d+/, name);
      const restored = new URL(database);
      restored.searchParams.set('host', place('socket'));
      Object.assign(environment, {
        DATABASE_URL: database,
        DRILL_URL: named('coffer_drill'),
        ADMIN_URL: named('postgres'),
        RESTORED_URL: restored.href,
      });
    });
    after(async () => {
      stopRestored(place('restored'));
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('a dump that is taken while others write has all that was acknowledged before it', async () => {
      const writing = startWriting(database, owner);
      await until(() => writing.batches.length > 10, 'there are batches');
      const beganMs = Date.now();
      await documented().run('pg_dump');
      const endedMs = Date.now();
      await until(() => writing.batches.at(-1)!.sentMs > endedMs, 'more was written');
      await writing.stop();
      assert.match(await documented().run('pg_restore'), /^Everything agrees$/m);
      const drill = environment['DRILL_URL']!;
      await assertHolds(drill, owner, writing.batches, beganMs, endedMs);
      await assertServes(drill, owner);
    });

    test('a moment in the past is brought back: all of before, nothing of after', async () => {
      // The rows of the first test are not among those that are counted.
      owner = await useStore(database, (engine) => addOwner(engine, 'another'));
      const writing = startWriting(database, owner);
      await until(() => writing.batches.length > 5, 'there are batches');
      await documented().run('pg_basebackup');
      const { length } = writing.batches;
      await until(() => writing.batches.length > length + 20, 'more is written after the copy');
      const momentMs = Date.now();
      await until(() => writing.batches.length > length + 60, 'more is written after the moment');
      await writing.stop();
      const last = await lastOfLog(environment['ADMIN_URL']!);
      await documented().run('pg_switch_wal');
      await until(() => existsSync(join(place('archive'), last)), 'the log is in the archive');
      server.process.kill('SIGQUIT');
      await once(server.process, 'exit');

      const moment = new Date(momentMs).toISOString().replace('T', ' ').replace('Z', '+00');
      words['2026-11-20 14:05:00+00'] = moment;
      await documented()
        .run('recovery.signal')
        .catch((error: unknown) => {
          throw new Error(readFileSync(place('restored.log'), 'utf8'), { cause: error });
        });
      const isOver = async (): Promise<boolean> =>
        (await documented().run('pg_is_in_recovery')).trim() === 'f';
      await until(isOver, 'the moment is reached');
      assert.match(
        await documented().run('doctor --database "$RESTORED_URL"'),
        /^Everything agrees$/m,
      );
      const restored = environment['RESTORED_URL']!;
      await assertHolds(restored, owner, writing.batches, momentMs, momentMs);
      assert.ok(writing.batches.some(({ sentMs }) => sentMs > momentMs));
      await assertServes(restored, owner);
    });
  },
);

/** Imports batches of a few rows, one after the other. */
function startWriting(database: string, { bookId }: Owner): Writing {
  const batches: Batch[] = [];
  let isOver = false;
  const ended = useStore(database, async (engine) => {
    while (!isOver) {
      const batch = { sentMs: Date.now(), acknowledgedMs: Infinity };
      batches.push(batch);
      const payee = payeeOf(batches.length);
      const entries = Array.from({ length: rowCount }, (_, n) => ({
        line: n + 1,
        date: '2025-01-02',
        amount: -10_000 * (n + 1),
        currency: null,
        payee,
        notes: null,
        category: null,
        account: null,
        externalId: null,
      }));
      const plan = { entries: () => entries, defaultAccount: null, dryRun: false };
      await importEntries(engine, bookId, plan);
      batch.acknowledgedMs = Date.now();
    }
  });
  // Whoever stops it is told of what went wrong.
  ended.catch(() => undefined);
  const stop = (): Promise<void> => {
    isOver = true;
    return ended;
  };
  return { batches, stop };
}

/**
 * Holds a database against what was written: each batch is whole or not there, those that were acknowledged before
 * `fromMs` are, and those that were sent after `toMs` are not.
 */
async function assertHolds(
  database: string,
  { bookId }: Owner,
  batches: readonly Batch[],
  fromMs: number,
  toMs: number,
): Promise<void> {
  const rows = new Map<number, number>();
  await useStore(database, async (engine) => {
    const { transactions } = await exportBook(engine, bookId);
    for await (const { payee } of transactions) {
      const batch = batchOf(payee)!;
      rows.set(batch, (rows.get(batch) ?? 0) + 1);
    }
  });
  const before = batches.filter(({ acknowledgedMs }) => acknowledgedMs < fromMs).length;
  assert.ok(before > 5 && rows.size >= before, `${rows.size} of ${before} batches are there`);
  for (const [index, { sentMs, acknowledgedMs }] of batches.entries()) {
    const found = rows.get(index + 1) ?? 0;
    const what = `batch ${index + 1} has ${found} rows`;
    assert.ok(found === 0 || found === rowCount, what);
    if (acknowledgedMs < fromMs) assert.equal(found, rowCount, what);
    if (sentMs > toMs) assert.equal(found, 0, `${what}, and it is of later`);
  }
}

/** A node on the database knows the token, and may write. */
async function assertServes(database: string, { token }: Owner): Promise<void> {
  const node = await startServer({ database, flags: ['--log-level', 'silent'] });
  try {
    assert.equal((await ask(`${node.url}/readyz`)).status, 200);
    assert.equal((await ask(`${node.url}/v2/me`, { token })).status, 200);
  } finally {
    await node.end('SIGTERM');
  }
}

/** The name of the piece of the log that is being written. */
async function lastOfLog(url: string): Promise<string> {
  const query = 'SELECT pg_walfile_name(pg_current_wal_lsn())';
  const psql = join(folderOfPrograms ?? '', 'psql');
  const text = execFileSync(psql, [url, '-XAtc', query], { encoding: 'utf8' });
  return Promise.resolve(text.trim());
}

function stopRestored(data: string): void {
  if (!existsSync(join(data, 'postmaster.pid'))) return;
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const program = join(folderOfPrograms ?? '', 'pg_ctl');
  execFileSync(program, ['stop', '-D', data, '-m', 'immediate'], { ...owner, cwd: '/' });
}
