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

const page = 'docs/operate/postgresql-backups.md';
const timeout = 120_000;
const rowCount = 5;
const nobody = 65_534;
const programs = ['pg_dump', 'pg_restore', 'pg_basebackup', 'pg_verifybackup', 'psql', 'pg_ctl'];
const folderOfPrograms = postgresPrograms();
const missing = programs.filter((name) => !existsSync(join(folderOfPrograms ?? '', name)));
const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;

/** One import, with times of the clock of the machine. */
interface Batch {
  readonly sentMs: number;
  /** Infinity until it is acknowledged. */
  acknowledgedMs: number;
}

/** Imports that run one after another until they are stopped. */
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
      '/var/backups/postgresql': place('backups'),
      '/var/lib/postgresql/restored': place('restored'),
      '-k /var/lib/postgresql': `-k ${place('socket')}`,
    };
    const environment: Record<string, string> = {};
    const documented = (): DocumentedCommands => documentedCommands(page, words, environment);
    let server: PostgresServer;
    let owner: Owner;
    let database: string;

    before(async () => {
      for (const name of ['.', 'backups', 'backups/archive', 'socket']) {
        mkdirSync(place(name), { recursive: true });
        if (process.getuid?.() === 0) chownSync(place(name), nobody, nobody);
      }
      server = await startPostgres({ fsync: 'on', full_page_writes: 'on' });
      // The restored server reads them, too; this one has flags instead.
      const settings = "listen_addresses = ''\nmax_connections = 200\n";
      appendFileSync(join(server.dataFolder, 'postgresql.conf'), settings);
      database = await server.newDatabase();
      const named = (name: string): string => database.replace(/book\d+/, name);
      words['postgres://coffer:SECRET@127.0.0.1:5432/coffer_drill'] = named('coffer_drill');
      Object.assign(environment, { DATABASE_URL: database, ADMIN_URL: named('postgres') });
      await documented().run('archive_mode = on');
      server.process.kill('SIGINT');
      await once(server.process, 'exit');
      await server.restart();
      owner = await useStore(database, (engine) => addOwner(engine, 'owner'));
    });
    after(async () => {
      stopRestored(place('restored'));
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('a dump made while others write has everything acknowledged before it', async () => {
      const writing = startWriting(database, owner);
      await until(() => writing.batches.length > 10, 'batches are written');
      const beganMs = Date.now();
      await documented().run('pg_dump');
      const endedMs = Date.now();
      await until(() => writing.batches.at(-1)!.sentMs > endedMs, 'more was written');
      await writing.stop();
      await documented().run('pg_restore');
      const drill = words['postgres://coffer:SECRET@127.0.0.1:5432/coffer_drill']!;
      environment['DRILL_URL'] = drill;
      assert.match(
        await documented().run('doctor --database "$DRILL_URL"'),
        /^Everything agrees$/m,
      );
      await assertHolds(drill, owner, writing.batches, beganMs, endedMs);
      await assertServes(drill, owner);
    });

    test('a moment in the past is restored: everything before it, nothing after it', async () => {
      // Another owner, so that the rows of the first test are not counted.
      owner = await useStore(database, (engine) => addOwner(engine, 'another'));
      const writing = startWriting(database, owner);
      await until(() => writing.batches.length > 5, 'batches are written');
      await documented().run('pg_basebackup');
      const { length } = writing.batches;
      await until(() => writing.batches.length > length + 20, 'more is written after the copy');
      const momentMs = Date.now();
      await until(() => writing.batches.length > length + 60, 'more is written after the moment');
      await writing.stop();
      const last = await lastOfLog(environment['ADMIN_URL']!);
      await documented().run('pg_switch_wal');
      await until(
        () => existsSync(join(place('backups/archive'), last)),
        'the log is in the archive',
      );
      server.process.kill('SIGQUIT');
      await once(server.process, 'exit');

      const atSocket = (url: string): string => {
        const found = new URL(url);
        found.searchParams.set('host', place('socket'));
        return found.href;
      };
      const restored = atSocket(database);
      Object.assign(environment, {
        DATABASE_URL: restored,
        ADMIN_URL: atSocket(environment['ADMIN_URL']!),
        moment: new Date(momentMs).toISOString().replace('T', ' ').replace('Z', '+00'),
      });
      await documented()
        .run('recovery.signal')
        .catch((error: unknown) => {
          throw new Error(readFileSync(place('restored.log'), 'utf8'), { cause: error });
        });
      assert.match(await documented().run('pg_is_in_recovery'), /^Everything agrees$/m);
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
  // `stop` throws the error.
  ended.catch(() => undefined);
  const stop = (): Promise<void> => {
    isOver = true;
    return ended;
  };
  return { batches, stop };
}

/**
 * Compares a database with what was written: each batch is complete or absent, those acknowledged before `fromMs`
 * exist, and those sent after `toMs` do not.
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
  assert.ok(before > 5 && rows.size >= before, `${rows.size} of ${before} batches exist`);
  for (const [index, { sentMs, acknowledgedMs }] of batches.entries()) {
    const found = rows.get(index + 1) ?? 0;
    const what = `batch ${index + 1} has ${found} rows`;
    assert.ok(found === 0 || found === rowCount, what);
    if (acknowledgedMs < fromMs) assert.equal(found, rowCount, what);
    if (sentMs > toMs) assert.equal(found, 0, `${what}, although it is later`);
  }
}

/** A node on the database accepts the token, and can write. */
async function assertServes(database: string, { token }: Owner): Promise<void> {
  const node = await startServer({ database, flags: ['--log-level', 'silent'] });
  try {
    assert.equal((await ask(`${node.url}/readyz`)).status, 200);
    assert.equal((await ask(`${node.url}/v2/me`, { token })).status, 200);
  } finally {
    await node.end('SIGTERM');
  }
}

/** The name of the current file of the log. */
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
