import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import { exportBook, type Engine } from '../../packages/server/src/main.ts';
import { batchOf, entryOf, importInto, Ledger, payeeOf, type Losses } from '../run/ledger.ts';

const rowCount = 20;
const pauseMs = 20;

/** Imports that are sent again, as they were, until they are acknowledged: what is there must not come twice. */
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

/** In months of its own, so that what is there already is read in a moment. */
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
