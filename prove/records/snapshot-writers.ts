import { setTimeout as wait } from 'node:timers/promises';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import {
  linkCryptoAccount,
  unlinkCryptoAccount,
  type Engine,
} from '../../packages/server/src/main.ts';
import { entryOf, importInto, payeeOf } from '../run/ledger.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import type { WrittenBatch } from './snapshot-history.ts';

const mostRows = 9;
/** Writers wait for readers, so that both progress on any machine. */
const mostPagesBetween = 40;
const longestPauseMs = 1000;
const pollMs = 2;
/** Few, so that every page has rows of many imports. */
const days = 12;
const accounts = ['Cash', 'Bank'];
const categories = ['Food', 'Rent', 'Fun'];

type Task = (random: Random) => Promise<void>;

export function dayOf(n: number): string {
  return `2024-${n % 2 === 0 ? '02' : '03'}-${String(1 + n).padStart(2, '0')}`;
}

export interface SnapshotWriters {
  readonly acknowledged: readonly WrittenBatch[];
  /** Writes until {@link end}. Rejects when a valid write fails or an invalid one succeeds. */
  work(): Promise<void>;
  end(): void;
  notePage(): void;
}

/**
 * Twenty writers: fourteen import batches into the book that is read, two do so and roll back, one is refused at its
 * last row, two import into another book, and one changes the book without changing its rows. First they create the
 * accounts and categories, which filter the lists.
 */
export async function makeSnapshotWriters(
  store: Engine,
  bookId: number,
  otherBookId: number,
): Promise<SnapshotWriters> {
  const acknowledged: WrittenBatch[] = [];
  let [lastBatch, pagesRead] = [0, 0];
  const over = new AbortController();
  const importOne: Task = async (random) => {
    lastBatch += 1;
    const batch = lastBatch;
    const entries = entriesOf(payeeOf(batch), random);
    const beganAtMs = performance.now();
    await importInto(store, bookId, entries);
    const acknowledgedAtMs = performance.now();
    acknowledged.push({ batch, rowCount: entries.length, beganAtMs, acknowledgedAtMs });
  };
  const takeBack: Task = async (random) => {
    await importInto(store, bookId, entriesOf('Taken back', random), { dryRun: true });
  };
  const beRefused: Task = async (random) => {
    const entries = entriesOf('Refused', random);
    entries.push({ ...entries[0]!, line: entries.length + 1, currency: 'qqq' });
    const outcome = await importInto(store, bookId, entries).catch((error: unknown) => error);
    if (!(outcome instanceof Error) || outcome.name !== 'ImportRefusedError')
      throw new Error('An import with an unknown currency was not refused', { cause: outcome });
  };
  const importElsewhere: Task = async (random) => {
    await importInto(store, otherBookId, entriesOf('Elsewhere', random));
  };
  const changeVersion: Task = async () => {
    const account = { provider: 'kraken', displayName: null } as const;
    const whole = { ...account, sealedCredentials: new Uint8Array(1) };
    await unlinkCryptoAccount(store, bookId, await linkCryptoAccount(store, bookId, whole));
  };
  /** Waits until so many more pages have been read, at most a second. */
  const pause = async (pages: number): Promise<void> => {
    const enough = pagesRead + pages;
    const deadlineMs = performance.now() + longestPauseMs;
    while (!over.signal.aborted && pagesRead < enough && performance.now() < deadlineMs)
      await wait(pollMs);
  };
  const repeat = async (task: Task, random: Random): Promise<void> => {
    while (!over.signal.aborted) {
      await task(random);
      await pause(integerFrom(random, 1, mostPagesBetween));
    }
  };
  const first = randomFrom(0);
  for (let n = 0; n < accounts.length * categories.length; n += 1) await importOne(first);
  return {
    acknowledged,
    work: async () => {
      const tasks = [
        ...Array.from({ length: 14 }, () => importOne),
        ...[takeBack, takeBack, beRefused, importElsewhere, importElsewhere, changeVersion],
      ];
      await Promise.all(tasks.map((task, n) => repeat(task, randomFrom(n + 1))));
    },
    end: () => over.abort(),
    notePage: () => void (pagesRead += 1),
  };
}

function entriesOf(payee: string, random: Random): ImportEntry[] {
  const pick = <T>(from: readonly T[]): T => from[integerFrom(random, 0, from.length - 1)]!;
  return Array.from({ length: integerFrom(random, 2, mostRows) }, (_, index) =>
    entryOf({
      line: index + 1,
      date: dayOf(integerFrom(random, 0, days - 1)),
      amount: -10_000 * (index + 1),
      payee,
      category: pick(categories),
      account: pick(accounts),
    }),
  );
}
