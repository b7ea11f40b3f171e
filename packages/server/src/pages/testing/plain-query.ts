import type { TransactionQuery } from '../filter.ts';
import type { Selection } from '../selection/query.ts';

/** The list without parameters: the defaults of a request. */
export const plainQuery: TransactionQuery = {
  limit: 1000,
  offset: 0,
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  include_children: false,
  include_metadata: false,
  include_files: false,
};

/** The search without words. */
export const plainSelection: Selection = { ...plainQuery, limit: 100, words: [], sort: '-date' };
