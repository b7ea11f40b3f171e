import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { changing } from '../../../changes/changing.ts';
import type { Change } from '../../../changes/change.ts';
import { readState } from '../../../changes/testing/book-state.ts';
import { undo } from '../../../changes/undo.ts';
import type { Engine, Steps } from '../../../db/engine.ts';
import { select } from '../../../db/rows.ts';
import { manualAccounts, transactions } from '../../../db/tables.ts';
import { usualEngines } from '../../../db/testing/engines.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { getTransactions } from '../../../pages/by-ids.ts';
import { ratesOf } from '../../currencies/actions.ts';
import { bookOf } from '../../users/actions.ts';
import { newBook } from '../../users/testing/new-book.ts';
import { deleteTransactions } from './delete.ts';
import { createTransactions } from './insert.ts';
import { makeWriteScene } from '../testing/write-scene.ts';
import type { WriteScene } from '../testing/write-scene.ts';
import { isAmbiguous, propertiesOf, updated, writesArbitrary } from '../testing/write-model.ts';
import type { Model, ModelRow, Write } from '../testing/write-model.ts';
import type { Transaction } from '../schema.ts';
import { changeTransactions } from './update.ts';
import { runs } from '../../../../../core/src/testing/length.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`random writes of transactions on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-03-01T00:00:00.000Z'));
    });

    it('keep rows, balances and derived tables right, and can all be undone', async () => {
      await fc.assert(
        fc.asyncProperty(writesArbitrary, async (writes) => {
          const book = new ModelBook(engine, (await newBook(engine)).id);
          await book.begin();
          const start = await readState(engine, book.id);
          const first = await book.version();
          for (const write of writes) await book.perform(write);
          await book.check();
          assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
          for (let version = await book.version(); version > first; version -= 1)
            await book.change((change) => undo(change, version));
          assert.deepEqual(await readState(engine, book.id), start);
        }),
        { numRuns: runs(name === 'SQLite' ? 40 : 10) },
      );
    });
  });
}

/** A book with a model of its transactions. */
class ModelBook {
  readonly id: number;
  readonly #engine: Engine;
  #model: Model = new Map();
  #scene!: WriteScene;

  constructor(engine: Engine, id: number) {
    this.#engine = engine;
    this.id = id;
  }

  async begin(): Promise<void> {
    this.#scene = await this.change(makeWriteScene);
  }

  async version(): Promise<number> {
    return (await this.#engine.read(() => bookOf(this.id))).version;
  }

  change<T>(work: (change: Change) => Steps<T>): Promise<T> {
    const cause = { bookId: this.id, actor: 'test', operation: 'test' };
    return this.#engine.write(() => changing(cause, work));
  }

  async perform(write: Write): Promise<void> {
    if (write.kind === 'insert') await this.#insert(write.rows.map((row) => this.#sent(row)));
    else if (this.#model.size === 0) return;
    else if (write.kind === 'update') await this.#update(write.rows);
    else await this.#delete(write.picks.map((pick) => this.#idAt(pick)));
  }

  async #insert(rows: readonly ModelRow[]): Promise<void> {
    if (isAmbiguous(rows)) {
      await this.#assertRefused((change) =>
        createTransactions(change, { transactions: [...rows] as never }),
      );
      return;
    }
    const { ids, skipped } = await this.change((change) =>
      createTransactions(change, { transactions: [...rows] as never }),
    );
    const existing = [...this.#model.values()];
    const kept = rows.filter((row) => !isDuplicate(existing, row));
    assert.equal(skipped.length, rows.length - kept.length);
    this.#model = new Map([...this.#model, ...kept.map((row, at) => [ids[at]!, row] as const)]);
  }

  async #update(rows: Extract<Write, { kind: 'update' }>['rows']): Promise<void> {
    const updates = rows.map(({ pick, values }) => ({
      id: this.#idAt(pick),
      ...propertiesOf(values, this.#scene),
    }));
    const after = updated(this.#model, updates);
    const work = (change: Change) => changeTransactions(change, updates as never);
    if (after === null) await this.#assertRefused(work);
    else await this.change(work);
    this.#model = after ?? this.#model;
  }

  async #delete(picked: readonly number[]): Promise<void> {
    const ids = [...new Set(picked)];
    await this.change((change) => deleteTransactions(change, ids));
    this.#model = new Map([...this.#model].filter(([id]) => !ids.includes(id)));
  }

  async #assertRefused(work: (change: Change) => Steps<unknown>): Promise<void> {
    const version = await this.version();
    await assert.rejects(this.change(work), { name: 'Problem', kind: 'validation' });
    assert.equal(await this.version(), version);
  }

  /** Compares the rows and the balances with the model. */
  async check(): Promise<void> {
    const rows = await this.#engine.read(() => select(transactions, { book_id: this.id }));
    const stored = rows.map((row) => {
      const { date, currency, manual_account_id, plaid_account_id, external_id, notes } = row;
      const same = { date, currency, manual_account_id, plaid_account_id, external_id, notes };
      const tag_ids = JSON.parse(row.tag_ids) as number[];
      return [row.id, { ...same, amount: row.amount / 10_000, tag_ids }] as const;
    });
    assert.deepEqual(new Map(stored), new Map(this.#model));
    const ids = [...this.#model.keys()].toReversed().flatMap((id) => [id, id]);
    const pieces = await this.#engine.read(() => getTransactions(this.id, ids));
    const json = JSON.parse(`[${Buffer.concat(pieces).toString()}]`) as Transaction[];
    assert.deepEqual(
      json.map(({ id }) => id),
      ids,
    );
    const accounts = await this.#engine.read(() => select(manualAccounts, { book_id: this.id }));
    for (const { id, balance, currency, type } of accounts) {
      const total = await this.#totalOf(id, currency);
      assert.equal(balance, type === 'credit' ? total : 0 - total);
    }
  }

  /** The amounts of an account's transactions in its currency; an amount without a rate counts as 0. */
  #totalOf(accountId: number, to: string): Promise<number> {
    const rows = [...this.#model.values()].filter((row) => row.manual_account_id === accountId);
    return this.#engine.read(function* () {
      const rates = yield* ratesOf();
      let total = 0;
      for (const { amount, currency, date } of rows)
        total += (yield* rates.convert(amount * 10_000, currency, to, date)) ?? 0;
      return total;
    });
  }

  #sent(values: Parameters<typeof propertiesOf>[0]): ModelRow {
    return propertiesOf(values, this.#scene) as ModelRow;
  }

  #idAt(pick: number): number {
    const ids = [...this.#model.keys()];
    return ids[pick % ids.length]!;
  }
}

function isDuplicate(existing: readonly ModelRow[], row: ModelRow): boolean {
  return existing.some((each) => isAmbiguous([each, row]));
}
