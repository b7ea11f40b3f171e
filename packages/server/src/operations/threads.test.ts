import { authenticate } from '../identity/users/testing/authenticate.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { isLong, runs } from '../../../core/src/testing/length.ts';
import type { DatabaseConfig } from '../config.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { migrate } from '../db/sqlite/migrate.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { engines, newPostgresUrl } from '../db/testing/engines.ts';
import { createToken, createUser } from '../identity/users/actions.ts';
import { openPool } from '../thread-pool.ts';
import type { WorkerPool } from '../workers/pool.ts';
import type { Worker } from 'node:worker_threads';
import { context, type Engine } from '../db/engine.ts';
import { isDatabaseError } from '../db/errors.ts';
import { importEntries } from '../imports/commit.ts';
import type { Identity } from './caller.ts';
import { acceptsKey, type Described } from './declaration.ts';
import type { AnyRequest, Operation, Perform } from './operation.ts';
import { OperationThreads } from './threads.ts';
import { catalogue } from './testing/catalogue.ts';
import { pathsOf } from './testing/id-places.ts';
import { outsideRecords } from './testing/outside-records.ts';
import { RecordBook } from './testing/record-book.ts';
import { lasting, performerOf, type Outcome, type Sent } from './testing/two-paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'coffer-threads-'));
const closers: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true });
});

let files = 0;

/** A new database, which threads open again. */
const newDatabases = {
  SQLite: () => {
    const path = join(folder, `${(files += 1)}.db`);
    const engine = openSqlite({ path, busyTimeoutMs: 60_000 });
    migrate(engine);
    const database: DatabaseConfig = { engine: 'sqlite', path };
    return Promise.resolve({ database, engine });
  },
  PostgreSQL: async () => {
    const url = await newPostgresUrl();
    const wait = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };
    const engine = openPostgres({ url, poolSize: 4, maxWaiting: 100, ...wait });
    const database: DatabaseConfig = { engine: 'postgres', url };
    return { database, engine };
  },
};

const hash = Buffer.alloc(32, 9);

interface Side {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly pool: WorkerPool;
}

async function openSide(name: keyof typeof newDatabases): Promise<Side> {
  const { database, engine } = await newDatabases[name]();
  const pool = openPool({ database, files: null })!;
  closers.push(async () => {
    await pool.close();
    await engine.close();
  });
  const identity = await engine.write(function* () {
    const user = { name: 'Ada', email: 'ada@example.org', bookName: 'Book' };
    const { id: bookId, userId } = yield* createUser({ ...user, primaryCurrency: 'eur' });
    yield* createToken({ userId, bookId, hash, label: null, expiresAt: null });
    return yield* authenticate(hash);
  });
  return { engine, identity: identity!, pool };
}

/** Whether the response depends on nothing but the book: no secret, no session, and nothing that goes on meanwhile. */
function isRepeatable({ kind, declaration }: Described): boolean {
  const { isSecret = false, needsSession = false, tag, id } = declaration;
  const isLasting =
    !['webhooks', 'crypto-synced'].includes(tag) && !/Fetch|Cryptocurrency$/.test(id);
  return kind !== 'open' && !isSecret && !needsSession && isLasting;
}

const repeatable = catalogue.filter(isRepeatable);

/** Two books in which the same is done: in one all in this thread, in the other perhaps in threads. */
class TwoBooks {
  readonly records: RecordBook;
  readonly #startedAt = new Date().toISOString();
  readonly #sides: readonly [Side, Side];
  readonly #plain: (sent: Sent) => Promise<Outcome>;
  readonly #inThreads: (sent: Sent) => Promise<Outcome>;
  readonly #inPlace: (sent: Sent) => Promise<Outcome>;
  /** Says for each request whether threads may do it. */
  usesThreads: () => boolean = () => true;
  compared = 0;
  /** Names the run in messages. */
  run = 'the catalogue';

  constructor(one: Side, other: Side) {
    this.#sides = [one, other];
    this.#plain = performerOf(one.engine, one.identity, null);
    this.#inThreads = performerOf(other.engine, other.identity, other.pool);
    this.#inPlace = performerOf(other.engine, other.identity, null);
    const origin = 'http://localhost:8080';
    const [first, second] = [one, other].map(({ engine, identity }) =>
      outsideRecords(
        engine,
        { bookId: identity.book.id, userId: identity.user.id },
        origin,
        () => `Synced ${this.compared}`,
      ),
    );
    const both = async (kind: 'plaid' | 'crypto') => {
      const [id] = [await first![kind](), await second![kind]()];
      return id;
    };
    const outside = { ...first!, plaid: () => both('plaid'), crypto: () => both('crypto') };
    this.records = new RecordBook(async (request) => (await this.send({ request })).body, outside);
  }

  get threads(): number {
    return this.#sides[1].pool.counts.threads;
  }

  /** Sends a request to both, and compares what they return. */
  async send(sent: Sent): Promise<Outcome> {
    const one = await this.#plain(sent);
    const other = await (this.usesThreads() ? this.#inThreads : this.#inPlace)(sent);
    const [left, right] = [one, other].map(({ text }, at) =>
      lasting(text, this.#sides[at]!.identity, this.#startedAt),
    );
    const { id } = sent.request.operation.declaration;
    if (right !== left) assert.equal(right, left, `${id}, request ${this.compared} of ${this.run}`);
    this.compared += 1;
    return one;
  }
}

/** A record that a request needs may not exist any more. */
function nullIfRefused(error: unknown): null {
  if (error instanceof assert.AssertionError) throw error;
  return null;
}

for (const { name, skip } of engines) {
  if (name === 'PostgreSQL' && !isLong) continue;
  describe(`operations in threads on ${name}`, { skip }, () => {
    let books: TwoBooks;
    before(async () => {
      books = new TwoBooks(await openSide(name), await openSide(name));
    });

    it('returns the same bytes for every request of the catalogue', async () => {
      const unbounded = repeatable.filter(({ declaration }) => declaration.size !== undefined);
      assert.ok(unbounded.length > 20);
      for (const operation of unbounded) {
        const { id, bodyExamples = {} } = operation.declaration;
        const examples = Object.keys(bodyExamples);
        const choices = examples.length === 0 ? [{}] : examples.map((example) => ({ example }));
        for (const path of pathsOf(operation))
          for (const choice of choices) {
            const request = await books.records.request(id, { path, ...choice });
            const idempotencyKey = `${id} ${path} ${JSON.stringify(choice)}`;
            const key = acceptsKey(operation) ? { idempotencyKey } : {};
            await books.send({ request, ...key });
            // Again: it was removed, undone, or has a key.
            await books.send({ request, ...key });
          }
      }
      assert.ok(books.threads > 0);
    });

    // Parts, because a run is ended when no test begins for two minutes.
    for (let part = 1; part <= 10; part += 1)
      it(`returns the same for any mixture, half of it in threads: part ${part}`, async () => {
        const steps = fc.record({ of: fc.nat(repeatable.length - 1), again: fc.boolean() });
        const seed = Math.floor(Math.random() * 2 ** 31);
        const all = fc.sample(steps, { numRuns: runs(500), seed });
        const random = fc.sample(fc.boolean(), { numRuns: 5000, seed });
        books.run = `the seed ${seed}`;
        books.usesThreads = () => random[books.compared % random.length]!;
        let sent = 0;
        for (const { of, again } of all) {
          const operation = repeatable[of]!;
          const { id } = operation.declaration;
          const request = await books.records.request(id).catch(nullIfRefused);
          if (request === null) continue;
          sent += 1;
          const key = acceptsKey(operation) ? { idempotencyKey: `mixed ${books.compared}` } : {};
          await books.send({ request, ...key });
          if (again) await books.send({ request, ...key });
        }
        assert.ok(sent > all.length / 2, `${sent} of ${all.length}`);
      });

    it('ends with the same book', async () => {
      const exported = await books.records.request('exportBook');
      for (const format of ['csv', 'ndjson'])
        await books.send({ request: { ...exported, query: { format } } });
    });
  });
}

describe('the death of a thread in the middle of a write', () => {
  let side: Side;
  let worker: Worker;
  before(async () => {
    process.once('worker', (started: Worker) => (worker = started));
    side = await openSide('SQLite');
  });

  /** Resolves when another connection is in the middle of a write. */
  const isWriting = async (): Promise<void> => {
    for (;;)
      try {
        await side.engine.write(context, { waitMs: 0 });
      } catch (error) {
        if (isDatabaseError(error, 'busy')) return;
        throw error;
      }
  };

  it('stores nothing of it, and the same request succeeds in a new one', async () => {
    const { engine, identity, pool } = side;
    const entries = Array.from({ length: 3000 }, (_, at) => ({
      line: at + 1,
      date: '2026-01-05',
      amount: -at - 1,
      currency: null,
      payee: `Shop ${at}`,
      notes: null,
      category: null,
      account: 'Cash',
      externalId: null,
    }));
    await importEntries(engine, identity.book.id, {
      entries: () => entries,
      defaultAccount: null,
      dryRun: false,
    });
    const send = performerOf(engine, identity, pool);
    const requestOf = (id: string, more: object) => {
      const operation = catalogue.find(({ declaration }) => declaration.id === id)!;
      const path = operation.declaration.path;
      return { request: { operation, path, params: {}, query: {}, ...more } };
    };
    const accounts = (await send(requestOf('getAllManualAccounts', {}))).body as {
      manual_accounts: { id: number }[];
    };
    const [{ id } = { id: 0 }] = accounts.manual_accounts;
    const removal = requestOf('deleteManualAccount', {
      params: { id },
      query: { delete_items: 'true' },
    });
    const exported = requestOf('exportBook', { query: { format: 'csv' } });
    const before = await send(exported);
    const removed = send(removal);
    await isWriting();
    await worker.terminate();
    assert.match((await removed).text, /^unavailable /);
    assert.deepEqual(await send(exported), before);
    assert.equal((await send(removal)).text, '204');
    assert.equal((await send(exported)).text.split('\n').length, 3);
  });
});

describe('threads for operations', () => {
  const pool = {
    hasRoom: () => false,
    counts: { threads: 2, running: 2, waiting: 200 },
  } as unknown as WorkerPool;
  const operation = {
    declaration: { id: 'search', size: ({ q }: { q?: string }) => (q ? 'unbounded' : 'bounded') },
    kind: 'read',
    perform: () => Promise.resolve('in place'),
    run: (engine: Engine, request: AnyRequest, perform: Perform) => perform(engine, request),
  } as unknown as Operation;
  /** Performs a request on a book of so many rows and lines. */
  const search = (threads: OperationThreads, size: number, q?: string) => {
    const engine = { readStatement: () => Promise.resolve(size) } as unknown as Engine;
    const request = { bookId: 1, identity: { book: { id: 1, version: 1 } }, query: { q } };
    return threads.wrap(operation).run(engine, request as unknown as AnyRequest);
  };

  it('do nothing for small books and bounded requests', async () => {
    const threads = new OperationThreads(pool, () => undefined);
    assert.equal(await search(threads, 2000, 'a'), 'in place');
    assert.equal(await search(new OperationThreads(pool, () => undefined), 2001), 'in place');
    assert.equal(threads.counts.refused, 0);
  });

  it('refuse what has no room to wait', async () => {
    const threads = new OperationThreads(pool, () => undefined);
    const refused = { kind: 'unavailable', headers: { 'retry-after': '5' } };
    await assert.rejects(search(threads, 2001, 'a'), refused);
    assert.deepEqual(threads.counts, { threads: 2, running: 2, waiting: 200, refused: 1 });
  });
});
