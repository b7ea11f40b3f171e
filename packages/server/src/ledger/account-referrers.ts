import type { Change } from '../book/change.ts';
import { deleteUnlogged } from '../book/unlogged.ts';
import type { Steps } from '../db/engine.ts';
import { moveOrigins } from '../db/import-origins.ts';
import { select } from '../db/rows.ts';
import { accountNumbers, importOrigins } from '../db/tables/tables.ts';
import { recurringOfAccount } from './recurring/items.ts';
import { moveRulesToPlaid, rulesOfAccount, rulesOfPlaidAccount } from './rules/references.ts';

/** The account of a record after a merge: exactly one of the ids is not null. */
export interface AccountColumns {
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
}

/** A resource whose records refer to manual accounts, other than transactions and the history of balances. */
export interface AccountReferrer {
  /** Makes the records of a manual account refer to another account, which exists. */
  readonly moveTo: (change: Change, from: number, into: AccountColumns) => Steps<void>;
  /** Removes the records of an account that is about to be removed with its items. */
  readonly removeOf: (change: Change, kind: 'manual' | 'plaid', id: number) => Steps<void>;
}

/** Rules with a condition on the account. Without the account such a rule could never apply. */
const rules: AccountReferrer = {
  *moveTo(change, from, { manual_account_id: manualId, plaid_account_id: plaidId }) {
    if (manualId !== null) yield* rulesOfAccount.move(change, from, manualId);
    if (plaidId !== null) yield* moveRulesToPlaid(change, from, plaidId);
  },
  *removeOf(change, kind, id) {
    yield* (kind === 'manual' ? rulesOfAccount : rulesOfPlaidAccount).detach(change, id);
  },
};

/** The numbers by which imports find the account. A synced account has no imports. */
const numbers: AccountReferrer = {
  *moveTo(change, from, { manual_account_id: manualId }) {
    const rows = yield* numbersOf(change, from);
    if (manualId === null) yield* change.removeAll(accountNumbers, rows);
    else yield* change.updateAll(accountNumbers, rows, { manual_account_id: manualId });
  },
  *removeOf(change, kind, id) {
    if (kind === 'manual') yield* change.removeAll(accountNumbers, yield* numbersOf(change, id));
  },
};

/** What files had said of transactions that were changed or deleted. */
const origins: AccountReferrer = {
  *moveTo({ bookId }, from, into) {
    yield* moveOrigins(bookId, from, into);
  },
  *removeOf({ bookId: book_id }, kind, id) {
    yield* deleteUnlogged(importOrigins, { book_id, [`${kind}_account_id`]: id });
  },
};

function* numbersOf({ bookId: book_id }: Change, manual_account_id: number) {
  return yield* select(accountNumbers, { book_id, manual_account_id });
}

/**
 * This is the place to add a resource whose records have an account: merges and removals of accounts then include it.
 *
 * The list is not in actions.ts, which transactions use, and whose imports would then be cyclic.
 */
export const accountReferrers: readonly AccountReferrer[] = [
  recurringOfAccount,
  rules,
  numbers,
  origins,
];
