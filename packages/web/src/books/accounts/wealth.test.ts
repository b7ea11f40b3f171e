import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { periodHref, transactionsHref } from '../filter/filter.ts';
import { formatCompact, roundedSum, unitsOf, unitsOfNumber } from '../formats/money.ts';
import { upcomingOf } from '../recurring/upcoming.ts';
import {
  columnsOf,
  cumulative,
  monthsIn,
  periodOf,
  readPeriodChoice,
  shownMonth,
  writePeriodChoice,
  yearBefore,
  type PeriodChoice,
} from '../reports/periods.ts';
import { seriesOf } from './balance-series.ts';
import { balanceRows } from './balances.ts';
import { netWorth, wealthKindOf } from './net-worth.ts';
import type { AccountHistory } from '../types.ts';

const months = monthsIn({ start: '2026-01-01', end: '2026-04-30' });

describe('net worth', () => {
  it('carries a balance to months without one, subtracts debts, and ends with a closed account', () => {
    const holding = (
      kind: 'cash' | 'debts' | 'property',
      isOpen: boolean,
      ...all: [string, bigint][]
    ) => ({
      key: kind,
      kind,
      isOpen,
      balances: all.map(([month, units]) => ({ month, units })),
    });
    const worth = netWorth(
      [
        holding('cash', true, ['2025-11', 10n], ['2026-03', 30n]),
        holding('debts', true, ['2026-02', 4n]),
        holding('property', false, ['2026-02', 100n]),
      ],
      months,
    );
    assert.deepEqual(
      worth.map(({ net, assets, debts }) => [net, assets, debts]),
      [
        [10n, 10n, 0n],
        [106n, 110n, 4n],
        [26n, 30n, 4n],
        [26n, 30n, 4n],
      ],
    );
  });

  it('has recorded months as they are, and the others from known balances and transactions', () => {
    const ends = ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-10'];
    const zero = { assets: '0.0000', debts: '0.0000', net: '0.0000' };
    const recorded = (month: string, to_base: number) =>
      ({ ...money, type: 'current', month, to_base }) as const;
    const money = { balance: '0.0000', currency: 'usd', crypto_balance: null } as const;
    const series = seriesOf({
      manual: [
        { id: 1, type: 'cash', status: 'active' },
        { id: 2, type: 'loan', status: 'closed' },
      ],
      plaid: [{ id: 1, type: 'depository', status: 'active' }],
      history: [
        {
          source: { type: 'manual', manual_account_id: 1 },
          balances: [recorded('2026-02', 7), recorded('2026-04', 9)],
        },
        {
          source: { type: 'crypto_manual', crypto_manual_id: 1, symbol: 'btc' },
          balances: [recorded('2026-04', 5)],
        },
      ],
      past: {
        currency: 'usd',
        days: ends.map((date) => ({ date, ...zero })),
        accounts: [
          { kind: 'manual', id: 1, balances: [null, '2.0000', '3.0000', '4.0000'] },
          { kind: 'manual', id: 2, balances: ['-1.0000', '-2.0000', null, null] },
          { kind: 'plaid', id: 1, balances: [null, null, null, '6.0000'] },
        ],
      },
    });
    assert.deepEqual(
      series.map(({ key, kind, isOpen, balances }) => [
        ...[key, kind, isOpen],
        balances.map(({ month, units }) => `${month} ${units / 10_000n}`).join(),
      ]),
      [
        ['manual:1', 'cash', true, '2026-02 7,2026-03 3,2026-04 9'],
        ['1', 'crypto', true, '2026-04 5'],
        ['manual:2', 'debts', false, '2026-01 1,2026-02 2'],
        ['plaid:1', 'cash', true, '2026-04 6'],
      ],
    );
    assert.deepEqual(
      netWorth(series, months).map(({ net }) => net / 10_000n),
      [-1n, 5n, 3n, 20n],
    );
  });

  it('knows what owes and what owns', () => {
    assert.equal(wealthKindOf('credit'), 'debts');
    assert.equal(wealthKindOf('depository'), 'cash');
    assert.equal(wealthKindOf('real estate'), 'property');
    assert.equal(wealthKindOf(null), 'property');
  });
});

describe('balances', () => {
  it('list accounts in use, what is owed as negative, and crypto without transactions', () => {
    const account = { id: 3, display_name: null, institution_name: null, currency: 'eur' } as const;
    const manual = [
      { ...account, name: 'Loan', type: 'loan', status: 'active', balance: '12.5000' },
      { ...account, name: 'Old', type: 'cash', status: 'closed', balance: '1.0000' },
    ] as const;
    const plaid = [
      { ...account, name: 'Bank', type: 'depository', status: 'active', balance: '0.0000' },
    ] as const;
    const crypto: AccountHistory = {
      source: { type: 'crypto_manual', crypto_manual_id: 1, symbol: 'btc' },
      balances: [
        {
          type: 'current',
          month: '2026-11',
          balance: '7.5000',
          currency: 'usd',
          to_base: 7.5,
          crypto_balance: '0.1',
        },
      ],
    };
    const rows = balanceRows(manual, plaid, [crypto], 'usd');
    assert.deepEqual(
      rows.map(({ name, units, currency, filter }) => [name, units, currency, filter]),
      [
        ['Bank', 0n, 'eur', { plaidAccountIds: [3] }],
        ['Loan', -125_000n, 'eur', { manualAccountIds: [3] }],
        ['BTC', 75_000n, 'usd', null],
      ],
    );
  });
});

describe('days', () => {
  it('sum up to each day, and end with today', () => {
    const spending = [
      { date: '2026-02-01', units: 5n },
      { date: '2026-02-03', units: -2n },
      { date: '2026-02-28', units: 1n },
      { date: '2026-01-31', units: 99n },
    ];
    assert.deepEqual(cumulative('2026-02', spending, '2026-02-04'), [5n, 5n, 3n, 3n]);
    assert.equal(cumulative('2026-02', spending, '2026-03-10').at(-1), 4n);
    assert.equal(cumulative('2026-02', spending, '2026-03-10').length, 28);
    assert.deepEqual(cumulative('2026-02', spending, '2026-01-31'), []);
  });
});

describe('periods', () => {
  it('are written in the address, and read from it', () => {
    const days = { start: '2026-02-10', end: '2026-03-05' };
    for (const choice of [
      ...[{ months: 3 }, { months: 24 }, { year: '2019' }, { isAll: true }, days],
    ] as PeriodChoice[])
      assert.deepEqual(readPeriodChoice(writePeriodChoice(choice)), choice);
    fc.assert(
      fc.property(fc.string(), fc.string(), (year, length) => {
        const search = new URLSearchParams({ year, months: length }).toString();
        const { start, end } = periodOf(readPeriodChoice(search), '2026-11');
        assert.ok(/^\d{4}-\d\d-01$/.test(start) && start <= end);
      }),
    );
    assert.deepEqual(periodOf({ months: 12 }, '2026-11'), {
      start: '2025-12-01',
      end: '2026-11-30',
    });
    assert.deepEqual(periodOf({ isAll: true }, '2026-11', '2019-04'), {
      start: '2019-04-01',
      end: '2026-11-30',
    });
    assert.deepEqual(readPeriodChoice('from=2026-03-05&to=2026-02-10'), days);
    assert.deepEqual(readPeriodChoice('from=2026-02-30&to=2026-03-05'), { months: 12 });
  });

  it('have a year before, whose February ends with its last day', () => {
    const before = (start: string, end: string): readonly string[] => {
      const period = yearBefore({ start, end });
      return [period.start, period.end];
    };
    assert.deepEqual(before('2024-02-01', '2024-02-29'), ['2023-02-01', '2023-02-28']);
    assert.deepEqual(before('2025-02-01', '2025-02-28'), ['2024-02-01', '2024-02-29']);
    assert.deepEqual(before('2024-02-29', '2024-03-15'), ['2023-02-28', '2023-03-15']);
    assert.deepEqual(before('2025-12-03', '2026-03-02'), ['2024-12-03', '2025-03-02']);
  });

  it('are divided into months, and long ones into years, without days outside', () => {
    assert.deepEqual(columnsOf({ start: '2026-02-10', end: '2026-03-05' }), [
      { key: '2026-02', start: '2026-02-10', end: '2026-02-28' },
      { key: '2026-03', start: '2026-03-01', end: '2026-03-05' },
    ]);
    assert.deepEqual(columnsOf({ start: '2022-11-05', end: '2026-02-01' })[0], {
      key: '2022',
      start: '2022-11-05',
      end: '2022-12-31',
    });
  });

  it('begin with this month, or with the newest one before it that has transactions', () => {
    assert.equal(shownMonth('2026-11-23', ['2027-01', '2026-11', '2026-10']), '2026-11');
    assert.equal(shownMonth('2026-11-23', ['2027-01', '2026-10', '2026-09']), '2026-10');
    assert.equal(shownMonth('2026-11-23', []), '2026-11');
  });

  it('link to the transactions that are behind a figure', () => {
    const period = { start: '2026-01-01', end: '2026-03-31' };
    assert.equal(
      periodHref(period, { categoryIds: [4, 7], counts: 'spending' }),
      '/transactions?q=2026-01..2026-03&category=4,7&counts=spending',
    );
    const month = { start: '2026-03-01', end: '2026-03-31' };
    assert.equal(periodHref(month), '/transactions?q=2026-03');
    const days = { start: '2026-03-01', end: '2026-03-30' };
    assert.equal(periodHref(days), '/transactions?q=2026-03-01..2026-03-30');
    assert.equal(transactionsHref({}), '/transactions');
  });
});

describe('amounts of reports', () => {
  it('are exact, and rounded to the places of their currency only for showing', () => {
    assert.equal(roundedSum(unitsOf('97243.7657'), 'usd'), '97243.7700');
    assert.equal(roundedSum(unitsOf('-0.0050'), 'eur'), '0.0000');
    assert.equal(roundedSum(unitsOf('1234.5000'), 'jpy'), '1234.0000');
    assert.equal(unitsOfNumber(436.79), 4_367_900n);
    assert.equal(formatCompact(12_000, { locale: 'en-US', currency: 'usd' }), '$12K');
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 44), max: 2 ** 44 }), (units) => {
        assert.equal(unitsOfNumber(units / 10_000), BigInt(units));
      }),
    );
  });
});

describe('upcoming', () => {
  it('are what is missing from today on, the next first', () => {
    const what = { payee: 'Rent', amount: '9.0000', currency: 'usd' } as const;
    const item = { id: 1, description: null, overrides: {}, transaction_criteria: what };
    const dates = ['2026-11-01', '2026-12-01'];
    const other = { ...item, id: 2, overrides: { payee: 'Shown' } };
    const found = upcomingOf(
      [
        { ...item, matches: { missing_transaction_dates: dates } },
        { ...other, matches: { missing_transaction_dates: ['2026-11-24'] } },
        { ...item, matches: null },
      ],
      '2026-11-23',
    );
    assert.deepEqual(
      found.map(({ date, name }) => [date, name]),
      [
        ['2026-11-24', 'Shown'],
        ['2026-12-01', 'Rent'],
      ],
    );
  });
});
