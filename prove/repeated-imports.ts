import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '../packages/server/src/main.ts';
import { batchOf, payeeOf } from './batches.ts';
import { Ledger, type Losses } from './ledger.ts';

const nowIso = '2026-01-01T00:00:00.000Z';
const rowCount = 20;
const pauseMs = 20;

type Plan = Parameters<Store['importEntries']>[1];
type Entry = ReturnType<Plan['entries']> extends Iterable<infer Each> ? Each : never;

/** Imports that are sent again, as they were, until they are acknowledged: what is there must not come twice. */
export class RepeatedImports {
  readonly #store: Store;
  readonly #bookId: number;
  readonly #ledger = new Ledger();
  readonly #problems: string[] = [];
  repetitions = 0;
  slowestMs = 0;
  #isOver = false;

  constructor(store: Store, bookId: number) {
    this.#store = store;
    this.#bookId = bookId;
  }

  get acknowledged(): number {
    return this.#ledger.acknowledged;
  }

  /** What an import threw besides that the database is busy or out of reach. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Imports one batch after the other until {@link end}. */
  async work(): Promise<void> {
    while (!this.#isOver) {
      const batch = this.#ledger.send(rowCount);
      while (!(await this.#isStored(batch))) {
        this.repetitions += 1;
        await wait(pauseMs);
      }
      this.#ledger.acknowledge(batch);
      await wait(pauseMs);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  /** Holds what the book has against what was acknowledged. */
  async compare(): Promise<Losses> {
    const { transactions } = await this.#store.exportBook(this.#bookId);
    const found = new Map<number, number>();
    for await (const { payee } of transactions) {
      const batch = batchOf(payee);
      if (batch !== undefined) found.set(batch, (found.get(batch) ?? 0) + 1);
    }
    return this.#ledger.compare(found);
  }

  async #isStored(batch: number): Promise<boolean> {
    const beganAtMs = performance.now();
    try {
      await this.#store.importEntries(this.#bookId, {
        entries: () => entriesOf(batch),
        defaultAccount: 'Bank',
        nowIso,
        dryRun: false,
      });
      return true;
    } catch (error) {
      const { name, message } = error as Error;
      if (!/^Store(Busy|Unavailable)Error$/.test(name))
        this.#problems.push(`an import failed by ${name}: ${message}`);
      return false;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - beganAtMs);
    }
  }
}

/** In months of its own, so that what is there already is read in a moment. */
function* entriesOf(batch: number): Generator<Entry> {
  const year = String(1000 + (batch % 9000));
  for (let line = 1; line <= rowCount; line += 1) {
    yield {
      line,
      date: `${year}-${String(1 + (line % 3)).padStart(2, '0')}-15`,
      amount: -10_000 * line,
      currency: null,
      payee: payeeOf(batch),
      notes: null,
      category: null,
      account: null,
      externalId: null,
    };
  }
}
