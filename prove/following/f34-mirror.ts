import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { firstCopy, Mirror, type Records } from '../../packages/client/examples/mirror.ts';
import { createClient, type Fetch, type RecordChange } from '../../packages/client/src/index.ts';
import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { changing, type Change } from '../../packages/server/src/book/change.ts';
import { positionAfter, readChanges } from '../../packages/server/src/history/feed/changes.ts';
import {
  addRecords as addAccounts,
  RandomBook,
} from '../../packages/server/src/history/undo/testing/random-book.ts';
import { stepsArbitrary } from '../../packages/server/src/history/undo/testing/random-writes.ts';
import { bookOf } from '../../packages/server/src/identity/users/actions.ts';
import { undo, UndoConflictError } from '../../packages/server/src/book/undo.ts';
import { blocksOf } from '../../packages/server/src/db/blocks.ts';
import type { Steps, Engine } from '../../packages/server/src/db/engine.ts';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { select, find } from '../../packages/server/src/db/rows.ts';
import { books } from '../../packages/server/src/db/tables/tables.ts';
import type { GoodRequest } from '../../packages/server/src/operations/testing/special-requests.ts';
import { catalogue, targetOf } from '../../packages/server/src/operations/testing/catalogue.ts';
import { outsideRecords } from '../../packages/server/src/operations/testing/outside-records.ts';
import { RecordBook } from '../../packages/server/src/operations/testing/record-book.ts';
import { ask, askJson } from '../../test/service/ask.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';
import { joined, named, type Check } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { records } from '../../packages/server/src/history/records.ts';

const seed = 34;
const changesPerKill = 250;
const catchUpMs = 60_000;

/**
 * Follows a book that changes at random, by long polls and by a stream, while connections break and nodes are killed.
 * `rounds` is the number of changes on each engine.
 */
export const check: Check = {
  id: 'F34',
  needs: ['postgres'],
  rounds: { short: 200, full: 10_000 },
  run: async (rounds) =>
    joined(
      await onEachEngine((engine, database) =>
        useStore(database, (store) => mirrorBook(engine, database, store, rounds)),
      ),
    ),
};

type KilledNodes = Awaited<ReturnType<typeof startKilledNodes>>;
type RandomWriter = Awaited<ReturnType<typeof startRandomWriter>>;

async function mirrorBook(engine: EngineName, database: string, store: Engine, rounds: number) {
  const random = randomFrom(seed);
  const owner = await addOwner(store, 'owner');
  const nodes = await startKilledNodes(database, engine === 'SQLite' ? 1 : 2, random);
  const readers = [
    startPolling(nodes, owner, randomFrom(seed + 1)),
    startStreams(nodes, owner, randomFrom(seed + 2)),
  ];
  try {
    const writer = await startRandomWriter(store, nodes, owner, random);
    await changeWithKills(writer, nodes, random, rounds);
    const problems = await problemsOf(store, nodes, owner, readers);
    return { figure: figureOf(engine, await writer.version(), nodes, readers), problems };
  } finally {
    await Promise.all(readers.map((reader) => reader.stop()));
    await nodes.stop();
  }
}

/** Kills a node during each part of the changes, and starts it again during the next part. */
async function changeWithKills(
  writer: RandomWriter,
  nodes: KilledNodes,
  random: Random,
  rounds: number,
): Promise<void> {
  const kills = Math.max(2, Math.round(rounds / changesPerKill));
  for (let kill = 1; kill <= kills; kill += 1) {
    const until = Math.round((rounds * kill) / kills);
    const killAt = integerFrom(random, await writer.version(), until);
    await writer.writeUntil(Math.min(killAt, until));
    const killed = nodes.killOne();
    await writer.writeUntil(until);
    await killed;
  }
}

function figureOf(
  engine: EngineName,
  changes: number,
  { kills }: KilledNodes,
  readers: readonly FeedReader[],
): string {
  const found = readers.map(({ name, received, reconnects }) => {
    return `${received} records by ${name} with ${reconnects} reconnects`;
  });
  return `${engine}: ${changes} changes, ${kills} kills, ${found.join(', ')}, copies equal`;
}

async function problemsOf(
  store: Engine,
  nodes: KilledNodes,
  owner: Owner,
  readers: readonly FeedReader[],
): Promise<string[]> {
  const client = createClient({ baseUrl: nodes.url(), token: owner.token });
  const { position } = await client.coffer.changes({ after: 'latest' });
  const problems: string[] = [];
  const deadlineMs = performance.now() + catchUpMs;
  for (const { name, mirror } of readers) {
    while (mirror.position !== position && performance.now() < deadlineMs) await sleep(20);
    if (mirror.position !== position)
      problems.push(`${name} is at ${mirror.position}, not ${position}`);
  }
  const whole = await store.read(() => readChanges(owner.bookId, positionAfter(0), 10_000_000));
  const present = await presentRecords(store, owner.bookId);
  const listed = (await firstCopy(client)).records;
  for (const { name, mirror, received, problems: own } of readers) {
    problems.push(...named(name, own));
    if (received !== whole.changes.length)
      problems.push(`${name} received ${received} of ${whole.changes.length} changes`);
    problems.push(...differences(name, mirror, present), ...differences(name, mirror, listed));
  }
  return problems;
}

function differences(
  name: string,
  { records }: Mirror,
  expected: Readonly<Record<string, Records>>,
): string[] {
  return Object.entries(expected).flatMap(([kind, own]) => {
    const copy = records[kind] ?? {};
    const keys = [...new Set([...Object.keys(own), ...Object.keys(copy)])];
    const wrong = keys.filter(
      (key) => !isDeepStrictEqual(bare(kind, copy[key]), bare(kind, own[key])),
    );
    if (wrong.length === 0) return [];
    const [key] = wrong;
    const shown = [copy[key!], own[key!]].map((each) => JSON.stringify(each)).join(' instead of ');
    return [`${name} has ${wrong.length} wrong ${kind}, such as ${key}: ${shown}`];
  });
}

/** The random changes write balances without their account, which no operation does. */
function bare(kind: string, record: unknown): unknown {
  if (kind !== 'crypto_synced_accounts' || record === undefined) return record;
  return { ...(record as object), balances: null };
}

function presentRecords(store: Engine, bookId: number): Promise<Readonly<Record<string, Records>>> {
  return store.read(function* () {
    const all: Record<string, Records> = {};
    for (const { table, read } of records.filter((kind) => !kind.table.isInternal)) {
      const rows = yield* select(table, { book_id: bookId });
      const ids = rows.map((row) => (row as Record<string, unknown>)[table.key[0]!] as number);
      const own: Record<string, unknown> = {};
      for (const block of blocksOf([...new Set(ids)]))
        for (const { key, json } of yield* read(bookId, block)) own[key] = JSON.parse(json);
      all[table.name] = own;
    }
    return all;
  });
}

/** The share of requests whose connection breaks, before or after the server has sent the response. */
const brokenShare = 0.05;
const mostEventsOfStream = 300;

class FeedReader {
  readonly name: string;
  readonly mirror = new Mirror('0');
  readonly problems: string[] = [];
  received = 0;
  reconnects = 0;
  readonly #stopped = new AbortController();
  #version = 0;
  #work: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  start(follow: (reader: FeedReader) => Promise<void>): void {
    this.#work = follow(this).catch((error: unknown) => {
      if (!this.signal.aborted) this.problems.push(String(error));
    });
  }

  apply(changes: readonly RecordChange[], position: string): void {
    for (const { version } of changes) {
      if (version < this.#version) this.problems.push(`${version} comes after ${this.#version}`);
      this.#version = version;
    }
    this.received += changes.length;
    this.mirror.apply({ changes: [...changes], position });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#work;
  }
}

/** Follows a book by the client library and its long polls. Some requests or responses are lost. */
function startPolling(nodes: KilledNodes, { token }: Owner, random: Random): FeedReader {
  const broken = (): TypeError => new TypeError('The connection broke');
  const send: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url);
    const fate = random();
    if (fate < brokenShare) throw broken();
    const response = await fetch(nodes.url(random) + pathname + search, init);
    const text = await response.text();
    if (fate > 1 - brokenShare) throw broken();
    return new Response(text, { status: response.status, headers: response.headers });
  };
  // Short rests after failures.
  const clock = {
    nowMs: () => performance.now(),
    random: () => random() / 50,
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const reader = new FeedReader('long polls');
  const onRetry = (): void => void (reader.reconnects += 1);
  const options = { token, fetch: send, clock, onRetry, maxAttempts: 3 };
  const client = createClient({ baseUrl: 'http://any-node', ...options });
  reader.start(async ({ signal }) => {
    for await (const page of client.changes({ limit: 37, signal }))
      reader.apply(page.changes, page.position);
  });
  return reader;
}

/** Follows a book by streams of events, and leaves each after some events. */
function startStreams(nodes: KilledNodes, { token }: Owner, random: Random): FeedReader {
  const reader = new FeedReader('streams');
  const readStream = async (most: number): Promise<void> => {
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, reader.signal]);
    const { position } = reader.mirror;
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(position !== '0' && { 'last-event-id': position }),
    };
    const url = `${nodes.url(random)}/coffer/changes?limit=50`;
    const response = await fetch(url, { headers, signal });
    if (response.status >= 400 && response.status !== 503)
      reader.problems.push(`a stream was refused with ${response.status}`);
    if (response.status !== 200 || response.body === null) return;
    try {
      let rest = '';
      let events = 0;
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          take(block);
          if ((events += 1) === most) return;
        }
      }
    } finally {
      left.abort();
    }
  };
  const take = (block: string): void => {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [id, data] = [field('id'), field('data')];
    if (id === undefined) return;
    reader.apply(data === undefined ? [] : [JSON.parse(data) as RecordChange], id);
  };
  reader.start(async ({ signal }) => {
    while (!signal.aborted) {
      await readStream(integerFrom(random, 1, mostEventsOfStream)).catch(() => undefined);
      reader.reconnects += 1;
      await sleep(integerFrom(random, 0, 20));
    }
  });
  return reader;
}

const mostVersionsBack = 20;
const httpShare = 0.4;
const undoShare = 0.15;

/** Writes that need neither a session, nor a file, nor a provider. */
const writes = catalogue.filter(
  ({ method, declaration: { path } }) =>
    method !== 'GET' &&
    !/session|password|passkey|token|import|attach|webhook|connection|book$|fetch|refresh/.test(
      path,
    ),
);

/**
 * Starts to change a book at random: by requests to the nodes, by changes of any table in this process, which is one
 * more node, and by undoing earlier changes.
 */
async function startRandomWriter(store: Engine, nodes: KilledNodes, owner: Owner, random: Random) {
  const { bookId, token } = owner;
  const integer = (least: number, most: number): number => integerFrom(random, least, most);
  /** A change that meets a lock of another process is left out. */
  const change = async (work: (change: Change) => Steps<unknown>, undoes?: number) => {
    const cause = { bookId, actor: 'command', operation: 'prove' };
    const whole = undoes === undefined ? cause : { ...cause, undoes };
    await store.write(() => changing(whole, work)).catch(unlessBusy);
  };
  const unlessBusy = (error: unknown): void => {
    if (!isDatabaseError(error, 'busy')) throw error;
  };
  const version = async (): Promise<number> =>
    (await store.read(() => find(books, { id: bookId })))!.version;
  const write = async (): Promise<void> => {
    const book = new RandomBook(store, await store.readStatement(() => bookOf(bookId)));
    const [steps] = fc.sample(stepsArbitrary(3), { numRuns: 1, seed: integer(1, 2 ** 30) });
    for (const step of steps!.filter((each) => typeof each !== 'number'))
      await book.perform(step, await book.state()).catch(unlessBusy);
  };
  const undoOne = async (): Promise<void> => {
    const last = await version();
    const undone = integer(Math.max(2, last - mostVersionsBack), last);
    await change((each) => undo(each, undone), undone).catch((error: unknown) => {
      if (!(error instanceof UndoConflictError)) throw error;
    });
  };
  const send = async (made: GoodRequest): Promise<unknown> => {
    const { method } = made.operation;
    const url = nodes.url() + targetOf(made);
    const { status, text } =
      made.body === undefined
        ? await ask(url, { method, token })
        : await askJson(url, method, token, made.body);
    if (status >= 300) throw new Error(text);
    return text === '' ? undefined : JSON.parse(text);
  };
  /** A request to a node that is dead fails. */
  const request = async (): Promise<void> => {
    const { id } = writes[integer(0, writes.length - 1)]!.declaration;
    const book = new RecordBook(send, outsideRecords(store, owner, nodes.url()));
    await book.perform(id).catch(() => undefined);
  };
  await change(addAccounts);
  return {
    version,
    writeUntil: async (wanted: number) => {
      while ((await version()) < wanted) {
        const fate = random();
        await (fate < httpShare ? request() : fate < httpShare + undoShare ? undoOne() : write());
      }
    },
  };
}

const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

async function startKilledNodes(database: string, count: number, ownRandom: Random) {
  const start = (): Promise<ServerProcess> => startServer({ database, flags });
  const nodes = await startTogether<ServerProcess[]>(...Array.from({ length: count }, start));
  const all = {
    kills: 0,
    /** The address of any node. It may be dead. */
    url: (random = ownRandom): string => nodes[integerFrom(random, 0, nodes.length - 1)]!.url,
    killOne: async (): Promise<void> => {
      const index = all.kills % nodes.length;
      all.kills += 1;
      await nodes[index]!.stop();
      nodes[index] = await start();
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
  return all;
}
