import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { addDays, dayOf } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { changing } from '../../changes/changing.ts';
import type { Change } from '../../changes/change.ts';
import { undo } from '../../changes/undo.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';
import * as tables from '../../db/tables.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { createAccount, updateAccount } from '../accounts/actions.ts';
import type { ManualAccount } from '../accounts/actions.ts';
import { removeAccount } from '../accounts/removal.ts';
import { BulkRows, insertTransactions } from '../transactions/actions.ts';
import { bookOf } from '../users/actions.ts';
import { deleteBook } from '../../changes/unlogged.ts';
import { newBook } from '../users/testing/new-book.ts';
import type { Book } from '../users/identity.ts';
import { listHistory } from './history.ts';
import { monthEndsJob, recordMonthEnds } from './month-ends-job.ts';
import { lastDayOf, monthBefore } from './rules.ts';
import { accountTarget } from './sources.ts';
import { writeEntries } from './upsert.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const startMs = Date.parse('2026-01-10T12:00:00.000Z');
const dayMs = 86_400_000;

for (const { name, skip, open } of usualEngines) {
  describe(`ends of months on ${name}`, { skip }, () => {
    let engine: Engine;
    let nowMs: number;
    let book: Book;
    before(async () => {
      engine = await open(() => nowMs);
    });
    beforeEach(async () => {
      nowMs = startMs;
      book = await newBook(engine);
    });

    const change = <T>(work: (change: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing({ bookId: book.id, actor: 'test', operation: 'test' }, work));
    const create = (type: 'cash' | 'loan', balance: string, currency: 'usd' | 'eur' = 'usd') =>
      change((to) => {
        const body = { name: `Account ${to.version}`, type, balance };
        return createAccount(to, body, { createdBy: 'A', currency });
      });
    const run = () => monthEndsJob.run(engine, nowMs);
    const version = async () => (await engine.read(() => bookOf(book.id))).version;
    const entries = () => engine.read(() => select(tables.balanceHistory, { book_id: book.id }));
    const spend = (account: number, amount: number, date: string) =>
      change(function* (to) {
        const id = yield* new BulkRows(to).nextId();
        const money = { amount, to_base: amount, currency: 'usd', status: 'reviewed' };
        const row = { id, date, ...money, payee: 'P', manual_account_id: account };
        yield* insertTransactions(to, [row]);
      });

    it('are recorded once for each book, as a version that can be undone', async () => {
      const cash = await create('cash', '10');
      const other = book;
      book = await newBook(engine);
      nowMs += 25 * dayMs;
      await run();
      assert.deepEqual(await entries(), [], 'no account');
      assert.equal(await version(), 1, 'nothing changed');
      book = other;
      const [first, ...rest] = await entries();
      assert.deepEqual(rest, []);
      const { id, ...entry } = first!;
      const others = { plaid_account_id: null, crypto_manual_id: null, crypto_synced_id: null };
      assert.deepEqual(entry, {
        ...{ book_id: book.id, manual_account_id: cash.id, ...others, deleted_account_id: null },
        ...{ symbol: null, month: '2026-01', balance: 100_000, currency: 'usd', to_base: 100_000 },
        crypto_balance: null,
      });
      const last = await version();
      await run();
      assert.equal(await version(), last);
      await change((to) => undo(to, last));
      await run();
      assert.deepEqual(await entries(), [], 'an entry that was removed does not come back');
      nowMs += 28 * dayMs;
      await Promise.all([run(), run()]);
      assert.deepEqual(
        (await entries()).map(({ month }) => month),
        ['2026-02'],
      );
      assert.ok(id > 0);
    });

    it('are recorded for accounts of every kind with a known balance', async () => {
      const linked = { linked_by_name: 'A', date_linked: '2020-01-01', currency: 'usd' };
      const bank = { institution_name: 'B', type: 't', subtype: 's', mask: '1', balance: 7 };
      const at = dayOf(startMs);
      await change(function* (to) {
        for (const status of ['active', 'relink', 'closed'])
          yield* to.insert(tables.plaidAccounts, { name: status, ...bank, ...linked, status });
        const late = { ...linked, date_linked: '2026-02-01' };
        yield* to.insert(tables.plaidAccounts, { name: 'late', ...bank, ...late });
        const { id: account_id } = yield* to.insert(tables.cryptoAccounts, {
          ...{ provider: 'kraken', status: 'active', sealed_credentials: Buffer.of(1) },
          created_by_name: 'A',
        });
        const asset = { account_id, quantity: `2.${'0'.repeat(18)}`, read_at: at };
        const price = { to_base: 9, price_as_of: at };
        yield* to.insert(tables.cryptoBalances, { ...asset, symbol: 'btc', name: 'B', ...price });
        yield* to.insert(tables.cryptoBalances, { ...asset, symbol: 'odd', name: 'O' });
      });
      nowMs += 25 * dayMs;
      await run();
      const found = (await entries()).map((row) => [row.symbol, row.balance, row.crypto_balance]);
      const quantity = `2.${'0'.repeat(18)}`;
      assert.deepEqual(found, [
        [null, 7, null],
        [null, 7, null],
        ['btc', 9, quantity],
      ]);
    });

    it('stop between books when the server stops, and continue when a book is gone', async () => {
      await create('cash', '10');
      nowMs += 25 * dayMs;
      await recordMonthEnds(engine, nowMs, AbortSignal.abort());
      assert.deepEqual(await entries(), []);
      const gone = await newBook(engine);
      const vanishing: Engine = Object.create(engine, {
        read: { value: engine.read.bind(engine) },
        write: {
          value: async <T>(steps: () => Steps<T>): Promise<T> => {
            await engine.write(() => deleteBook(gone.id));
            return engine.write(steps);
          },
        },
      }) as Engine;
      await recordMonthEnds(vanishing, nowMs);
      assert.equal((await entries()).length, 1);
    });

    it('agree with a model, whatever is done to the accounts and their history', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          nowMs = startMs;
          book = await newBook(engine);
          const model = new Model();
          for (const each of steps) await perform(each, model);
          const thisMonth = dayOf(nowMs).slice(0, 7);
          const months = { range: null, thisMonth };
          const listed = await engine.read(() => listHistory(book, months));
          assert.deepEqual(
            listed.map(({ source, balances }) => [
              'manual_account_id' in source ? source.manual_account_id : source.type,
              ...balances.map(({ month, balance, to_base }) => {
                assert.equal(JSON.stringify(to_base), balance);
                return `${month} ${balance}`;
              }),
            ]),
            model.list(thisMonth),
          );
        }),
        { numRuns: runs(name === 'SQLite' ? 60 : 8) },
      );
    });

    async function perform(each: ModelStep, model: Model): Promise<void> {
      const today = dayOf(nowMs);
      const account = model.accounts[each.account % Math.max(1, model.accounts.length)];
      if (each.kind === 'wait') nowMs += each.days * dayMs;
      else if (each.kind === 'job') {
        await run();
        model.recordMonth(monthBefore(today.slice(0, 7)));
      } else if (each.kind === 'create') {
        const type = each.amount % 2 === 0 ? 'cash' : 'loan';
        const { id } = await create(type, formatAmount(each.amount));
        model.accounts.push(new ModelAccount(id, type, each.amount, today));
      } else if (account !== undefined) await writes[each.kind](each, account, model);
    }

    const update = (id: number, body: Parameters<typeof updateAccount>[2]) =>
      changeAccount(id, (to, row) => updateAccount(to, row, body));
    const changeAccount = <T>(id: number, work: (to: Change, row: ManualAccount) => Steps<T>) =>
      change(function* (to) {
        const [row] = yield* select(tables.manualAccounts, { book_id: book.id, id });
        return yield* work(to, row!);
      });

    const writes: Record<
      'spend' | 'set' | 'close' | 'write' | 'remove',
      (each: ModelStep, account: ModelAccount, model: Model) => Promise<void>
    > = {
      spend: async ({ days, amount }, account) => {
        const date = addDays(dayOf(nowMs), days - 40);
        await spend(account.id, amount, date);
        account.moves.push([date, amount]);
      },
      set: async ({ amount }, account) => {
        await update(account.id, { balance: formatAmount(amount) });
        account.setBalance(amount);
      },
      close: async (_, account) => {
        const isOpen = account.closedOn === null;
        await update(account.id, { status: isOpen ? 'closed' : 'active' });
        account.closedOn = isOpen ? dayOf(nowMs) : null;
      },
      write: async ({ days, amount }, account) => {
        const month = addDays(dayOf(nowMs), -days - 31).slice(0, 7);
        await change(function* (to) {
          const target = yield* accountTarget(book, 'manual', account.id);
          yield* writeEntries(to, book, target, [{ month, balance: formatAmount(amount) }]);
        });
        account.entries.set(month, amount);
      },
      remove: async ({ amount }, account, model) => {
        const history = amount % 2 === 0;
        await changeAccount(account.id, (to, row) => removeAccount(to, row, { history }));
        model.remove(account, history);
      },
    };
  });
}

const kinds = ['wait', 'job', 'create', 'spend', 'set', 'close', 'write', 'remove'] as const;
const step = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('wait', 'job', 'spend') },
    { weight: 2, arbitrary: fc.constantFrom(...kinds) },
  ),
  account: fc.nat(3),
  amount: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  days: fc.nat(60),
});
type ModelStep = ReturnType<typeof step.generate>['value'];

/** An account as its start and the moves since, by date. */
class ModelAccount {
  readonly moves: [date: string, amount: number][] = [];
  readonly entries = new Map<string, number>();
  closedOn: string | null = null;
  #start: number;
  readonly id: number;
  readonly #sign: number;
  readonly #openedOn: string;

  constructor(id: number, type: 'cash' | 'loan', start: number, openedOn: string) {
    this.id = id;
    this.#sign = type === 'loan' ? 1 : -1;
    this.#start = start;
    this.#openedOn = openedOn;
  }

  /** The balance as far as moves until the day made it. */
  balanceOn(day: string): number {
    const moved = this.moves.filter(([date]) => date <= day).map(([, amount]) => amount);
    return this.#start + this.#sign * moved.reduce((one, other) => one + other, 0);
  }

  setBalance(balance: number): void {
    this.#start += balance - this.balanceOn('9999-12-31');
  }

  isOpenIn(month: string): boolean {
    const isClosed = this.closedOn !== null && this.closedOn < `${month}-01`;
    return this.#openedOn <= lastDayOf(month) && !isClosed;
  }
}

class Model {
  accounts: ModelAccount[] = [];
  readonly #deleted: (readonly [string, number])[][] = [];
  #recorded = '';

  recordMonth(month: string): void {
    if (month <= this.#recorded) return;
    this.#recorded = month;
    for (const each of this.accounts)
      if (each.isOpenIn(month) && !each.entries.has(month))
        each.entries.set(month, each.balanceOn(lastDayOf(month)));
  }

  remove(account: ModelAccount, withHistory: boolean): void {
    this.accounts = this.accounts.filter((each) => each !== account);
    if (!withHistory && account.entries.size > 0) this.#deleted.push([...account.entries]);
  }

  list(thisMonth: string): unknown[] {
    const lineOf = (name: number | string, entries: readonly (readonly [string, number])[]) => [
      name,
      ...entries.map(([month, balance]) => `${month} ${formatAmount(balance)}`).toSorted(),
    ];
    const existing = this.accounts.map((each) => {
      const current = each.isOpenIn(thisMonth) ? [each.balanceOn('9999-12-31')] : [];
      const now = current.map((balance) => [thisMonth, balance] as const);
      return lineOf(each.id, [...each.entries, ...now]);
    });
    const deleted = this.#deleted.map((entries) => lineOf('deleted', entries));
    return [...existing, ...deleted].filter((line) => line.length > 1);
  }
}
