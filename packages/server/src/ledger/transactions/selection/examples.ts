import { transactionExamples } from '../examples.ts';
import type { PayeeList, TransactionMonths, TransactionSelection } from './schema.ts';
import type { TransactionSums } from './schema.ts';

const { page } = transactionExamples.list;
const found: TransactionSelection = { ...page.value, total: 41 };
const nothing: TransactionSelection = { transactions: [], has_more: false, total: 0 };

const months: TransactionMonths = {
  months: [
    { month: '2026-03', count: 2, total: '-2832.6000' },
    { month: '2026-02', count: 39, total: '1204.5500' },
  ],
  count: 41,
  total: '-1628.0500',
};

const byMonth: TransactionSums = {
  sums: [
    { month: '2026-02', count: 39, total: '1204.5500' },
    { month: '2026-03', count: 2, total: '-2832.6000' },
  ],
};

const byCategory: TransactionSums = {
  sums: [
    { category_id: null, count: 3, total: '61.0000' },
    { category_id: 12, count: 38, total: '-1689.0500' },
  ],
};

const payees: PayeeList = {
  payees: [
    { payee: 'Corner Bakery', count: 112, last_date: '2026-03-14', category_id: 12 },
    { payee: 'The Corner Shop', count: 9, last_date: '2025-11-02', category_id: null },
  ],
};

/** Example bodies; tests check each against its schema. */
export const selectionExamples = {
  list: {
    page: { summary: 'A first page with limit=2', value: found },
    nothing: { summary: 'Nothing matches', value: nothing },
    earlier: { summary: 'A page with as_of', value: page.value },
  },
  months: { months: { summary: 'Two months', value: months } },
  sums: {
    byMonth: { summary: 'By month', value: byMonth },
    byCategory: { summary: 'By category', value: byCategory },
  },
  payees: { corner: { summary: 'Payees with "corner"', value: payees } },
};
