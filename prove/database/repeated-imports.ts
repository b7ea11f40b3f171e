import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { timed } from '../run/check.ts';
import { batchesIn, entryOf, importInto, Ledger, payeeOf, type Losses } from '../run/ledger.ts';

const rowCount = 20;
const pauseMs = 20;

/** Repeats each import until it is acknowledged; its rows must be stored only once. */
export class RepeatedImports {
  readonly #store: Engine;
  readonly #bookId: number;
  readonly ledger = new Ledger();
  /** Errors of imports other than a busy or unreachable database. */
  readonly problems: string[] = [];
  repetitions = 0;
  slowestMs = 0;
  #isOver = false;

  constructor(store: Engine, bookId: number) {
    this.#store = store;
    this.#bookId = bookId;
  }

  async work(): Promise<void> {
    while (!this.#isOver) {
      const batch = this.ledger.send(rowCount);
      while (!(await this.#isStored(batch))) {
        this.repetitions += 1;
        await wait(pauseMs);
      }
      this.ledger.acknowledge(batch);
      await wait(pauseMs);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  async compare(): Promise<Losses> {
    return this.ledger.compare(await batchesIn(this.#store, this.#bookId));
  }

  async #isStored(batch: number): Promise<boolean> {
    const importing = (): Promise<unknown> =>
      importInto(this.#store, this.#bookId, entriesOf(batch), { defaultAccount: 'Bank' });
    const [ms, error] = await timed(() =>
      importing().then(
        () => null,
        (reason: unknown) => reason,
      ),
    );
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (error === null) return true;
    if (!isDatabaseError(error, 'busy') && !isDatabaseError(error, 'unavailable'))
      this.problems.push(`an import failed: ${(error as Error).message}`);
    return false;
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
