import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addDays, daysIn } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { balanceAnchors, manualAccounts, plaidAccounts } from '../db/tables/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { EngineBook } from '../http/testing/engine-book.ts';
import { openBooks } from '../http/testing/strict-client.ts';
import { pick } from '../http/testing/pick.ts';
import type { AccountDays } from './accounts/proof-schema.ts';
import type { ManualAccount } from './accounts/schema.ts';
import { storeRates } from './currencies/actions.ts';
import { BulkRows } from './transactions/writes.ts';
import { netWorthOf, type NetWorth } from './net-worth.ts';

const today = '2024-03-01';
const now = (): number => Date.parse(`${today}T12:00:00.000Z`);
const firstDay = '2024-01-01';
const dayAt = (day: number): string => addDays(firstDay, day);

const day = fc.nat(70).map(dayAt);
// Of whole hundreds, so that no rate rounds.
const amount = fc.integer({ min: -9000, max: 9000 }).map((each) => each * 100);
const accountArbitrary = fc.record({
  type: fc.constantFrom('cash', 'credit', 'loan', 'real estate'),
  currency: fc.constantFrom('usd', 'eur'),
  balance: fc.constantFrom(0, 0, 123_400),
  closedOn: fc.option(day, { nil: null, freq: 5 }),
  rows: fc.array(fc.record({ date: day, amount, isPending: fc.boolean() }), { maxLength: 8 }),
  anchors: fc.uniqueArray(fc.record({ day, balance: amount }), {
    maxLength: 4,
    selector: (each) => each.day,
  }),
});
type ModelAccount = typeof accountArbitrary extends fc.Arbitrary<infer A> ? A : never;

const rates = [
  ['2024-01-10', '1.1', 110n],
  ['2024-02-01', '1.25', 125n],
] as const;

/** What an account adds to the net worth on a day, by the definition; null if it does not count. */
function modelOf(account: ModelAccount, date: string): bigint | null {
  const rows = account.rows.filter(({ isPending }) => !isPending);
  const anchors = account.anchors.toSorted((a, b) => (a.day < b.day ? -1 : 1));
  const known = [...rows.map((row) => row.date), ...anchors.map((each) => each.day)];
  const since = known.toSorted()[0] ?? today;
  if (date < since || (account.closedOn !== null && date > account.closedOn)) return null;
  const sum = (from: string, upTo: string): bigint =>
    rows
      .filter((row) => row.date > from && row.date <= upTo)
      .reduce((total, row) => total - BigInt(row.amount), 0n);
  const before = anchors.findLast((each) => each.day <= date);
  const first = anchors[0];
  const isDebt = ['credit', 'loan'].includes(account.type);
  const present = BigInt(isDebt ? -account.balance : account.balance);
  const own =
    before !== undefined
      ? BigInt(before.balance) + sum(before.day, date)
      : first !== undefined
        ? BigInt(first.balance) - sum(date, first.day)
        : present - sum(date, '9999-12-31');
  if (account.currency === 'usd') return own;
  const rate = rates.findLast(([from]) => from <= date)?.[2] ?? 0n;
  return (own * rate) / 100n;
}

async function fill(book: EngineBook, accounts: readonly ModelAccount[]): Promise<void> {
  await book.change(function* (to) {
    const rows = new BulkRows(to);
    for (const [nth, { rows: own, anchors, closedOn, ...account }] of accounts.entries()) {
      const closed = closedOn === null ? {} : { status: 'closed', closed_on: closedOn };
      const made = { name: `Account ${nth}`, created_by_name: 'A', balance_as_of: to.at };
      const { id } = yield* to.insert(manualAccounts, { ...made, ...account, ...closed });
      for (const { isPending, ...row } of own) {
        const money = { to_base: 0, currency: account.currency, status: 'reviewed' };
        const more = { payee: 'P', manual_account_id: id, is_pending: isPending };
        rows.add({ id: yield* rows.nextId(), ...row, ...money, ...more });
      }
      for (const anchor of anchors)
        yield* to.insert(balanceAnchors, {
          ...anchor,
          ...{ manual_account_id: id, source: 'user', currency: account.currency, set_at: to.at },
        });
    }
    yield* rows.flush();
  });
}

for (const { name, skip, open } of engines)
  it(`is the sum of what a model has on each day: ${name}`, { skip }, async () => {
    const engine = await open(now);
    const usd = new Map(rates.map(([from, rate]) => [from, rate]));
    await engine.write(() => storeRates(new Map([['usd', usd]]), 'file'));
    await fc.assert(
      fc.asyncProperty(fc.array(accountArbitrary, { maxLength: 5 }), async (accounts) => {
        const book = await EngineBook.open(engine);
        await fill(book, accounts);
        const range = { start_date: firstDay, end_date: '2024-03-20', by: 'day' } as const;
        const { days } = await book.read(() => netWorthOf(book.book, range));
        const expected = Array.from({ length: 80 }, (_, at) => {
          const date = dayAt(at);
          const sum = (isDebt: boolean): bigint =>
            accounts
              .filter(({ type }) => ['credit', 'loan'].includes(type) === isDebt)
              .reduce((total, account) => total + (modelOf(account, date) ?? 0n), 0n);
          const [assets, debts] = [sum(false), -sum(true)];
          const net = formatAmount(assets - debts);
          return { date, assets: formatAmount(assets), debts: formatAmount(debts), net };
        });
        assert.deepEqual(days, expected);
        const months = await book.read(() => netWorthOf(book.book, { ...range, by: 'month' }));
        const ends = ['2024-01-31', '2024-02-29', '2024-03-20'];
        assert.deepEqual(
          months.days,
          days.filter(({ date }) => ends.includes(date)),
        );
      }),
      { numRuns: runs(name === 'SQLite' ? 60 : 10) },
    );
  });

const { ok, refused, book } = await openBooks();
const worth = (query = '') => ok<NetWorth>('GET', `/coffer/net_worth${query}`);

it('goes back to the first day of which something is known, without a month that was recorded', async () => {
  const account = { name: 'Bank', type: 'cash', currency: 'eur', balance: 0 };
  const { id } = await ok<ManualAccount>('POST', '/v2/manual_accounts', account);
  const row = { manual_account_id: id, currency: 'eur', payee: 'P' };
  const transactions = ['2008-02-10', '2008-04-30'].map((date) => ({ ...row, date, amount: 10 }));
  await ok('POST', '/v2/transactions', { transactions, skip_balance_update: true });
  const known = { day: '2008-02-29', balance: '100' };
  await ok('POST', `/coffer/accounts/${id}/anchors`, { ...known, forget_moved: true });
  await book.change((change) =>
    change.insert(plaidAccounts, {
      ...{ name: 'Card', institution_name: 'B', type: 'credit', subtype: 's', mask: '1' },
      ...{ linked_by_name: 'A', date_linked: '2008-03-05', currency: 'eur', balance: 70_000 },
    }),
  );
  const { days, accounts, currency } = await worth('?end_date=2008-05-03');
  assert.equal(currency, 'eur');
  assert.deepEqual(pick(days, 'date', 'assets', 'debts', 'net'), [
    ['2008-02-29', '100.0000', '0.0000', '100.0000'],
    ['2008-03-31', '100.0000', '7.0000', '93.0000'],
    ['2008-04-30', '90.0000', '7.0000', '83.0000'],
    ['2008-05-03', '90.0000', '7.0000', '83.0000'],
  ]);
  assert.deepEqual(
    accounts.map(({ kind, balances }) => [kind, ...balances]),
    [
      ['manual', '100.0000', '100.0000', '90.0000', '90.0000'],
      ['plaid', null, '-7.0000', '-7.0000', '-7.0000'],
    ],
  );
  const page = await ok<AccountDays>(
    'GET',
    `/coffer/accounts/${id}/days?start_date=2008-02-01&end_date=2008-02-10`,
  );
  const [first] = (await worth('?by=day&end_date=2008-02-10')).days;
  assert.deepEqual([first?.date, first?.net], ['2008-02-10', page.days[0]?.balance]);
  const whole = (await worth()).days;
  assert.deepEqual([whole.length, whole.at(-1)?.date], [190, '2023-11-14']);
  assert.ok(whole.slice(0, -1).every(({ date }) => isEndOfMonth(date)));
});

function isEndOfMonth(date: string): boolean {
  const [year, month, last] = date.split('-').map(Number);
  return last === daysIn(year!, month!);
}

it('refuses a range that is turned or too long, and names the field', async () => {
  const path = '/coffer/net_worth';
  const turned = await refused('GET', `${path}?start_date=2024-02-02&end_date=2024-02-01`);
  assert.deepEqual(pick(turned, 'instancePath', 'errMsg'), [
    [
      '/query/start_date',
      'Query parameter start_date must not be later than end_date "2024-02-01", not "2024-02-02"',
    ],
  ]);
  const long = `${path}?by=day&end_date=2023-11-14&start_date=`;
  assert.deepEqual(pick(await refused('GET', `${long}2020-08-01`), 'errMsg'), [
    'Query parameter start_date must be at most 1200 days before "2023-11-14", not 1201: "2020-08-01"',
  ]);
  assert.equal(
    (await worth('?by=day&end_date=2023-11-14&start_date=2020-08-02')).days.length,
    1200,
  );
  assert.equal((await worth('?by=day')).days.length, 1200);
});
