import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addDays, dayOf } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { find } from '../db/rows.ts';
import { manualAccounts, transactions } from '../db/tables/tables.ts';
import { undoChange } from '../history/undo/actions.ts';
import { onEnginesAt, type EngineBook } from '../http/testing/engine-book.ts';
import { accountWith, historyOf } from '../ledger/accounts/account-proof.ts';
import { createAccount, followAnchors, updateAccount } from '../ledger/accounts/actions.ts';
import { asAnchored, balanceByAnchors, putAnchor } from '../ledger/accounts/anchors.ts';
import { balancesOn } from '../ledger/accounts/proof.ts';
import { createTransactions } from '../ledger/transactions/requests/insert.ts';
import { changeTransaction } from '../ledger/transactions/requests/update.ts';
import { deleteTransactions } from '../ledger/transactions/requests/checks.ts';
import { importEntries } from './commit.ts';
import { entryOf } from './testing/import-book.ts';

const startMs = Date.parse('2026-03-10T12:00:00.000Z');
const dayMs = 86_400_000;
const firstDay = '2026-02-20';
const lengthOfTime = 60;
let nowMs = startMs;

/** What may happen to an account. Days count from the first one. */
const steps = fc.oneof(
  fc.record({
    kind: fc.constant('insert'),
    day: fc.nat(40),
    amount: fc.integer({ min: -99, max: 99 }),
    skip: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('change'),
    at: fc.nat(9),
    day: fc.nat(40),
    amount: fc.integer({ min: -99, max: 99 }),
    skip: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('delete'), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('put'), balance: fc.integer({ min: -999, max: 999 }) }),
  fc.record({
    kind: fc.constant('user'),
    day: fc.nat(18),
    balance: fc.integer({ min: -999, max: 999 }),
  }),
  fc.record({
    kind: fc.constant('import'),
    rows: fc.array(fc.tuple(fc.nat(30), fc.integer({ min: -99, max: 99 })), { maxLength: 4 }),
    closing: fc.option(fc.tuple(fc.nat(25), fc.integer({ min: -999, max: 999 }))),
  }),
  fc.record({ kind: fc.constant('undo') }),
  fc.record({ kind: fc.constant('wait'), days: fc.integer({ min: 1, max: 3 }) }),
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

interface Anchor {
  readonly day: string;
  readonly source: string;
  balance: number;
  ahead: number;
  order: number;
}

/** What an account must have, by the rules in docs/guide/balances.md. In whole units; money in is positive. */
class Model {
  readonly rows = new Map<number, { date: string; amount: number }>();
  anchors: Anchor[] = [];
  wire = 0;
  order = 0;

  put(day: string, source: string, balance: number, ahead = 0): void {
    this.order += 1;
    const known = this.anchors.find((each) => each.day === day && each.source === source);
    if (known === undefined) this.anchors.push({ day, source, balance, ahead, order: this.order });
    else if (source === 'api' || known.balance !== balance)
      Object.assign(known, { balance, ahead, order: this.order });
    this.anchors.sort((a, b) => (a.day === b.day ? a.order - b.order : a.day < b.day ? -1 : 1));
  }

  /** A request has said what the account has now. */
  putNow(today: string): void {
    const last = this.anchors.at(-1);
    const day = last !== undefined && last.day > today ? last.day : today;
    this.put(day, 'api', this.wire, this.sum(day));
  }

  /** The rows after a day, up to another one. */
  sum(after: string, upTo = '9999'): number {
    const rows = [...this.rows.values()].filter(({ date }) => date > after && date <= upTo);
    return rows.reduce((sum, { amount }) => sum + amount, 0);
  }

  follow(): void {
    const last = this.anchors.at(-1);
    if (last !== undefined) this.wire = last.balance - last.ahead + this.sum(last.day);
  }

  on(day: string): number {
    const before = this.anchors.findLast((each) => each.day <= day);
    if (before?.day === day) return before.balance;
    if (before !== undefined) return before.balance - before.ahead + this.sum(before.day, day);
    const first = this.anchors[0];
    if (first !== undefined) return first.balance - this.sum(day, first.day);
    return this.wire - this.sum(day);
  }

  copy(): Model {
    const copy = new Model();
    for (const [id, row] of this.rows) copy.rows.set(id, row);
    copy.anchors = this.anchors.map((each) => ({ ...each }));
    copy.wire = this.wire;
    copy.order = this.order;
    return copy;
  }
}

const day = (nth: number): string => addDays(firstDay, nth);
const units = (amount: number): number => amount * 10_000;
const today = (): string => dayOf(nowMs);

/** A history of one account, in a book and in the model. */
class History {
  readonly #book: EngineBook;
  readonly #id: number;
  #model = new Model();
  #before: Model | null = null;

  private constructor(book: EngineBook, id: number) {
    this.#book = book;
    this.#id = id;
  }

  static async open(book: EngineBook): Promise<History> {
    const { id } = await book.change((change) =>
      createAccount(
        change,
        { name: 'Bank', type: 'cash', balance: 0 },
        { createdBy: 'A', currency: 'usd' },
      ),
    );
    return new History(book, id);
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'wait') nowMs += step.days * dayMs;
    else if (step.kind === 'undo') await this.#undo();
    else {
      const before = this.#model.copy();
      const version = await this.#book.version();
      await this.#write(step);
      const isChanged = (await this.#book.version()) !== version;
      this.#before = isChanged ? before : this.#before;
    }
    await this.check();
  }

  async #write(step: Step): Promise<void> {
    const { kind } = step;
    if (kind === 'insert') await this.#insert(step);
    else if (kind === 'change') await this.#change(step);
    else if (kind === 'delete') await this.#delete(step);
    else if (kind === 'put') await this.#put(step.balance);
    else if (kind === 'user') await this.#know(day(step.day), step.balance);
    else await this.#import(step);
  }

  async #insert({ day: nth, amount, skip }: Partial<Record<string, unknown>>): Promise<void> {
    const date = day(nth as number);
    const created = await this.#book.change((change) =>
      createTransactions(change, {
        transactions: [{ date, amount: -(amount as number), manual_account_id: this.#id }],
        skip_balance_update: skip as boolean,
      }),
    );
    const last = this.#model.anchors.at(-1);
    this.#model.rows.set(created.ids[0]!, { date, amount: amount as number });
    if (skip === false) this.#model.wire += amount as number;
    if (skip === false || last === undefined || date > last.day) this.#model.putNow(today());
  }

  async #change({ at, day: nth, amount, skip }: Partial<Record<string, unknown>>): Promise<void> {
    const [id, row] = [...this.#model.rows][at as number] ?? [];
    const date = day(nth as number);
    if (id === undefined || row === undefined) return;
    const isSame = row.date === date && row.amount === amount;
    await this.#book.change((change) =>
      changeTransaction(
        change,
        id,
        { date, amount: -(amount as number) },
        { skipBalanceUpdate: skip as boolean },
      ),
    );
    if (isSame) return;
    const last = this.#model.anchors.at(-1);
    this.#model.rows.set(id, { date, amount: amount as number });
    if (skip === false) this.#model.wire += (amount as number) - row.amount;
    const isLater = last === undefined || date > last.day || row.date > last.day;
    if (skip === false || isLater) this.#model.putNow(today());
  }

  async #delete({ at }: Partial<Record<string, unknown>>): Promise<void> {
    const [id, row] = [...this.#model.rows][at as number] ?? [];
    if (id === undefined || row === undefined) return;
    await this.#book.change((change) => deleteTransactions(change, [id]));
    this.#model.rows.delete(id);
    this.#model.wire -= row.amount;
    this.#model.putNow(today());
  }

  async #put(balance: number): Promise<void> {
    const id = this.#id;
    await this.#book.change(function* (change) {
      const before = yield* find(manualAccounts, { book_id: change.bookId, id });
      yield* updateAccount(change, before!, { balance });
    });
    this.#model.wire = balance;
    this.#model.putNow(today());
  }

  async #know(on: string, balance: number): Promise<void> {
    const id = this.#id;
    await this.#book.change(function* (change) {
      const account = yield* accountWith(change.bookId, 'manual', id);
      yield* putAnchor(change, account, { day: on, source: 'user', balance: units(balance) });
      yield* followAnchors(change, id);
    });
    this.#model.put(on, 'user', balance);
    this.#model.follow();
  }

  async #import({ rows, closing }: Partial<Record<string, unknown>>): Promise<void> {
    const all = rows as (readonly [number, number])[];
    const stated = closing as readonly [number, number] | null;
    if (all.length === 0) return;
    const known = new Set(this.#model.rows.keys());
    const balances =
      stated === null
        ? []
        : [{ kind: 'ledger' as const, amount: units(stated[1]), date: day(stated[0]) }];
    await importEntries(this.#book.engine, this.#book.id, {
      entries: () =>
        all.map(([nth, amount], at) =>
          entryOf({ line: at + 2, date: day(nth), amount: units(amount), account: 'Bank' }),
        ),
      defaultAccount: null,
      dryRun: false,
      onDoubt: 'keep',
      choices: new Map(all.map((_, at) => [at + 1, 'keep'])),
      balances: new Map([['Bank', { currency: null, balances }]]),
    });
    const last = this.#model.anchors.at(-1);
    for (const [at, [nth, amount]] of all.entries()) {
      this.#model.rows.set(-1 - at - 100 * (known.size + 1), { date: day(nth), amount });
      if (last === undefined || day(nth) > last.day) this.#model.wire += amount;
    }
    if (stated !== null) {
      this.#model.put(day(stated[0]), 'statement', stated[1]);
      if (last === undefined || day(stated[0]) >= last.day) this.#model.follow();
    }
    await this.#takeIds();
  }

  /** Gives the rows of an import their ids. */
  async #takeIds(): Promise<void> {
    const stored = await this.#book.rows(transactions);
    const made = [...this.#model.rows].filter(([id]) => id < 0);
    const free = stored.filter(({ id }) => !this.#model.rows.has(id));
    for (const [at, [id, row]] of made.entries()) {
      this.#model.rows.delete(id);
      this.#model.rows.set(free[at]!.id, row);
    }
  }

  /** Undoes the last change. */
  async #undo(): Promise<void> {
    if (this.#before === null) return;
    const cause = { bookId: this.#book.id, actor: 'test', operation: 'undo' };
    await undoChange(this.#book.engine, cause, await this.#book.version(), { mode: 'refuse' });
    this.#model = this.#before;
    this.#before = null;
  }

  async check(): Promise<void> {
    const wanted = Array.from({ length: lengthOfTime }, (_, nth) => day(nth));
    const [bookId, id] = [this.#book.id, this.#id];
    const { account, balances, byAnchors } = await this.#book.read(function* () {
      const own = yield* accountWith(bookId, 'manual', id);
      const row = (yield* find(manualAccounts, { book_id: bookId, id }))!;
      const present = yield* balanceByAnchors(asAnchored(row));
      const { anchors, days } = yield* historyOf(own);
      const balances = balancesOn(wanted, anchors, days, BigInt(own.balance));
      return { account: row, balances, byAnchors: present };
    });
    assert.equal(formatAmount(account.balance), formatAmount(units(this.#model.wire)));
    if (byAnchors !== null) assert.equal(byAnchors, BigInt(account.balance), 'the present balance');
    assert.deepEqual(
      balances.map((each, nth) => `${wanted[nth]} ${formatAmount(each)}`),
      wanted.map((each) => `${each} ${formatAmount(units(this.#model.on(each)))}`),
    );
  }
}

onEnginesAt(
  'the balance of every day',
  () => nowMs,
  (open) => {
    it('is that of a model after any history of writes, imports, anchors and undos', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 14 }), async (history) => {
          nowMs = startMs;
          const own = await History.open(await open());
          for (const step of history) await own.take(step);
        }),
        { numRuns: runs(200) },
      );
    });
  },
);
