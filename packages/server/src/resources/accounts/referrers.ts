import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';

/** A resource whose records belong to an account, and are deleted with it on request. */
export interface AccountReferrer {
  /** Removes the records of an account that is about to be removed. */
  readonly removeOf: (change: Change, kind: 'manual' | 'plaid', id: number) => Steps<void>;
}

/**
 * The resources whose records `delete_items` deletes in addition to transactions.
 *
 * The list is not in actions.ts, which transactions use, and whose imports would then be cyclic.
 */
export const accountReferrers: readonly AccountReferrer[] = [];
