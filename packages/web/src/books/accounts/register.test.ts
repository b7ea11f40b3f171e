import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Transaction } from '../types.ts';
import { registerRows } from './register.ts';

const rowOf = (date: string, amount: string, more: Partial<Transaction> = {}): Transaction =>
  ({ date, amount, currency: 'usd', is_pending: false, ...more }) as Transaction;
const dayOf = (date: string, balance: string) => {
  return { date, balance, rows: 2, state: 'proved' as const };
};

it('the balance after each row is counted back from the end of its day', () => {
  const rows = [
    rowOf('2026-02-02', '5.0000', { is_pending: true }),
    rowOf('2026-02-02', '2.5000'),
    rowOf('2026-02-02', '-10.0000'),
    rowOf('2026-02-01', '1.0000'),
  ];
  const days = [dayOf('2026-02-01', '-0.5000'), dayOf('2026-02-02', '7.0000')];
  assert.deepEqual(
    registerRows(rows, days, 'usd').map(({ balance }) => balance),
    [null, '7.0000', '9.5000', '-0.5000'],
  );
});

it('a day with another currency has one balance, and a day that is not known none', () => {
  const rows = [
    rowOf('2026-02-02', '2.5000'),
    rowOf('2026-02-02', '1.0000', { currency: 'eur' }),
    rowOf('2026-02-01', '1.0000'),
  ];
  assert.deepEqual(
    registerRows(rows, [dayOf('2026-02-02', '7.0000')], 'usd').map(({ balance }) => balance),
    ['7.0000', null, null],
  );
});
