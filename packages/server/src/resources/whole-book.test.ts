import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import { divideHalfToEven, formatAmount } from '@coffer/core/money';
import { changing } from '../changes/changing.ts';
import type { Change } from '../changes/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find, rowsAs, select } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import { balanceHistory, categories, manualAccounts, transactions } from '../db/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { checkDatabase } from '../maintenance/doctor.ts';
import { monthEndsJob } from './balance-history/month-ends-job.ts';
import { storeRates, type DayRates } from './currencies/actions.ts';
import type { Book } from './users/identity.ts';
import { newBook } from './users/testing/new-book.ts';
import { deleteTransactions } from './transactions/requests/delete.ts';
import { groupTransactions, ungroupTransactions } from './transactions/groups/group.ts';
import { createTransactions } from './transactions/requests/insert.ts';
import { splitTransaction, unsplitTransaction } from './transactions/splits/split.ts';
import { changeTransactions } from './transactions/requests/update.ts';
import type { TransactionRow } from './transactions/writes.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** A transaction of the model. Amounts are in ten-thousandths. */
interface ModelRow {
  readonly id: number;
  readonly date: string;
  readonly amount: number;
  readonly currency: ModelCurrency;
  readonly toBase: number;
  /** The place of its category in the book, or null. */
  readonly category: number | null;
  readonly account: ModelAccount | null;
  readonly isGroup: boolean;
  readonly isSplit: boolean;
  readonly groupId: number | null;
  readonly splitId: number | null;
}

type ModelCurrency = 'usd' | 'eur' | 'gbp';
type ModelAccount = 'cash' | 'card';

type ModelValues = Pick<ModelRow, 'date' | 'amount' | 'currency' | 'category' | 'account'>;

/** One action. Picks choose among the transactions of the model. */
type Action =
  | { readonly kind: 'insert'; readonly rows: readonly ModelValues[] }
  | { readonly kind: 'update'; readonly pick: number; readonly values: Partial<ModelValues> }
  | { readonly kind: 'delete' | 'group' | 'ungroup' | 'unsplit'; readonly picks: readonly number[] }
  | { readonly kind: 'split'; readonly pick: number; readonly firsts: readonly number[] };

const accountsOfModel = {
  cash: { type: 'cash', currency: 'eur' },
  card: { type: 'credit', currency: 'usd' },
} as const;

/** What an euro was worth, in hundredths, from a date on. Pounds have no rate before February. */
const perEuro: Readonly<
  Record<ModelCurrency, readonly (readonly [since: string, hundredths: bigint])[]>
> = {
  eur: [['2020-01-01', 100n]],
  usd: [
    ['2026-01-01', 110n],
    ['2026-02-01', 123n],
  ],
  gbp: [['2026-02-01', 87n]],
};

const ratesOfModel: DayRates = new Map(
  (['usd', 'gbp'] as const).map((code) => [
    code,
    new Map(perEuro[code].map(([since, rate]) => [since, `${rate / 100n}.${rate % 100n}`])),
  ]),
);

const values = {
  date: fc.constantFrom('2026-01-01', '2026-01-31', '2026-02-01', '2026-02-03'),
  amount: fc.oneof(fc.integer({ min: -5_000_000, max: 5_000_000 }), fc.constantFrom(0, 1, -1)),
  currency: fc.constantFrom<ModelCurrency[]>('usd', 'eur', 'gbp'),
  category: fc.option(fc.nat(2)),
  account: fc.option(fc.constantFrom<ModelAccount[]>('cash', 'card'), { freq: 2 }),
};
const pick = fc.nat(30);
const picks = fc.uniqueArray(pick, { minLength: 2, maxLength: 4 });

/** Actions in their order. There are few values, so that actions affect each other. */
const actionsArbitrary: fc.Arbitrary<readonly Action[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('insert' as const),
      rows: fc.array(fc.record(values), { minLength: 1, maxLength: 5 }),
    }),
    fc.record({
      kind: fc.constant('update' as const),
      ...{ pick, values: fc.record(values, { requiredKeys: [] }) },
    }),
    fc.record({
      kind: fc.constantFrom(
        'delete' as const,
        'group' as const,
        'ungroup' as const,
        'unsplit' as const,
      ),
      picks,
    }),
    fc.record({
      kind: fc.constant('split' as const),
      firsts: fc.array(values.amount, { minLength: 1, maxLength: 3 }),
      pick,
    }),
  ),
  { minLength: 4, maxLength: 16, size: 'max' },
);

/** What the records of a book should be, by simple rules. Its primary currency is the dollar. */
class WholeBookModel {
  readonly rows = new Map<number, ModelRow>();

  get listed(): number[] {
    const rows = [...this.rows.values()].filter((row) => !row.isSplit && row.groupId === null);
    return rows.map(({ id }) => id).toSorted((a, b) => a - b);
  }

  get plain(): ModelRow[] {
    return [...this.rows.values()].filter(
      (row) => !row.isGroup && !row.isSplit && row.groupId === null && row.splitId === null,
    );
  }

  insert(id: number, given: ModelValues): void {
    const parents = { isGroup: false, isSplit: false, groupId: null, splitId: null };
    this.rows.set(id, { id, ...given, ...parents, toBase: baseOf(given) });
  }

  update(row: ModelRow, given: Partial<ModelValues>): void {
    const after = { ...row, ...given };
    this.rows.set(row.id, { ...after, toBase: baseOf(after) });
  }

  group(id: number, date: string, members: readonly ModelRow[]): void {
    const toBase = total(members.map((row) => row.toBase));
    const [currency = 'usd', ...others] = new Set(members.map((row) => row.currency));
    const [category = null, ...more] = new Set(members.map((row) => row.category));
    const money =
      others.length > 0
        ? { currency: 'usd' as const, amount: toBase }
        : { currency, amount: total(members.map(({ amount }) => amount)) };
    this.rows.set(id, {
      ...{ id, date, toBase, ...money, category: more.length > 0 ? null : category },
      ...{ account: null, isGroup: true, isSplit: false, groupId: null, splitId: null },
    });
    for (const row of members) this.rows.set(row.id, { ...row, groupId: id });
  }

  ungroup({ id }: ModelRow): void {
    this.rows.delete(id);
    for (const row of this.rows.values())
      if (row.groupId === id) this.rows.set(row.id, { ...row, groupId: null });
  }

  split(row: ModelRow, parts: readonly { id: number; amount: number }[]): void {
    const shares = parts.slice(0, -1).map(({ amount }) => shareOf(row, amount));
    shares.push(row.toBase - total(shares));
    this.rows.set(row.id, { ...row, isSplit: true });
    for (const [at, { id, amount }] of parts.entries())
      this.rows.set(id, { ...row, id, amount, toBase: shares[at]!, splitId: row.id });
  }

  unsplit({ id }: ModelRow): void {
    for (const row of this.rows.values()) if (row.splitId === id) this.rows.delete(row.id);
    this.rows.set(id, { ...this.rows.get(id)!, isSplit: false });
  }

  balance(name: ModelAccount, until = '9999-12-31'): number {
    const { type, currency } = accountsOfModel[name];
    const rows = [...this.rows.values()].filter(
      (row) => row.account === name && row.splitId === null && row.date <= until,
    );
    const spent = total(rows.map((row) => converted(row.amount, row.currency, currency, row.date)));
    return type === 'credit' ? spent : 0 - spent;
  }
}

function baseOf({ amount, currency, date }: ModelValues): number {
  return converted(amount, currency, 'usd', date);
}

/** Converts an amount, half to even; 0 without a rate. */
function converted(amount: number, from: ModelCurrency, to: ModelCurrency, date: string): number {
  if (from === to) return amount;
  const rateOf = (code: ModelCurrency) => perEuro[code].findLast(([since]) => since <= date)?.[1];
  const [one, other] = [rateOf(from), rateOf(to)];
  if (one === undefined || other === undefined) return 0;
  return Number(divideHalfToEven(BigInt(amount) * other, one));
}

/** The value of a part: in proportion to its amount, or at the rate of the date if the whole is zero. */
function shareOf({ amount: whole, toBase, currency, date }: ModelRow, amount: number): number {
  if (whole === 0) return converted(amount, currency, 'usd', date);
  const sign = whole < 0 ? -1n : 1n;
  return Number(divideHalfToEven(BigInt(amount) * BigInt(toBase) * sign, BigInt(whole) * sign));
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, each) => sum + each, 0);
}

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
          await book.change((change) => book.addRecords(change));
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

  *addRecords(change: Change): Steps<void> {
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

  /** Compares the rows, the list, its counts and the balances with the model. */
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
