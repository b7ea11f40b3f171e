import type { TransactionStatus } from '../transaction-query.ts';
import { lastDay } from './calendar.ts';
import type { DemoCategory, DemoTransaction } from './demo-book.ts';
import type { Random } from './random.ts';

/** Whether somebody has looked at a row of that day: the last two weeks mostly not, some of the month before. */
export function reviewStatus(day: number, random: Random): TransactionStatus {
  const age = lastDay - day;
  const percentOpen = age <= 14 ? 93 : age <= 35 ? 28 : age <= 365 ? 0.4 : 0;
  return random.chance(percentOpen) ? 'unreviewed' : 'reviewed';
}

/** Since then the bank may take back what it sent. */
const takenBackSince = '2026-09-15';

/** The rows with two of the last weeks' reviewed purchases marked as taken back by the bank, if there are two. */
export function withDeletePending(
  rows: DemoTransaction[],
  categories: readonly DemoCategory[],
): DemoTransaction[] {
  const recent = rows.filter((row) => isRecentPurchase(row, categories));
  for (const third of [1, 2]) {
    const row = recent[Math.floor((recent.length * third) / 3)];
    if (row !== undefined) rows[rows.lastIndexOf(row)] = { ...row, status: 'delete_pending' };
  }
  return rows;
}

function isRecentPurchase(row: DemoTransaction, categories: readonly DemoCategory[]): boolean {
  if (row.date < takenBackSince || row.status !== 'reviewed' || row.amount < 0) return false;
  const isTransfer = row.category !== null && categories[row.category]?.excludeFromTotals === true;
  const isLoose = !row.isSplitParent && row.groupParent === null;
  return row.source === 'plaid' && isLoose && !isTransfer;
}
