import sql, { raw } from 'sql-template-tag';
import { dialectOf } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { find, rowsAs } from '../db/rows.ts';
import { integer, nullable, text } from '../db/table.ts';
import { manualAccounts, plaidAccounts } from '../db/tables/tables.ts';
import type { FeedChange } from '../history/feed/changes.ts';
import { proofOf, withBalance } from '../ledger/accounts/account-proof.ts';
import { summaryOf } from '../ledger/accounts/proof.ts';
import type { ProofSummary } from '../ledger/accounts/proof.ts';

/** Most accounts in one message. */
const mostProofs = 20;

/** Whether the balances of an account follow from its transactions: see `GET /coffer/accounts/{id}/proof`. */
export interface AccountState extends ProofSummary {
  readonly kind: 'manual' | 'plaid';
  readonly id: number;
}

/**
 * Returns the present state of the proofs of accounts whose transactions or known balances are among changes of one
 * version, also of those that these have left. Accounts of which no two balances are known are left out.
 */
export function* proofsOf(bookId: number, changes: readonly FeedChange[]): Steps<AccountState[]> {
  const keys = new Set<string>();
  for (const record of ['transactions', 'balance_anchors'] as const) {
    const ids = changes.filter((each) => each.record === record).map(({ id }) => id);
    if (ids.length === 0) continue;
    const at = { bookId, version: changes[0]!.version, record, ids };
    for (const key of yield* ownersOf(at)) keys.add(key);
  }
  const states: AccountState[] = [];
  for (const key of [...keys].toSorted().slice(0, mostProofs)) {
    const state = yield* stateOf(bookId, key);
    if (state !== null && state.state !== 'unknown') states.push(state);
  }
  return states;
}

interface Changed {
  readonly bookId: number;
  readonly version: number;
  readonly record: 'transactions' | 'balance_anchors';
  readonly ids: readonly number[];
}

/** The accounts that records have, and those that they had before the version, such as `manual 3`. */
function* ownersOf({ bookId, version, record, ids }: Changed): Steps<string[]> {
  const { isAmong } = yield* dialectOf();
  const present = yield* rowsAs(
    { manual_account_id: nullable(integer), plaid_account_id: nullable(integer) },
    sql`SELECT DISTINCT manual_account_id, plaid_account_id FROM ${raw(record)}
      WHERE book_id = ${bookId} AND ${isAmong(sql`id`, ids)}`,
  );
  const lines = yield* rowsAs(
    { diff: text },
    sql`SELECT diff FROM changed_records
      WHERE book_id = ${bookId} AND version = ${version} AND record = ${record}
        AND ${isAmong(sql`first_id`, ids)}
        AND (kind = 'removed' OR kind = 'changed' AND diff LIKE '%account_id":[%')`,
  );
  const former = lines.map(({ diff }) => JSON.parse(diff) as Record<string, unknown>);
  return [...present, ...former].flatMap((values) =>
    (['manual', 'plaid'] as const).flatMap((kind) => {
      // Of what has changed, the log has the values before and after.
      const [id] = [values[`${kind}_account_id`]].flat();
      return typeof id === 'number' ? [`${kind} ${id}`] : [];
    }),
  );
}

function* stateOf(bookId: number, key: string): Steps<AccountState | null> {
  const [kind, id] = key.split(' ') as [AccountState['kind'], string];
  const where = { book_id: bookId, id: Number(id) };
  const row =
    kind === 'manual' ? yield* find(manualAccounts, where) : yield* find(plaidAccounts, where);
  if (row === undefined) return null;
  const { stretches } = yield* proofOf(withBalance(kind, row));
  return { kind, id: row.id, ...summaryOf(stretches) };
}
