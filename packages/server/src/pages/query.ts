export type TransactionStatus = 'reviewed' | 'unreviewed' | 'delete_pending';

/**
 * A validated list request by the names of the wire: every filter that is present must hold.
 *
 * Dates are calendar dates `YYYY-MM-DD`, both bounds inclusive. `created_since` and `updated_since` are dates or
 * instants, exclusive: rows of exactly that instant do not match. Account and category ids take 0 for "none of that
 * kind". A category group matches its member categories.
 */
export interface TransactionQuery {
  /** 1 to 2000. */
  readonly limit: number;
  /** 0 to 2^53 - 1. */
  readonly offset: number;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly created_since?: string;
  readonly updated_since?: string;
  readonly manual_account_id?: number;
  readonly plaid_account_id?: number;
  readonly recurring_id?: number;
  readonly category_id?: number;
  readonly tag_id?: number;
  readonly is_group_parent?: boolean;
  readonly status?: TransactionStatus;
  /** When given, decides alone whether pending rows are listed; `include_pending` is then without effect. */
  readonly is_pending?: boolean;
  readonly include_pending: boolean;
  readonly include_split_parents: boolean;
  readonly include_group_children: boolean;
  readonly include_children: boolean;
  readonly include_metadata: boolean;
  readonly include_files: boolean;
}

/** One page as bytes: the elements of the wire's `transactions` array, comma-separated UTF-8 JSON without brackets. */
export interface TransactionPage {
  readonly json: Buffer;
  readonly hasMore: boolean;
}
