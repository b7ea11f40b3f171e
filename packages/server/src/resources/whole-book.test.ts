import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { formatAmount } from '@coffer/core/money';
import { changing } from '../changes/changing.ts';
import type { Change } from '../changes/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find, rowsAs, select } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import { balanceHistory, categories, manualAccounts, transactions } from '../db/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { monthEndsJob } from './balance-history/month-ends-job.ts';
import { upsertBudget } from './budgets/actions.ts';
import { storeRates } from './currencies/actions.ts';
import { summaryOf } from './summary/actions.ts';
import type { BudgetSummary } from './summary/schema.ts';
import type { Book } from './users/identity.ts';
import { newBook } from './users/testing/new-book.ts';
import { deleteTransactions } from './transactions/requests/delete.ts';
import { groupTransactions, ungroupTransactions } from './transactions/groups/group.ts';
import { createTransactions } from './transactions/requests/insert.ts';
import { splitTransaction, unsplitTransaction } from './transactions/splits/split.ts';
import { changeTransactions } from './transactions/requests/update.ts';
import type { TransactionRow } from './transactions/writes.ts';
import { actionsArbitrary, periodOfModel, ratesOfModel } from './testing/whole-book.ts';
import { accountsOfModel, WholeBookModel } from './testing/whole-book.ts';
import type { Action, ModelRow, ModelValues } from './testing/whole-book.ts';
import { runs } from '../../../core/src/testing/length.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`a whole book on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-10T00:00:00.000Z'));
      await engine.write(() => storeRates(ratesOfModel, 'file'));
    });

    it('agrees with a model in all that is derived from its rows', async () => {
      await fc.assert(
        fc.asyncProperty(actionsArbitrary, async (actions) => {
          const book = new ComparedBook(engine, await newBook(engine));
          await book.begin();
          for (const action of actions) {
            await book.perform(action);
            await book.compare();
          }
          await monthEndsJob.run(engine, Date.parse('2026-02-15T00:00:00.000Z'));
          await book.compareMonthEnds();
        }),
        { numRuns: runs(name === 'SQLite' ? 40 : 10) },
      );
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });
  });
}

/** A book with a model of it. */
class ComparedBook {
  readonly #engine: Engine;
  readonly #book: Book;
  readonly #model = new WholeBookModel();
  #categories: readonly number[] = [];
  #accounts = { cash: 0, card: 0 };

  constructor(engine: Engine, book: Book) {
    this.#engine = engine;
    this.#book = book;
  }

  async begin(): Promise<void> {
    await this.change((change) => this.#addRecords(change));
  }

  *#addRecords(change: Change): Steps<void> {
    const ids: number[] = [];
    for (const name of ['Food', 'Rent', 'Fun'])
      ids.push((yield* change.insert(categories, { name })).id);
    this.#categories = ids;
    const made = { balance: 0, balance_as_of: change.at, created_by_name: 'A' };
    for (const name of ['cash', 'card'] as const) {
      const account = { name, ...accountsOfModel[name], ...made };
      this.#accounts[name] = (yield* change.insert(manualAccounts, account)).id;
    }
  }

  change<T>(work: (change: Change) => Steps<T>): Promise<T> {
    const cause = { bookId: this.#book.id, actor: 'test', operation: 'test' };
    return this.#engine.write(() => changing(cause, work));
  }

  /** Performs an action on the book and the model. Nothing happens if there are no transactions for it. */
  async perform(action: Action): Promise<void> {
    const { kind } = action;
    const { plain, rows } = this.#model;
    const pickFrom = (all: readonly ModelRow[], picks: readonly number[]) => [
      ...new Set(all.length === 0 ? [] : picks.map((pick) => all[pick % all.length]!)),
    ];
    if (kind === 'insert') await this.#insert(action.rows);
    else if (kind === 'budget') await this.#budget(action.category, action.amount);
    else if (kind === 'update') {
      const [row] = pickFrom(plain, [action.pick]);
      if (row !== undefined) await this.#update(row, action.values);
    } else if (kind === 'split') {
      const [row] = pickFrom(plain, [action.pick]);
      if (row !== undefined) await this.#split(row, action.firsts);
    } else if (kind === 'delete') await this.#delete(pickFrom(plain, action.picks));
    else if (kind === 'group') await this.#group(pickFrom(plain, action.picks));
    else {
      const isWanted = (row: ModelRow) => (kind === 'ungroup' ? row.isGroup : row.isSplit);
      const [row] = pickFrom([...rows.values()].filter(isWanted), action.picks);
      if (row !== undefined) await this.#dissolve(row);
    }
  }

  async #insert(rows: readonly ModelValues[]): Promise<void> {
    const sent = { transactions: rows.map((row) => this.#sent(row)) };
    const { ids } = await this.change((change) => createTransactions(change, sent as never));
    for (const [at, row] of rows.entries()) this.#model.insert(ids[at]!, row);
  }

  async #update(row: ModelRow, values: Partial<ModelValues>): Promise<void> {
    const body = { id: row.id, ...this.#sent(values) };
    await this.change((change) => changeTransactions(change, [body] as never));
    this.#model.update(row, values);
  }

  async #delete(rows: readonly ModelRow[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await this.change((change) => deleteTransactions(change, ids));
    for (const id of ids) this.#model.rows.delete(id);
  }

  async #group(members: readonly ModelRow[]): Promise<void> {
    if (members.length < 2) return;
    const ids = members.map(({ id }) => id);
    const [date, payee] = ['2026-01-15', 'Group'];
    const id = await this.change((change) => groupTransactions(change, { ids, date, payee }));
    this.#model.group(id, date, members);
  }

  async #split(row: ModelRow, firsts: readonly number[]): Promise<void> {
    const rest = firsts.reduce((left, amount) => left - amount, row.amount);
    const parts = [...firsts, rest].map((amount) => ({ amount }));
    const stored = await this.change((change) =>
      withRow(change, row.id, (each) => splitTransaction(change, each, parts)),
    );
    this.#model.split(
      row,
      stored.map(({ id }, at) => ({ id, ...parts[at]! })),
    );
  }

  async #dissolve(row: ModelRow): Promise<void> {
    await this.change((change) =>
      withRow(change, row.id, (each) =>
        row.isGroup ? ungroupTransactions(change, each) : unsplitTransaction(change, row.id, each),
      ),
    );
    if (row.isGroup) this.#model.ungroup(row);
    else this.#model.unsplit(row);
  }

  async #budget(category: number, amount: number): Promise<void> {
    const body = { category_id: this.#categories[category]!, start_date: periodOfModel.start };
    const sent = { ...body, amount: formatAmount(amount) };
    await this.change((change) => upsertBudget(change, sent));
    this.#model.budgets.set(category, amount);
  }

  /** Returns what a request has for values of the model. */
  #sent({ amount, category, account, ...same }: Partial<ModelValues>): object {
    return {
      ...same,
      ...(amount !== undefined && { amount: formatAmount(amount) }),
      ...(category !== undefined && { category_id: this.#categoryId(category) }),
      ...(account !== undefined && {
        manual_account_id: account === null ? null : this.#accounts[account],
      }),
    };
  }

  #categoryId(category: number | null): number | null {
    return category === null ? null : this.#categories[category]!;
  }

  /** Compares the rows, the list, its counts, the balances and the summary with the model. */
  async compare(): Promise<void> {
    const { id } = this.#book;
    const found = await this.#engine.read(function* () {
      return {
        rows: yield* select(transactions, { book_id: id }),
        listed: yield* rowsAs(
          { id: integer },
          sql`SELECT id FROM transactions WHERE book_id = ${id} AND listed = 1 ORDER BY id`,
        ),
        counts: yield* rowsAs(
          { listed: integer },
          sql`SELECT listed FROM transaction_counts WHERE book_id = ${id} AND granularity = 'day'`,
        ),
        accounts: yield* select(manualAccounts, { book_id: id }),
      };
    });
    const expected = [...this.#model.rows.values()].toSorted((a, b) => a.id - b.id);
    assert.deepEqual(
      found.rows.map((row) => ({
        ...{ id: row.id, date: row.date, amount: row.amount, currency: row.currency },
        ...{ toBase: row.to_base, category: row.category_id, account: row.manual_account_id },
        ...{ isGroup: row.is_group_parent, isSplit: row.is_split_parent },
        ...{ groupId: row.group_parent_id, splitId: row.split_parent_id },
      })),
      expected.map((row) => ({
        ...row,
        category: this.#categoryId(row.category),
        account: row.account === null ? null : this.#accounts[row.account],
      })),
    );
    const { listed } = this.#model;
    assert.deepEqual(
      found.listed.map((row) => row.id),
      listed,
    );
    assert.equal(
      found.counts.reduce((sum, day) => sum + day.listed, 0),
      listed.length,
    );
    for (const account of found.accounts)
      assert.equal(account.balance, this.#model.balance(account.name as 'cash'));
    await this.#compareSummary();
  }

  async #compareSummary(): Promise<void> {
    const query = {
      ...{ start_date: periodOfModel.start, end_date: periodOfModel.end },
      ...{ include_exclude_from_budgets: true, include_occurrences: false },
      ...{ include_past_budget_dates: false, include_totals: false, include_rollover_pool: false },
    };
    const summary = await this.#engine.read(() => summaryOf(this.#book, query));
    const { categories } = JSON.parse(JSON.stringify(summary)) as BudgetSummary;
    for (const { category_id, totals } of categories) {
      const category = this.#categories.indexOf(category_id);
      const activity = this.#model.activity(category);
      const budget = this.#model.budgets.get(category);
      assert.deepEqual(totals, {
        ...{ other_activity: activity / 10_000, recurring_activity: 0 },
        ...{ recurring_expected: 0, recurring_remaining: 0 },
        budgeted: budget === undefined ? null : budget / 10_000,
        available: budget === undefined ? null : (budget - activity) / 10_000,
      });
    }
  }

  /** Compares the balances at the end of January with the model. */
  async compareMonthEnds(): Promise<void> {
    const entries = await this.#engine.read(() =>
      select(balanceHistory, { book_id: this.#book.id }),
    );
    const names = ['cash', 'card'] as const;
    const expected = names.map((name) => [
      this.#accounts[name],
      '2026-01',
      this.#model.balance(name, '2026-01-31'),
    ]);
    const stored = entries.map((row) => [row.manual_account_id, row.month, row.balance]);
    assert.deepEqual(stored, expected);
  }
}

function* withRow<T>(change: Change, id: number, work: (row: TransactionRow) => Steps<T>) {
  return yield* work((yield* find(transactions, { book_id: change.bookId, id }))!);
}
