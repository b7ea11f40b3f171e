import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { endsWithFile } from '../../../../core/src/testing/ends.ts';
import { Emit, row, rows, run, type Steps } from '../engine.ts';
import type { DatabaseError } from '../errors.ts';
import { readiness } from '../readiness.ts';
import { noPostgres, openSmallPostgres } from '../testing/engines.ts';
import { startPostgres, type PostgresServer } from '../testing/postgres-server.ts';
import { migratePostgres } from './open.ts';
import { openPostgres, type PostgresEngine, type PostgresOptions } from './postgres.ts';

const unavailable = { name: 'DatabaseError', kind: 'unavailable', mayBeStored: false };
const busy = { name: 'DatabaseError', kind: 'busy' };
const short = { connectTimeoutMs: 2000, statementTimeoutMs: 1000 };

describe('a PostgreSQL database that fails', { skip: noPostgres, timeout: 300_000 }, () => {
  let server: PostgresServer;
  let url: string;
  before(async () => {
    server = await startPostgres();
    endsWithFile(() => server.stop());
    url = await server.newDatabase();
    await migratePostgres(open());
  });

  const open = (options: Partial<PostgresOptions> = {}): PostgresEngine =>
    openSmallPostgres(url, { ...short, ...options });
  const setUp = (script: string): Promise<void> =>
    open().migrate(0, (connection) => connection.command(script));
  const pid = function* (): Steps<number> {
    return (yield* row<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`))!.pid;
  };
  /** Runs while the process of a connection does not respond. */
  const whileStopped = async (stopped: number, work: () => Promise<unknown>): Promise<void> => {
    process.kill(stopped, 'SIGSTOP');
    await work().finally(() => process.kill(stopped, 'SIGCONT'));
  };
  const one = (): Steps<unknown> => rows(sql`SELECT 1 AS one`);
  const sleep = (): Steps<void> => run(sql`SELECT pg_sleep(0.3)`);

  it('refuses an operation at once if all connections are in use and too many wait', async () => {
    const engine = open({ poolSize: 1, maxWaiting: 1, statementTimeoutMs: 0 });
    const started = [1, 2, 3].map(() => engine.read(sleep));
    const outcomes = (await Promise.allSettled(started)) as Partial<PromiseRejectedResult>[];
    const kinds = outcomes.map(({ reason }) => (reason as DatabaseError | undefined)?.kind);
    assert.deepEqual(kinds, [undefined, undefined, 'busy']);
  });

  it('does not depend on the default isolation level of the server', async () => {
    const settings = new URL(url);
    settings.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const engine = openSmallPostgres(settings.href);
    const isolation = function* (): Steps<string> {
      return Object.values((yield* rows(sql`SHOW transaction_isolation`))[0] as object).join();
    };
    assert.equal(await engine.read(isolation), 'repeatable read');
    assert.equal(await engine.write(isolation), 'read committed');
    assert.equal(await engine.write(isolation, { onSnapshot: true }), 'repeatable read');
  });

  it('times out when it waits too long for a connection', async () => {
    const engine = open({ poolSize: 1, statementTimeoutMs: 0 });
    const held = engine.stream<number>(function* () {
      yield new Emit(1);
    });
    await held.next();
    await assert.rejects(engine.read(one), unavailable);
    // It is released when the reader stops, and is not in the transaction that was left open.
    await held.return(undefined);
    await engine.write(() => run(sql`UPDATE schema_versions SET migrated_at = now()`));
    assert.deepEqual(await engine.readStatement(one), [{ one: 1 }]);
  });

  it('cancels a statement, or statements, that take too long, and the connection still works', async () => {
    const engine = open({ poolSize: 1, statementTimeoutMs: 500 });
    const slow = (): Steps<void> => run(sql`SELECT pg_sleep(60)`);
    const many = function* (): Steps<void> {
      for (let n = 0; n < 60; n += 1) yield* run(sql`SELECT pg_sleep(0.1)`);
    };
    for (const steps of [slow, many]) {
      await assert.rejects(engine.read(steps), unavailable);
      assert.deepEqual(await engine.read(one), [{ one: 1 }]);
    }
  });

  it('ends the statements that run when it is interrupted, and the connection still works', async () => {
    const engine = open({ poolSize: 1, statementTimeoutMs: 0 });
    const watcher = open();
    const { promise: started, resolve } = Promise.withResolvers<number>();
    const long = engine.write(function* () {
      resolve(yield* pid());
      yield* run(sql`SELECT pg_sleep(60)`);
    });
    const ended = assert.rejects(long, unavailable);
    const own = await started;
    const running = sql`SELECT pid FROM pg_stat_activity WHERE pid = ${own} AND wait_event = 'PgSleep'`;
    while ((await watcher.read(() => rows(running))).length === 0);
    await engine.interrupt();
    await ended;
    assert.equal(await engine.read(pid), own);
  });

  it('is unavailable when its connection is terminated, and reconnects automatically', async () => {
    const engine = open({ poolSize: 1 });
    const killer = open();
    const { promise: started, resolve } = Promise.withResolvers<number>();
    const victim = engine.write(function* () {
      resolve(yield* pid());
      yield* sleep();
    });
    const refused = assert.rejects(victim, unavailable);
    const ended = await started;
    await killer.read(() => run(sql`SELECT pg_terminate_backend(${ended})`));
    await refused;
    assert.deepEqual(await engine.read(one), [{ one: 1 }]);
  });

  it('repeats a whole transaction that conflicts with another one, and nothing else', async () => {
    const kinds = {
      busy: '40001 40P01 55P03',
      unavailable: '08006 25P03 53200 53300 57014 57P01 57P02 57P03',
      full: '53100',
      failing: '58030',
      readOnly: '25006',
      refused: '22001 22003 22021 22P02 23502 23503 23505 23514',
      none: '22012 25P02 42P01 XX000 XX001',
    };
    const engine = open();
    for (const [kind, codes] of Object.entries(kinds)) {
      for (const code of codes.split(' ')) {
        let attempts = 0;
        const failing = engine.write(function* () {
          attempts += 1;
          yield* run(raw(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`));
        });
        const error: unknown = await failing.catch((reason: unknown) => reason);
        const { name, kind: found = 'none' } = error as Partial<DatabaseError>;
        assert.equal(found, kind, code);
        assert.equal(name, kind === 'none' ? 'error' : 'DatabaseError', code);
        assert.equal(attempts, /^(40001|40P01)$/.test(code) ? 5 : 1, code);
      }
    }
    let attempts = 0;
    const value = await engine.write(function* () {
      attempts += 1;
      if (attempts < 3) yield* run(sql`DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$`);
      return yield* rows(sql`SELECT 1 AS one`);
    });
    assert.deepEqual([value, attempts], [[{ one: 1 }], 3], 'until it succeeds');
  });

  it('refuses what a constraint forbids or a type cannot hold, with the message of the server', async () => {
    await setUp('CREATE TABLE checked (n SMALLINT UNIQUE CHECK (n > 0), day DATE)');
    for (const [statement, message] of [
      [sql`INSERT INTO checked VALUES (0)`, /violates check constraint/],
      [sql`INSERT INTO checked VALUES (${'70000'})`, /out of range/],
      [sql`INSERT INTO checked (day) VALUES (${'2023-02-29'})`, /out of range/],
      [sql`INSERT INTO checked (day) VALUES (${'soon'})`, /invalid input syntax/],
      [sql`SELECT ${'a\0b'}::text`, /invalid byte sequence/],
    ] as const) {
      const write = open().write(() => run(statement));
      await assert.rejects(write, { name: 'DatabaseError', kind: 'refused', message });
    }
  });

  it('reports that a change may be stored if the connection is lost in COMMIT, and does not repeat it', async () => {
    const engine = open({ statementTimeoutMs: 10_000 });
    await setUp(`CREATE TABLE slow (id BIGINT);
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait()`);
    let attempts = 0;
    const refused = assert.rejects(
      engine.write(function* () {
        attempts += 1;
        yield* run(sql`INSERT INTO slow VALUES (1)`);
      }),
      { name: 'DatabaseError', kind: 'unavailable', mayBeStored: true },
    );
    const killer = open();
    const kill = (): Steps<unknown> =>
      row(sql`SELECT pg_terminate_backend(pid)::text AS killed FROM pg_stat_activity
        WHERE query = 'COMMIT' AND state = 'active' AND wait_event = 'PgSleep'`);
    while ((await killer.read(kill)) === undefined);
    await refused;
    assert.equal(attempts, 1);
  });

  it('closes a connection whose server does not respond, also at the end', async () => {
    for (const ask of ['read', 'readStatement', 'write'] as const) {
      const engine = open({ poolSize: 2, statementTimeoutMs: 500 });
      await whileStopped(await engine.read(pid), async () => {
        await assert.rejects(engine[ask](one), unavailable, ask);
        assert.deepEqual(await engine[ask](one), [{ one: 1 }]);
      });
    }
    const last = openPostgres({ url, ...short, poolSize: 1, maxWaiting: 1, statementTimeoutMs: 0 });
    await whileStopped(await last.read(pid), () => last.close());
    await assert.rejects(last.read(one), unavailable);
  });

  it('waits for another writer no longer than its timeout', async () => {
    const holder = open({ statementTimeoutMs: 0 });
    const patient = open({ lockTimeoutMs: 50 });
    await setUp('CREATE TABLE held (id BIGINT); INSERT INTO held VALUES (1)');
    const change = (): Steps<void> => run(sql`UPDATE held SET id = id + 1`);
    const locked = Promise.withResolvers<null>();
    let isReleased = false;
    const holding = holder.write(function* () {
      yield* change();
      locked.resolve(null);
      while (!isReleased) yield* run(sql`SELECT pg_sleep(0.01)`);
    });
    await locked.promise;
    try {
      await assert.rejects(patient.write(change), busy);
      await assert.rejects(open().write(change, { waitMs: 0 }), busy);
    } finally {
      isReleased = true;
      await holding;
    }
    await patient.write(change);
  });

  it('repeats a write on a snapshot if its row was changed since', async () => {
    const engine = open();
    const other = open();
    await setUp('CREATE TABLE counted (listed BIGINT); INSERT INTO counted VALUES (1)');
    const read = Promise.withResolvers<null>();
    let attempts = 0;
    const repairing = engine.write(
      function* () {
        attempts += 1;
        const [{ listed }] = (yield sql`SELECT listed FROM counted`) as [{ listed: number }];
        read.resolve(null);
        if (attempts === 1) yield* run(sql`SELECT pg_sleep(0.2)`);
        yield* run(sql`UPDATE counted SET listed = ${listed} * 10`);
      },
      { onSnapshot: true },
    );
    await read.promise;
    await other.write(() => run(sql`UPDATE counted SET listed = 7`));
    await repairing;
    const found = [attempts, await engine.read(() => rows(sql`SELECT listed FROM counted`))];
    assert.deepEqual(found, [2, [{ listed: 70 }]]);
  });

  it('ends an export with an error when its connection is lost', async () => {
    const engine = open();
    const killer = open();
    const parts = engine.stream(function* () {
      yield new Emit(yield* pid());
      yield sql`SELECT 1`;
      yield new Emit(0);
    });
    const iterator = parts[Symbol.asyncIterator]();
    const { value: ended } = await iterator.next();
    await killer.read(() => run(sql`SELECT pg_terminate_backend(${ended}, 5000)`));
    await assert.rejects(iterator.next(), unavailable);
    assert.deepEqual(await engine.read(one), [{ one: 1 }]);
  });

  it('is ready, but not to write while the disk of its server is full', async () => {
    const engine = open();
    assert.deepEqual(await readiness(engine), { canRead: true, canWrite: true });
    await setUp(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE SQLSTATE '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE UPDATE OR INSERT ON schema_versions
        FOR EACH STATEMENT EXECUTE FUNCTION fill()`);
    const write = (): Promise<void> =>
      engine.write(() => run(sql`INSERT INTO schema_versions VALUES (0, now())`));
    await assert.rejects(write(), { name: 'DatabaseError', kind: 'full' });
    assert.deepEqual(await readiness(engine), { canRead: true, canWrite: false });
    await setUp('DROP TRIGGER full_disk ON schema_versions');
    assert.deepEqual(await readiness(engine), { canRead: true, canWrite: true });
  });

  it('reconnects when its server has become read-only', async () => {
    const engine = open({ poolSize: 1 });
    await engine.read(() => run(sql`SET SESSION default_transaction_read_only = on`));
    const change = (): Steps<void> => run(sql`UPDATE schema_versions SET migrated_at = now()`);
    await assert.rejects(engine.write(change), { name: 'DatabaseError', kind: 'readOnly' });
    assert.equal(engine.canWrite, false);
    await engine.write(change);
    assert.equal(engine.canWrite, true);
  });
});
