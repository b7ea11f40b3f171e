import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../../book/change.ts';
import { undo } from '../../../book/undo.ts';
import type { Engine, Steps } from '../../../db/engine.ts';
import { find, select } from '../../../db/rows.ts';
import { manualAccounts, transactions } from '../../../db/tables/tables.ts';
import { usualEngines } from '../../../db/testing/engines.ts';
import { EngineBook } from '../../../http/testing/engine-book.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { getTransactions } from '../../../pages/pages.ts';
import { Problem } from '../../../operations/problem.ts';
import { newBook } from '../../../identity/users/testing/new-book.ts';
import { groupTransactions, ungroupTransactions } from '../group.ts';
import { splitTransaction, unsplitTransaction } from '../split.ts';
import { deleteTransactions } from './checks.ts';
import { createTransactions } from './insert.ts';
import { makeWriteScene, type WriteScene } from '../testing/write-scene.ts';
import * as writeModel from '../testing/write-model.ts';
import type { Model, ModelRow, Write } from '../testing/write-model.ts';
import type { Transaction } from '../schema.ts';
import type { TransactionRow } from '../writes.ts';
import { changeTransactions } from './update.ts';
import { isLong, runs } from '../../../../../core/src/testing/length.ts';

const { isAmbiguous, isPlain, plain, propertiesOf, toBaseOf, total } = writeModel;

for (const { name, skip, open } of usualEngines) {
  describe(`random writes, groups and splits of transactions on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-03-01T00:00:00.000Z'));
    });

    it('keep rows, balances and derived tables right, and can all be undone', async () => {
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(writeModel.writesArbitrary, async (writes) => {
          const book = new ModelBook(engine, await newBook(engine));
          await book.begin();
          const start = await book.state();
          const first = await book.version();
          for (const write of writes) {
            const isDone = await book.perform(write);
            outcomes.add(`${write.kind} ${isDone ? 'done' : 'refused'}`);
            await book.check();
          }
          assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
          for (let version = await book.version(); version > first; version -= 1)
            await book.change((change) => undo(change, version));
          assert.deepEqual(await book.state(), start);
        }),
        { numRuns: runs(name === 'SQLite' ? 80 : 20) },
      );
      // Few runs may miss one of them.
      if (!isLong || name !== 'SQLite') return;
      for (const kind of ['update', 'group', 'ungroup', 'split', 'unsplit'])
        for (const outcome of ['done', 'refused'])
          assert.ok(outcomes.has(`${kind} ${outcome}`), `${kind} was never ${outcome}`);
    });
  });
}

/** A book with a model of its transactions. */
class ModelBook extends EngineBook {
  #model: Model = new Map();
  #scene!: WriteScene;

  async begin(): Promise<void> {
    this.#scene = await this.change(makeWriteScene);
  }

  /** Performs a write on the book and the model. Returns false if the model says that it must be refused. */
  async perform(write: Write): Promise<boolean> {
    if (write.kind === 'insert') return this.#insert(write.rows);
    if (this.#model.size === 0) return true;
    switch (write.kind) {
      case 'update':
        return this.#update(write.rows);
      case 'delete':
        return this.#delete(write.picks.map((pick) => this.#pick(pick)));
      case 'group':
        return this.#group(write.picks.map((pick) => this.#pick(pick)));
      case 'split':
        return this.#split(this.#pick(write.pick), write.amounts);
      case 'ungroup':
      case 'unsplit':
        return this.#rearrange(write.kind, write.pick);
    }
  }

  async #insert(values: readonly writeModel.Values[]): Promise<boolean> {
    const sent = values.map((each) => propertiesOf(each, this.#scene));
    const rows = sent.map((each) => ({ ...each, ...plain }) as ModelRow);
    const work = (change: Change) => createTransactions(change, { transactions: sent as never });
    if (isAmbiguous(rows)) return this.#assertRefused(work);
    const { ids, skipped } = await this.change(work);
    const existing = [...this.#model.values()];
    const kept = rows.filter((row) => !existing.some((each) => isAmbiguous([each, row])));
    assert.equal(skipped.length, rows.length - kept.length);
    this.#set(...kept.map((row, at) => [ids[at]!, row] as const));
    return true;
  }

  async #update(rows: Extract<Write, { kind: 'update' }>['rows']): Promise<boolean> {
    const updates = rows.map(({ pick, values }) => ({
      id: this.#pick(pick)[0],
      ...propertiesOf(values, this.#scene),
    }));
    const after = writeModel.updated(this.#model, updates);
    const work = (change: Change) => changeTransactions(change, updates as never);
    if (after === null) return this.#assertRefused(work);
    await this.change(work);
    this.#model = after;
    return true;
  }

  async #delete(picked: readonly Picked[]): Promise<boolean> {
    const rows = new Map(picked);
    const work = (change: Change) => deleteTransactions(change, [...rows.keys()]);
    if (![...rows.values()].every(isPlain)) return this.#assertRefused(work);
    await this.change(work);
    this.#remove((_, id) => rows.has(id));
    return true;
  }

  async #group(picked: readonly Picked[]): Promise<boolean> {
    const [ids, rows] = [picked.map(([id]) => id), picked.map(([, row]) => row)];
    const date = '2026-02-02';
    const work = (change: Change) => groupTransactions(change, { ids, date, payee: 'G' });
    if (new Set(ids).size < ids.length || !rows.every(isPlain)) return this.#assertRefused(work);
    const group_parent_id = await this.change(work);
    this.#set(...picked.map(([id, row]) => [id, { ...row, group_parent_id }] as const));
    this.#set([group_parent_id, writeModel.groupOf(rows, date)]);
    return true;
  }

  /** One in five has a wrong sum. */
  async #split([id, row]: Picked, firsts: readonly number[]): Promise<boolean> {
    const isWrong = firsts[0] === 0;
    const amounts = [...firsts, row.amount - total(firsts) + (isWrong ? 1 : 0)];
    const parts = amounts.map((amount) => ({ amount: amount * 10_000 }));
    const work = this.#withRow(id, (change, parent) => splitTransaction(change, parent, parts));
    if (isWrong || !isPlain(row)) return this.#assertRefused(work);
    const made = await this.change(work);
    const own = { external_id: null, tag_ids: [], split_parent_id: id };
    this.#set([id, { ...row, is_split_parent: true }]);
    this.#set(
      ...made.map((part, at) => [part.id, { ...row, ...own, amount: amounts[at]! }] as const),
    );
    return true;
  }

  async #rearrange(kind: 'ungroup' | 'unsplit', pick: number): Promise<boolean> {
    const name = kind === 'ungroup' ? 'is_group_parent' : 'is_split_parent';
    const [id, row] = this.#pick(pick, (each) => each[name]);
    const work = this.#withRow<unknown>(id, (change, each) =>
      kind === 'ungroup' ? ungroupTransactions(change, each) : unsplitTransaction(change, id, each),
    );
    if (!row[name]) return this.#assertRefused(work);
    await this.change(work);
    this.#remove(
      (each, other) => each.split_parent_id === id || (row.is_group_parent && other === id),
    );
    for (const [member, each] of this.#model)
      if (each.group_parent_id === id) this.#set([member, { ...each, group_parent_id: null }]);
    if (kind === 'unsplit') this.#set([id, { ...row, is_split_parent: false }]);
    return true;
  }

  async #assertRefused(work: (change: Change) => Steps<unknown>): Promise<false> {
    const version = await this.version();
    await assert.rejects(this.change(work), (error) => error instanceof Problem);
    assert.equal(await this.version(), version);
    return false;
  }

  /** Compares the rows, in the tables and as they are sent, and the balances with the model. */
  async check(): Promise<void> {
    const rows = await this.read(() => select(transactions, { book_id: this.id }));
    const stored = rows.map((row) => {
      const model = this.#model.get(row.id);
      assert.equal(row.to_base, model && toBaseOf(model) * 10_000);
      const tag_ids = JSON.parse(row.tag_ids) as number[];
      const all: Record<string, unknown> = { ...row, tag_ids, amount: row.amount / 10_000 };
      const compared = Object.keys(model!).map((name) => [name, all[name]] as const);
      return [row.id, Object.fromEntries(compared)] as const;
    });
    assert.deepEqual(new Map(stored), new Map<number, unknown>(this.#model));
    const ids = [...this.#model.keys()].toReversed().flatMap((id) => [id, id]);
    const pieces = await this.read(() => getTransactions(this.id, ids));
    const json = JSON.parse(`[${Buffer.concat(pieces).toString()}]`) as Transaction[];
    assert.deepEqual(
      json.map(({ id }) => id),
      ids,
    );
    const accounts = await this.read(() => select(manualAccounts, { book_id: this.id }));
    for (const { id, balance, currency, type } of accounts) {
      // Parts do not count, nor does an amount without a rate.
      const counted = [...this.#model.values()].filter(
        (row) =>
          row.manual_account_id === id && row.currency === currency && row.split_parent_id === null,
      );
      const spent = total(counted.map(({ amount }) => amount)) * 10_000;
      assert.equal(balance, type === 'credit' ? spent : 0 - spent);
    }
  }

  #withRow<T>(id: number, work: (change: Change, row: TransactionRow) => Steps<T>) {
    return function* (change: Change): Steps<T> {
      return yield* work(change, (yield* find(transactions, { book_id: change.bookId, id }))!);
    };
  }

  /** One of the transactions that fit; if there is none, and each fourth time, any of them. */
  #pick(pick: number, isWanted = isPlain): Picked {
    const all = [...this.#model];
    const wanted = all.filter(([, row]) => isWanted(row));
    const among = wanted.length > 0 && pick % 4 > 0 ? wanted : all;
    return among[pick % among.length]!;
  }

  #set(...rows: readonly Picked[]): void {
    this.#model = new Map([...this.#model, ...rows]);
  }

  #remove(isRemoved: (row: ModelRow, id: number) => boolean): void {
    this.#model = new Map([...this.#model].filter(([id, row]) => !isRemoved(row, id)));
  }
}

type Picked = readonly [id: number, row: ModelRow];
