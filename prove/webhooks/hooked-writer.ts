/*
 * A node that changes a book and serves its webhooks: `node prove/webhooks/hooked-writer.ts ORDER`, with a NodeOrder as
 * JSON. Runs until it is killed. Its times are short, so that failures and deaths of nodes take little time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { changing, type Change } from '../../packages/server/src/book/change.ts';
import { select } from '../../packages/server/src/db/rows.ts';
import type { Steps } from '../../packages/server/src/db/engine.ts';
import { tags } from '../../packages/server/src/db/tables/tables.ts';
import { startWebhooks } from '../../packages/server/src/webhooks/dispatcher.ts';
import { openDatabase } from '../../packages/server/src/database.ts';
import { parseDatabase } from '../../packages/server/src/config.ts';
import { createWebhookSender } from '../../packages/server/src/webhooks/webhook-sender.ts';
import { releaseWebhooks } from '../../packages/server/src/webhooks/stored.ts';
import { noWebhookCounts, retryTiming } from '../../packages/server/src/webhooks/rules.ts';
import { databaseUrl } from '../../test/service/owners.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';

export interface NodeOrder {
  readonly database: string;
  readonly bookId: number;
  readonly seed: number;
  /** It changes the book up to this version. */
  readonly versions: number;
}

export const sealingKey = Buffer.alloc(32, 7);

if (import.meta.main) await serveAndChange(JSON.parse(process.argv[2]!) as NodeOrder);

async function serveAndChange({ database, bookId, seed, versions }: NodeOrder): Promise<void> {
  const engine = await openDatabase(parseDatabase(databaseUrl(database)));
  // As a server does at its start, for a file.
  if (!database.startsWith('postgres')) await engine.write(releaseWebhooks);
  const ignore = (): void => undefined;
  const sender = createWebhookSender({
    encryptionKey: sealingKey,
    privateTargets: { areAllowed: true, allows: (address) => address === '127.0.0.1' },
    timeoutMs: 150,
  });
  startWebhooks({
    engine,
    sender,
    counts: noWebhookCounts(),
    log: { info: ignore, warn: console.error, error: console.error },
    timing: {
      pollMs: 20,
      leaseMs: 3000,
      sliceMs: 500,
      mostAtOnce: 4,
      retry: { ...retryTiming, firstMs: 4, mostMs: 30 },
    },
  });
  console.log('started');

  const random = randomFrom(seed);
  while (await engine.write(() => changeUpTo(versions, bookId, random)))
    await wait(integerFrom(random, 0, 10));
  await wait(2 ** 31 - 1);
}

/**
 * Changes the book unless it has its last version. Returns whether it did. It decides while it holds the book's lock:
 * otherwise another node could write the last version meanwhile, and this one a further version, which nobody expects.
 */
function* changeUpTo(versions: number, bookId: number, random: Random): Steps<boolean> {
  return yield* changing({ bookId, actor: 'command', operation: 'prove' }, function* (change) {
    if (change.version > versions) return false;
    yield* changeTags(change, random);
    return true;
  });
}

/** Inserts, changes or removes some tags. Few changes are larger than an event. */
function* changeTags(change: Change, random: Random): Steps<void> {
  const all = yield* select(tags, { book_id: change.bookId }, { limit: 30 });
  const size = integerFrom(random, 1, 40) === 1 ? 250 : integerFrom(random, 1, 10);
  for (let n = 0; n < size; n += 1) {
    const name = `${process.pid} ${random()}`;
    const tag = all[n];
    if (tag === undefined || random() < 0.5) yield* change.insert(tags, { name });
    else if (random() < 0.5) yield* change.update(tags, tag, { name });
    else yield* change.remove(tags, tag);
  }
}
