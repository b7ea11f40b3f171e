import { storeRates } from '../currencies/actions.ts';
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { addDays, dayOf } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import type { Change } from '../../book/change.ts';
import { undo } from '../../book/undo.ts';
import { books as bookTable, balanceHistory } from '../../db/tables/tables.ts';
import { deleteUnlogged } from '../../book/unlogged.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import * as tables from '../../db/tables/tables.ts';
import { onEnginesAt, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { importRates } from '../rerate.ts';
import { createAccount, updateAccount, type ManualAccount } from '../accounts/actions.ts';
import { BulkRows, insertTransactions } from '../transactions/writes.ts';
import { removeAccount } from '../remove.ts';
import { deleteTransactions } from '../transactions/requests/checks.ts';
import { createTransactions } from '../transactions/requests/insert.ts';
import { changeTransactions } from '../transactions/requests/update.ts';
import { splitTransaction } from '../transactions/split.ts';
import { listHistory } from './routes.ts';
import { monthEndsJob } from './month-ends-job.ts';
import { lastDayOf, monthBefore } from './rules.ts';
import { accountTarget, writeEntries } from './sources.ts';

const startMs = Date.parse('2026-01-10T12:00:00.000Z');
const dayMs = 86_400_000;
const last = '9999-12-31';
const quantity = `2.${'0'.repeat(18)}`;
let nowMs = startMs;

const now = () => nowMs;

onEnginesAt('ends of months', now, (open, engineName) => {
  let book: EngineBook;
  beforeEach(async () => {
    nowMs = startMs;
    book = await open();
  });

  const create = (type: 'cash' | 'loan', balance: string) =>
    book.change((to) => {
      const body = { name: `Account ${to.version}`, type, balance };
      return createAccount(to, body, { createdBy: 'A', currency: 'usd' });
    });
  const run = () => monthEndsJob.run(book.engine, nowMs, new AbortController().signal);
  const entries = () => book.rows(tables.balanceHistory);

  it('are recorded once for each book, as a version that can be undone', async () => {
    const { id: manual_account_id } = await create('cash', '10');
    const empty = await open();
    nowMs += 25 * dayMs;
    await run();
    assert.deepEqual(await empty.rows(tables.balanceHistory), [], 'no account');
    assert.equal(await empty.version(), 1, 'nothing changed');
    const others = { plaid_account_id: null, crypto_manual_id: null, crypto_synced_id: null };
    const money = { balance: 100_000, currency: 'usd', to_base: 100_000, crypto_balance: null };
    const all = await entries();
    const entry = { id: all[0]?.id, book_id: book.id, symbol: null, month: '2026-01', ...money };
    assert.deepEqual(all, [{ ...entry, manual_account_id, ...others, deleted_account_id: null }]);
    const version = await book.version();
    await run();
    assert.equal(await book.version(), version);
    await book.change((to) => undo(to, version));
    await run();
    assert.deepEqual(await entries(), [], 'an entry that was removed does not come back');
    nowMs += 28 * dayMs;
    await Promise.all([run(), run()]);
    assert.deepEqual(pick(await entries(), 'month'), ['2026-02']);
  });

  it('are recorded although a later one was, before the clock went back', async () => {
    await create('cash', '10');
    for (const days of [400, -375, 0]) {
      nowMs += days * dayMs;
      await run();
    }
    assert.deepEqual(pick(await entries(), 'month').toSorted(), ['2026-01', '2027-01']);
  });

  it('are recorded for accounts of every kind with a known balance', async () => {
    const linked = { linked_by_name: 'A', date_linked: '2020-01-01', currency: 'usd' };
    const bank = { institution_name: 'B', type: 't', subtype: 's', mask: '1', balance: 7 };
    const at = dayOf(startMs);
    await book.change(function* (to) {
      for (const status of ['active', 'relink', 'closed'])
        yield* to.insert(tables.plaidAccounts, { name: status, ...bank, ...linked, status });
      const late = { ...linked, date_linked: '2026-02-01' };
      yield* to.insert(tables.plaidAccounts, { name: 'late', ...bank, ...late });
      const { id: account_id } = yield* to.insert(tables.cryptoAccounts, {
        provider: 'kraken',
        status: 'active',
        sealed_credentials: Buffer.of(1),
        created_by_name: 'A',
      });
      const asset = { account_id, quantity, read_at: at };
      const price = { to_base: 9, price_as_of: at };
      yield* to.insert(tables.cryptoBalances, { ...asset, symbol: 'btc', name: 'B', ...price });
      yield* to.insert(tables.cryptoBalances, { ...asset, symbol: 'odd', name: 'O' });
    });
    nowMs += 25 * dayMs;
    await run();
    assert.deepEqual(pick(await entries(), 'symbol', 'balance', 'crypto_balance'), [
      [null, 7, null],
      [null, 7, null],
      ['btc', 9, quantity],
    ]);
  });

  it('stop between books when the server stops, and continue when a book is gone', async () => {
    await create('cash', '10');
    nowMs += 25 * dayMs;
    await monthEndsJob.run(book.engine, nowMs, AbortSignal.abort());
    assert.deepEqual(await entries(), []);
    const gone = await open();
    const { engine } = book;
    const vanishing: Engine = Object.create(engine, {
      read: { value: engine.read.bind(engine) },
      write: {
        value: async <T>(steps: () => Steps<T>): Promise<T> => {
          await engine.write(() => deleteUnlogged(bookTable, { id: gone.id }));
          return engine.write(steps);
        },
      },
    }) as Engine;
    await monthEndsJob.run(vanishing, nowMs, new AbortController().signal);
    assert.equal((await entries()).length, 1);
  });

  it('agree with a model, whatever is done to the accounts and their history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        nowMs = startMs;
        book = await open();
        const model = new Model();
        for (const each of steps) await perform(each, model);
        const thisMonth = dayOf(nowMs).slice(0, 7);
        const months = { range: null, thisMonth };
        const listed = await book.read(() => listHistory(book.book, months));
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
      { numRuns: runs(engineName === 'SQLite' ? 60 : 8) },
    );
  });

  it('count transactions in other currencies at the rates of their dates, as balances do', async () => {
    const rates = {
      usd: { '2026-01-01': '1.1', '2026-02-01': '1.23' },
      gbp: { '2026-02-01': '0.87' },
    };
    const known = Object.entries(rates).map(([code, days]) => [
      code,
      new Map(Object.entries(days)),
    ]);
    await book.write(() => storeRates(new Map(known as []), 'file'));
    const [{ id: cash }, { id: loan }] = [await create('cash', '0'), await create('loan', '0')];
    await update(cash, { currency: 'eur' });
    const january = { date: '2026-01-05', currency: 'usd', manual_account_id: cash, payee: 'P' };
    const february = { ...january, date: '2026-02-03' };
    const all = [
      { ...january, amount: 11 },
      { ...february, amount: 12.3 },
      // There is no rate of pounds in January.
      { ...january, currency: 'gbp', amount: 5 },
      { ...february, currency: 'gbp', amount: 0.87 },
      { ...january, currency: 'eur', amount: 1, manual_account_id: loan },
    ] as const;
    const { ids } = await book.change((to) =>
      createTransactions(to, { transactions: all as never }),
    );
    await book.change(function* (to) {
      const whole = yield* find(tables.transactions, { book_id: book.id, id: ids[1]! });
      yield* splitTransaction(to, whole!, [{ amount: 100_000 }, { amount: 23_000 }]);
    });
    const balances = async () => pick(await book.rows(tables.manualAccounts), 'balance');
    const values = async () => pick(await book.rows(tables.transactions), 'to_base');
    assert.deepEqual(await values(), [110_000, 123_000, 0, 12_300, 11_000, 100_000, 23_000]);
    assert.deepEqual(await balances(), [-210_000, 11_000]);
    const pending = { ...february, status: 'unreviewed', is_pending: true };
    const money = { amount: 70_000, to_base: 70_000 };
    await book.change(function* (to) {
      const id = yield* new BulkRows(to).nextId();
      yield* insertTransactions(to, [{ id, ...pending, ...money }]);
    });
    assert.deepEqual(await balances(), [-210_000, 11_000], 'a pending row moves no balance');
    nowMs = Date.parse('2026-02-15T00:00:00.000Z');
    await run();
    assert.deepEqual(pick(await entries(), 'manual_account_id', 'balance'), [
      [cash, -100_000],
      [loan, 11_000],
    ]);
    const later = { id: ids[0]!, date: february.date };
    await book.change((to) => changeTransactions(to, [later] as never));
    assert.deepEqual(await balances(), [-199_431, 11_000], 'half to even');
    const euros = { id: ids[4]!, date: february.date, currency: 'eur', amount: 2 };
    await book.change((to) => changeTransactions(to, [euros] as never));
    assert.deepEqual([(await values())[4], await balances()], [24_600, [-199_431, 24_600]]);
    await book.change((to) => deleteTransactions(to, ids.toSpliced(1, 1)));
    assert.deepEqual(await balances(), [-100_000, 0]);
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
      const opened = {
        id,
        sign: type === 'loan' ? 1 : -1,
        openedOn: today,
        closedOn: null,
      } as const;
      model.accounts.push({ ...opened, start: each.amount, moves: [], entries: new Map() });
    } else if (account !== undefined) await writes[each.kind](each, account, model);
  }

  const changeAccount = <T>(id: number, work: (to: Change, row: ManualAccount) => Steps<T>) =>
    book.change(function* (to) {
      const row = yield* find(tables.manualAccounts, { book_id: book.id, id });
      return yield* work(to, row!);
    });
  const update = (id: number, body: Parameters<typeof updateAccount>[2]) =>
    changeAccount(id, (to, row) => updateAccount(to, row, body));

  const writes: Record<
    'spend' | 'set' | 'close' | 'write' | 'remove',
    (each: ModelStep, account: ModelAccount, model: Model) => Promise<void>
  > = {
    spend: async ({ days, amount }, account) => {
      const date = addDays(dayOf(nowMs), days - 40);
      await book.change(function* (to) {
        const id = yield* new BulkRows(to).nextId();
        const money = { amount, to_base: amount, currency: 'usd', status: 'reviewed' };
        const row = { id, date, ...money, payee: 'P', manual_account_id: account.id };
        yield* insertTransactions(to, [row]);
      });
      account.moves.push([date, amount]);
    },
    set: async ({ amount }, account) => {
      await update(account.id, { balance: formatAmount(amount) });
      account.start += amount - balanceOn(account, last);
    },
    close: async (_, account) => {
      const isOpen = account.closedOn === null;
      await update(account.id, { status: isOpen ? 'closed' : 'active' });
      account.closedOn = isOpen ? dayOf(nowMs) : null;
    },
    write: async ({ days, amount }, account) => {
      const month = addDays(dayOf(nowMs), -days - 31).slice(0, 7);
      await book.change(function* (to) {
        const target = yield* accountTarget(book.book, 'manual', account.id);
        yield* writeEntries(to, book.book, target, [{ month, balance: formatAmount(amount) }]);
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
interface ModelAccount {
  readonly id: number;
  readonly sign: 1 | -1;
  readonly openedOn: string;
  start: number;
  closedOn: string | null;
  readonly moves: [date: string, amount: number][];
  readonly entries: Map<string, number>;
}

/** The balance as far as moves until the day made it. */
function balanceOn({ start, sign, moves }: ModelAccount, day: string): number {
  const moved = moves.filter(([date]) => date <= day).map(([, amount]) => amount);
  return start + sign * moved.reduce((one, other) => one + other, 0);
}

function isOpenIn({ openedOn, closedOn }: ModelAccount, month: string): boolean {
  const isClosed = closedOn !== null && closedOn < `${month}-01`;
  return openedOn <= lastDayOf(month) && !isClosed;
}

class Model {
  accounts: ModelAccount[] = [];
  readonly #deleted: (readonly [string, number])[][] = [];
  #recorded = '';

  recordMonth(month: string): void {
    if (month <= this.#recorded) return;
    this.#recorded = month;
    for (const each of this.accounts)
      if (isOpenIn(each, month) && !each.entries.has(month))
        each.entries.set(month, balanceOn(each, lastDayOf(month)));
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
      const now = isOpenIn(each, thisMonth) ? [[thisMonth, balanceOn(each, last)] as const] : [];
      return lineOf(each.id, [...each.entries, ...now]);
    });
    const deleted = this.#deleted.map((entries) => lineOf('deleted', entries));
    return [...existing, ...deleted].filter((line) => line.length > 1);
  }
}

const inApril = () => Date.parse('2026-04-01T00:00:00.000Z');

onEnginesAt('values of past balances', inApril, (open) => {
  it('are at the rate of the end of the month, and change when that rate does', async () => {
    const book = await open();
    const store = (rates: Record<string, string>) =>
      importRates(book.engine, {
        files: [new Map([['usd', new Map(Object.entries(rates))]])],
        source: 'file',
        actor: 'command',
      });
    const values = async () =>
      pick(await book.rows(balanceHistory), 'month', 'currency', 'to_base');

    await store({ '2026-01-31': '1.2', '2026-02-01': '1.5' });
    await book.change(function* (to) {
      const body = { name: 'E', type: 'cash', balance: '1' } as const;
      const defaults = { createdBy: 'A', currency: 'eur' };
      const { id } = yield* createAccount(to, body, defaults);
      const target = yield* accountTarget(book.book, 'manual', id);
      yield* writeEntries(to, book.book, target, [
        ...['2025-12', '2026-01', '2026-02'].map((month) => ({ month, balance: '1' })),
        { month: '2026-03', balance: '1', currency: 'usd' },
      ]);
    });
    const early = [
      ['2025-12', 'eur', 0],
      ['2026-01', 'eur', 12_000],
    ];
    const own = ['2026-03', 'usd', 10_000];
    assert.deepEqual(await values(), [...early, ['2026-02', 'eur', 15_000], own]);
    const { updated } = await store({ '2026-02-20': '1.4' });
    assert.equal(updated.records, 2, 'one entry, and the present balance');
    assert.deepEqual(await values(), [...early, ['2026-02', 'eur', 14_000], own]);
    await store({ '2025-12-31': '2' });
    assert.deepEqual((await values())[0], ['2025-12', 'eur', 20_000]);
  });
});
