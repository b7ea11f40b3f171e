import sql, { join } from 'sql-template-tag';
import type { Change } from '../../changes/change.ts';
import type { KeptRecords } from '../../changes/kept-records.ts';
import { readLater, readVersion } from '../../changes/log.ts';
import type { LoggedRecords } from '../../changes/log.ts';
import { netOf, pairsOf } from '../../changes/net.ts';
import type { NetRecords } from '../../changes/net.ts';
import { blocksOf } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { manualAccounts, transactions } from '../../db/tables.ts';
import { moveBalances, setBalance } from '../accounts/actions.ts';
import { movesOf } from '../transactions/actions.ts';
import type { TransactionRow } from '../transactions/actions.ts';

/**
 * Moves balances again by the transactions of an import that an undo keeps. The undo has moved them back by all
 * transactions of the import, and what users changed in the kept ones since has moved them already.
 */
export function* countKept(change: Change, version: number, kept: KeptRecords): Steps<void> {
  const logged = yield* readVersion(change.bookId, version);
  const lines = netOf(logged);
  const made = lines.filter(({ kind, record }) => kind === 'made' && record === transactions.name);
  for (const line of lines)
    if (line.kind === 'made' && line.record === manualAccounts.name)
      yield* emptyKept(change, line, logged, kept);
  const rows: TransactionRow[] = [];
  for (const line of made) rows.push(...(yield* originalsOf(change.bookId, line, version, kept)));
  yield* moveBalances(change, rows.flatMap(movesOf));
}

/** Takes back how the import moved the balances of accounts that it created, and that are kept. */
function* emptyKept(
  change: Change,
  { firstId, lastId }: NetRecords,
  logged: readonly LoggedRecords[],
  kept: KeptRecords,
): Steps<void> {
  const moves = logged.filter(
    ({ kind, record }) => kind === 'changed' && record === manualAccounts.name,
  );
  for (let id = firstId; id <= lastId; id += 1) {
    if (!kept.has(manualAccounts, { id })) continue;
    const account = yield* find(manualAccounts, { book_id: change.bookId, id });
    if (account === undefined) continue;
    const pairs = moves
      .filter((line) => line.firstId <= id && id <= line.lastId)
      .flatMap(({ diff }) => pairsOf(diff).filter(([name]) => name === 'balance'));
    const moved = pairs.reduce((sum, [, [from, to]]) => sum + Number(to) - Number(from), 0);
    yield* setBalance(change, account, account.balance - moved);
  }
}

/** Returns the kept transactions of a line as the import created them. */
function* originalsOf(
  bookId: number,
  line: NetRecords,
  version: number,
  kept: KeptRecords,
): Steps<TransactionRow[]> {
  const ids: number[] = [];
  for (let id = line.firstId; id <= line.lastId; id += 1)
    if (kept.has(transactions, { id })) ids.push(id);
  if (ids.length === 0) return [];
  const later = yield* readLater(bookId, line, version);
  const originals: TransactionRow[] = [];
  for (const block of blocksOf(ids)) {
    const and = sql`id IN (${join(block)})`;
    for (const row of yield* select(transactions, { book_id: bookId }, { and })) {
      const own = later.filter(({ firstId, lastId }) => firstId <= row.id && row.id <= lastId);
      const before = own
        .filter(({ kind }) => kind === 'changed')
        .toReversed()
        .flatMap(({ diff }) => pairsOf(diff).map(([name, [value]]) => [name, value] as const));
      // The oldest change comes last, and has the first values.
      originals.push({ ...row, ...(Object.fromEntries(before) as Partial<TransactionRow>) });
    }
  }
  return originals;
}
