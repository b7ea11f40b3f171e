import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { firstCopy, type Mirror, type Records } from '../../packages/client/examples/mirror.ts';
import { createClient } from '../../packages/client/src/index.ts';
import { positionAfter, readChanges } from '../../packages/server/src/changes/feed.ts';
import { blocksOf } from '../../packages/server/src/db/blocks.ts';
import { select } from '../../packages/server/src/db/rows.ts';
import { recordForms } from '../../packages/server/src/resources/changes/forms.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { addOwner, useStore, type Owner } from '../../test/service/owners.ts';
import { joined, named, type Check } from '../run/check.ts';
import { onEachEngine, type EngineName } from '../run/engines.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { startPolling, startStreams, type FeedReader } from './feed-readers.ts';
import { startKilledNodes, type KilledNodes } from './killed-nodes.ts';
import { startRandomWriter, type RandomWriter } from './random-writer.ts';

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
    for (const { table, read } of recordForms) {
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
