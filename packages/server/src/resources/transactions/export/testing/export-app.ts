import type { FastifyInstance } from 'fastify';
import { changing } from '../../../../changes/changing.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { Emit, Engine, Step, Steps, WriteOptions } from '../../../../db/engine.ts';
import { fillDemo } from '../../../../demo/fill.ts';
import { makeDemoBook } from '../../../../demo/make-demo-book.ts';
import { createApp } from '../../../../http/app.ts';
import { testServices } from '../../../../http/testing/test-app.ts';
import type { TestUser } from '../../../../http/testing/test-app.ts';
import { parseTrustedProxies } from '../../../../limiter/address/client-address.ts';
import { createMemoryLimiter } from '../../../../limiter/memory.ts';
import { ManualClock } from '../../../../limiter/testing/manual-clock.ts';
import { authenticate, createToken, createUser } from '../../../users/actions.ts';
import { newToken } from '../../../users/token.ts';
import { BulkRows } from '../../actions.ts';

/** The batches in which an export reads the long book, of a thousand transactions each. */
export const batches = 10;
/** So that the book does not fit into the buffers between a server and a client. */
const notes = 'A long note. '.repeat(300);

/** Called before an export reads a batch, with its number from 0. */
type BeforeBatch = (batch: number) => Promise<unknown>;

/** An engine whose exports a test follows. */
export class FollowedEngine implements Engine {
  readonly #engine: Engine;
  #before: BeforeBatch = () => Promise.resolve();
  #isBetween = false;
  #reads = 0;
  /** Transactions that are open. */
  open = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Follows the next export; what `before` itself reads is not counted. */
  follow(before: BeforeBatch = () => Promise.resolve()): void {
    this.#before = before;
    this.#reads = 0;
  }

  /** The batches that the followed export has read, or is about to read. */
  get batches(): number {
    return Math.max(0, this.#reads - 1);
  }

  get dialect(): Dialect {
    return this.#engine.dialect;
  }

  get canWrite(): boolean {
    return this.#engine.canWrite;
  }

  async read<T>(steps: () => Steps<T>): Promise<T> {
    if (!this.#isBetween) {
      this.#reads += 1;
      this.#isBetween = true;
      try {
        if (this.#reads > 1) await this.#before(this.batches - 1);
      } finally {
        this.#isBetween = false;
      }
    }
    return this.#counted(this.#engine.read(steps));
  }

  readStatement<T>(steps: () => Steps<T>): Promise<T> {
    return this.#engine.readStatement(steps);
  }

  write<T>(steps: () => Steps<T>, options?: WriteOptions): Promise<T> {
    return this.#engine.write(steps, options);
  }

  async *stream<T>(
    steps: () => Generator<Step | Emit<T>, void, unknown>,
  ): AsyncGenerator<T, void, undefined> {
    this.open += 1;
    try {
      yield* this.#engine.stream(steps);
    } finally {
      this.open -= 1;
    }
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.open += 1;
    try {
      return await work;
    } finally {
      this.open -= 1;
    }
  }
}

/** A service with books to export. */
export interface ExportApp {
  readonly app: FastifyInstance;
  readonly engine: FollowedEngine;
  readonly log: readonly string[];
  /** Has accounts, categories, tags, splits, groups and pending transactions. */
  readonly demo: TestUser;
  /** Has a thousand transactions with long texts for each of {@link batches}. */
  readonly long: TestUser;
  /** The ids of those transactions. */
  readonly ids: readonly number[];
  /** The name of the book is not the name of a file. */
  readonly empty: TestUser;
}

/** Creates a service. The caller closes `app`. */
export async function makeExportApp(opened: Engine): Promise<ExportApp> {
  const engine = new FollowedEngine(opened);
  const demo = await addUser(engine, 'demo', "demo's book");
  await fillDemo(engine, demo.identity.book.id, makeDemoBook({ transactions: 2500 }));
  const long = await addUser(engine, 'long', 'of another book');
  const ids = await engine.write(() =>
    changing(causeOf(long), (change) => fillLong(new BulkRows(change))),
  );
  const empty = await addUser(engine, 'empty', '../ż\r\n"é"\u202e;.csv\u0007/..');
  const log: string[] = [];
  const clock = new ManualClock();
  const rateLimit = { limit: 1_000_000, windowMs: 60_000 };
  const app = createApp({
    engine,
    services: testServices(() => clock.wallMs()),
    limiter: createMemoryLimiter({ rateLimit, clock }),
    cofferLimiter: createMemoryLimiter({ rateLimit, clock }),
    trustedProxies: parseTrustedProxies(''),
    logLevel: 'debug',
    logStream: { write: (line) => void log.push(line) },
    limits: { closeNoticeMs: 0 },
  });
  return { app, engine, log, demo, long, ids, empty };
}

function causeOf({ identity }: TestUser) {
  return { bookId: identity.book.id, actor: 'test', operation: 'fill' };
}

async function addUser(engine: Engine, name: string, bookName: string): Promise<TestUser> {
  const { text, hash } = newToken();
  const identity = await engine.write(function* () {
    const user = { name, email: `${name}@example.org`, bookName, primaryCurrency: 'eur' };
    const { id: bookId, userId } = yield* createUser(user);
    yield* createToken({ userId, bookId, hash, label: null, expiresAt: null });
    return yield* authenticate(hash);
  });
  return { token: text, identity: identity! };
}

function* fillLong(rows: BulkRows): Steps<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < batches * 1000; at += 1) {
    const id = yield* rows.nextId();
    ids.push(id);
    rows.add({
      ...{ id, date: '2024-01-31', amount: 12_300, to_base: 12_300, currency: 'eur' },
      ...{ payee: 'of another book', notes, status: 'reviewed', source: 'api' },
    });
  }
  yield* rows.flush();
  return ids;
}
