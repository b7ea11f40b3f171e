export type TransactionStatus = 'reviewed' | 'unreviewed' | 'delete_pending';

/**
 * A validated list request, with the names of the API. A row must match every filter.
 *
 * Dates are calendar dates `YYYY-MM-DD`, both bounds inclusive. `created_since` and `updated_since` are dates or
 * instants, exclusive: a row with exactly that time does not match. For account, category and recurring ids, 0 means
 * "none". A category group matches its member categories.
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
  /** True: only with the status `reviewed`; false: only with others. */
  readonly is_reviewed?: boolean;
  /** Members of this group; only with `include_group_children`. */
  readonly group_parent_id?: number;
  /** True: only pending rows; false: no pending rows. If given, `include_pending` has no effect. */
  readonly is_pending?: boolean;
  readonly include_pending: boolean;
  readonly include_split_parents: boolean;
  readonly include_group_children: boolean;
  readonly include_children: boolean;
  readonly include_metadata: boolean;
  readonly include_files: boolean;
}

/** One page as bytes: the elements of the API's `transactions` array as JSON in UTF-8, without brackets. */
export interface TransactionPage {
  readonly json: Buffer;
  readonly hasMore: boolean;
}
