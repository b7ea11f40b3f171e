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

/** The repeated task of a writer. */
type Task = (random: Random) => Promise<void>;

/** Returns the date of the n-th day with rows, 0 to 11. */
export function dayOf(n: number): string {
  return `2024-${n % 2 === 0 ? '02' : '03'}-${String(1 + n).padStart(2, '0')}`;
}

/**
 * Twenty writers: fourteen import batches into the book that is read, two do so and roll back, one is refused at its
 * last row, two import into another book, and one changes the book without changing its rows.
 */
export class SnapshotWriters {
  readonly #store: Engine;
  readonly #bookId: number;
  readonly #otherBookId: number;
  readonly #acknowledged: WrittenBatch[] = [];
  #lastBatch = 0;
  #pagesRead = 0;
  #isOver = false;

  constructor(store: Engine, bookId: number, otherBookId: number) {
    this.#store = store;
    this.#bookId = bookId;
    this.#otherBookId = otherBookId;
  }

  /** Every acknowledged import, with its start and its acknowledgement. */
  get acknowledged(): readonly WrittenBatch[] {
    return this.#acknowledged;
  }

  /** Creates the accounts and categories, which filter the lists. */
  async begin(): Promise<void> {
    const random = randomFrom(0);
    for (let n = 0; n < accounts.length * categories.length; n += 1) await this.#import(random);
  }

  /** Writes until {@link end}. Rejects when a valid write fails or an invalid one succeeds. */
  async work(): Promise<void> {
    const tasks: Task[] = [
      ...Array.from({ length: 14 }, () => (random: Random) => this.#import(random)),
      ...Array.from({ length: 2 }, () => (random: Random) => this.#takeBack(random)),
      (random) => this.#beRefused(random),
      ...Array.from({ length: 2 }, () => (random: Random) => this.#importElsewhere(random)),
      () => this.#changeVersion(),
    ];
    await Promise.all(tasks.map((task, n) => this.#repeat(task, randomFrom(n + 1))));
  }

  end(): void {
    this.#isOver = true;
  }

  /** To be called after each page. */
  notePage(): void {
    this.#pagesRead += 1;
  }

  async #repeat(task: Task, random: Random): Promise<void> {
    while (!this.#isOver) {
      await task(random);
      await this.#pause(integerFrom(random, 1, mostPagesBetween));
    }
  }

  /** Waits until so many more pages have been read, at most a second. */
  async #pause(pages: number): Promise<void> {
    const enough = this.#pagesRead + pages;
    const deadlineMs = performance.now() + longestPauseMs;
    while (!this.#isOver && this.#pagesRead < enough && performance.now() < deadlineMs)
      await wait(pollMs);
  }

  async #import(random: Random): Promise<void> {
    this.#lastBatch += 1;
    const batch = this.#lastBatch;
    const entries = entriesOf(payeeOf(batch), random);
    const beganAtMs = performance.now();
    await importInto(this.#store, this.#bookId, entries);
    const acknowledgedAtMs = performance.now();
    this.#acknowledged.push({ batch, rowCount: entries.length, beganAtMs, acknowledgedAtMs });
  }

  async #takeBack(random: Random): Promise<void> {
    const entries = entriesOf('Taken back', random);
    await importInto(this.#store, this.#bookId, entries, { dryRun: true });
  }

  async #beRefused(random: Random): Promise<void> {
    const entries = entriesOf('Refused', random);
    entries.push({ ...entries[0]!, line: entries.length + 1, currency: 'qqq' });
    const outcome = await importInto(this.#store, this.#bookId, entries).catch(
      (error: unknown) => error,
    );
    if (!(outcome instanceof Error) || outcome.name !== 'ImportRefusedError')
      throw new Error('An import with an unknown currency was not refused', { cause: outcome });
  }

  async #importElsewhere(random: Random): Promise<void> {
    await importInto(this.#store, this.#otherBookId, entriesOf('Elsewhere', random));
  }

  async #changeVersion(): Promise<void> {
    const account = { provider: 'kraken', displayName: null } as const;
    const sealedCredentials = new Uint8Array(1);
    const whole = { ...account, sealedCredentials };
    const id = await linkCryptoAccount(this.#store, this.#bookId, whole);
    await unlinkCryptoAccount(this.#store, this.#bookId, id);
  }
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
