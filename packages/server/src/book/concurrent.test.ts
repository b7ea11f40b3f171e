import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine, Steps } from '../db/engine.ts';
import { engines } from '../db/testing/engines.ts';
import { listTransactions } from '../pages/pages.ts';
import { RememberedKeys } from '../pages/remembered-keys.ts';
import { BulkRows } from '../ledger/transactions/writes.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { changing } from './change.ts';
import { waitForWaiter } from './testing/lock-waiter.ts';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');

/** A client that polls for transactions newer than the newest one that it has seen. */
class Poller {
  readonly seen = new Set<number>();
  readonly #engine: Engine;
  readonly #bookId: number;
  readonly #keys = new RememberedKeys(10);
  #newest: string | undefined;

  constructor(engine: Engine, bookId: number) {
    this.#engine = engine;
    this.#bookId = bookId;
  }

  async poll(): Promise<void> {
    const since = this.#newest === undefined ? {} : { updated_since: this.#newest };
    const none = { include_children: false, include_metadata: false, include_files: false };
    const shown = { include_pending: true, include_split_parents: true };
    const all = { ...shown, include_group_children: true };
    const query = { limit: 2000, offset: 0, ...none, ...all, ...since };
    const page = await this.#engine.read(() => listTransactions(this.#bookId, query, this.#keys));
    assert.equal(page.hasMore, false);
    const found = JSON.parse(`[${page.json.toString()}]`) as { id: number; updated_at: string }[];
    for (const { id, updated_at } of found) {
      this.seen.add(id);
      if (this.#newest === undefined || updated_at > this.#newest) this.#newest = updated_at;
    }
  }
}

/** Adds some transactions in one change. `between` runs after they are written and before the commit. */
function addTransactions(
  engine: Engine,
  bookId: number,
  count: number,
  between?: () => Steps<void>,
): Promise<number[]> {
  return engine.write(() =>
    changing({ bookId, actor: 'token 1', operation: 'test' }, function* (change) {
      const bulk = new BulkRows(change);
      const ids: number[] = [];
      for (let at = 0; at < count; at += 1) {
        const id = yield* bulk.nextId();
        ids.push(id);
        const amount = { amount: at, currency: 'usd', to_base: at };
        bulk.add({ id, date: '2024-01-01', ...amount, payee: 'P', status: 'reviewed' });
      }
      yield* bulk.flush();
      if (between !== undefined) yield* between();
      return ids;
    }),
  );
}

/** That many nodes with skewed clocks lose no change and no version is the proof F31. */
for (const { name, skip, openNodes } of engines)
  describe(`changes by several nodes on ${name}`, { skip }, () => {
    it('are found by a client that polls, even if an import started before and ended between them', async () => {
      let nowMs = startMs;
      const [reader, importer, other] = await openNodes([() => nowMs, () => nowMs, () => nowMs]);
      const { id } = await newBook(reader!);
      const poller = new Poller(reader!, id);
      let late: Promise<number[]> | undefined;
      let polled: Promise<void> | undefined;
      const imported = await addTransactions(importer!, id, 1200, function* () {
        nowMs += 1000;
        late = addTransactions(other!, id, 1);
        polled = poller.poll();
        if (name === 'PostgreSQL') yield* waitForWaiter();
      });
      await polled;
      const ids = [...imported, ...(await late!)];
      await poller.poll();
      const found = ids.filter((each) => !poller.seen.has(each));
      assert.deepEqual(found, []);
    });
  });
