export type TransactionStatus = 'reviewed' | 'unreviewed' | 'delete_pending';

/**
 * A validated list request: every filter that is present must hold.
 *
 * Dates are calendar dates `YYYY-MM-DD`, both bounds inclusive. `createdSince` and `updatedSince` are instants
 * (ISO 8601, UTC, milliseconds), exclusive: rows of exactly that instant do not match. Account and category ids
 * take 0 for "none of that kind". A category group matches its member categories.
 */
export interface TransactionQuery {
  /** 1 to 2000. */
  readonly limit: number;
  /** 0 to 2^53 - 1. */
  readonly offset: number;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly createdSince?: string;
  readonly updatedSince?: string;
  readonly manualAccountId?: number;
  readonly plaidAccountId?: number;
  readonly recurringId?: number;
  readonly categoryId?: number;
  readonly tagId?: number;
  readonly isGroupParent?: boolean;
  readonly status?: TransactionStatus;
  /** When given, decides alone whether pending rows are listed; `includePending` is then without effect. */
  readonly isPending?: boolean;
  readonly includePending: boolean;
  readonly includeSplitParents: boolean;
  readonly includeGroupChildren: boolean;
  readonly includeChildren: boolean;
  readonly includeMetadata: boolean;
  readonly includeFiles: boolean;
}

/** One page as bytes: the elements of the wire's `transactions` array, comma-separated UTF-8 JSON without brackets. */
export interface TransactionPage {
  readonly json: Buffer;
  readonly hasMore: boolean;
}
