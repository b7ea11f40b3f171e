import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { exportBook, type Engine } from '../../packages/server/src/main.ts';
import { batchOf, entryOf, importInto, Ledger, payeeOf, type Losses } from '../run/ledger.ts';

const rowCount = 20;
const pauseMs = 20;

/** Repeats each import until it is acknowledged; its rows must be stored only once. */
export class RepeatedImports {
  readonly #store: Engine;
  readonly #bookId: number;
  readonly #ledger = new Ledger();
  readonly #problems: string[] = [];
  repetitions = 0;
  slowestMs = 0;
  #isOver = false;

  constructor(store: Engine, bookId: number) {
    this.#store = store;
    this.#bookId = bookId;
  }

  get acknowledged(): number {
    return this.#ledger.acknowledged;
  }

  /** Errors of imports other than a busy or unreachable database. */
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

  /** Compares the book with the acknowledged imports. */
  async compare(): Promise<Losses> {
    const { transactions } = await exportBook(this.#store, this.#bookId);
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
      await importInto(this.#store, this.#bookId, entriesOf(batch), { defaultAccount: 'Bank' });
      return true;
    } catch (error) {
      if (!isDatabaseError(error, 'busy') && !isDatabaseError(error, 'unavailable'))
        this.#problems.push(`an import failed: ${String(error)}`);
      return false;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - beganAtMs);
    }
  }
}

/** Each batch has its own months, so that the search for duplicates is fast. */
function entriesOf(batch: number): ImportEntry[] {
  const year = String(1000 + (batch % 9000));
  return Array.from({ length: rowCount }, (_, index) =>
    entryOf({
      line: index + 1,
      date: `${year}-${String(1 + ((index + 1) % 3)).padStart(2, '0')}-15`,
      amount: -10_000 * (index + 1),
      payee: payeeOf(batch),
    }),
  );
}
