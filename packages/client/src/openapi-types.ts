/*
 * What the API document says, as types. Made by build/types.ts from docs/openapi.json: not to be edited.
 */
/* eslint-disable @typescript-eslint/consistent-indexed-object-style -- the generator's way */
/** The records of the service, by their names. */
export interface components {
  schemas: {
    /**
     * Transaction list
     * @description One page of the transactions that match, and whether more follow.
     */
    TransactionListResponse: {
      /** @description The transactions of the page, newest first: by `date`, then by `id`, both descending. Empty when nothing matches, or when `offset` lies past the last match. */
      transactions: components['schemas']['Transaction'][];
      /** @description True when more transactions match beyond this page: ask again with `offset` raised by `limit`. False on the last page, also when that page is full. */
      has_more: boolean;
    };
    /**
     * Transaction
     * @description Money that moved on a day. The keys that are not required are absent, not null, when they were not asked for.
     */
    Transaction: {
      /**
       * Format: int64
       * @description The id of the transaction.
       */
      id: number;
      /**
       * Format: date
       * @description The day of the transaction, `YYYY-MM-DD`, without a time zone.
       */
      date: string;
      /** @description The amount in `currency`, as text with exactly four decimals. Positive is money out, negative is money in, whatever the category. */
      amount: string;
      /** @description The currency of `amount`. */
      currency: components['schemas']['Currency'];
      /**
       * Format: double
       * @description The amount in the book's primary currency, with the sign of `amount`; equal to it when the currencies are the same.
       */
      to_base: number;
      /**
       * Format: int64
       * @description The id of the recurring item it belongs to; null for none.
       */
      recurring_id: number | null;
      /** @description Who was paid or who paid. The recurring item's payee when the transaction belongs to one. */
      payee: string;
      /** @description The payee as the source first gave it, which later changes leave alone; null when it was not kept. */
      original_name: string | null;
      /**
       * Format: int64
       * @description The id of its category, never of a group; null when it is uncategorized.
       */
      category_id: number | null;
      /**
       * Format: int64
       * @description The id of the synced account it belongs to; null when it belongs to a manual one or to none.
       */
      plaid_account_id: number | null;
      /**
       * Format: int64
       * @description The id of the manual account it belongs to; null when it belongs to a synced one or to none.
       */
      manual_account_id: number | null;
      /** @description The id that another system gave it: at most 75 characters, unique within a manual account; null for none. */
      external_id: string | null;
      /** @description The ids of its tags; empty when it has none. */
      tag_ids: number[];
      /** @description What the user wrote about it; null when nothing. The recurring item's notes when it belongs to one. */
      notes: string | null;
      /**
       * @description `reviewed`: the user, or a reviewed recurring item, has approved it. `unreviewed`: nobody has; pending ones always are. `delete_pending`: its bank has withdrawn it after the user changed it, and the user has to decide.
       * @enum {string}
       */
      status: 'reviewed' | 'unreviewed' | 'delete_pending';
      /** @description Whether its bank has yet to post it. Only transactions of synced accounts can be pending. */
      is_pending: boolean;
      /**
       * Format: date-time
       * @description When the record was made, in UTC.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the record was last changed, in UTC.
       */
      updated_at: string;
      /** @description Whether it has been split into others. Lists leave such a transaction out unless `include_split_parents` is true. */
      is_split_parent: boolean;
      /**
       * Format: int64
       * @description The id of the transaction it was split from; null when it is no part of a split.
       */
      split_parent_id: number | null;
      /** @description Whether it stands for a group of transactions; `amount` and `currency` are then those of the whole group. */
      is_group_parent: boolean;
      /**
       * Format: int64
       * @description The id of the group it is a member of; null when it is in none. Lists leave members out unless `include_group_children` is true.
       */
      group_parent_id: number | null;
      /** @description The parts of a split transaction, or the members of a group. Absent for any other transaction. In lists only with `include_children`. */
      children?: components['schemas']['ChildTransaction'][];
      /** @description What the bank link sent along, an object of any shape; null when nothing. In lists only with `include_metadata`. */
      plaid_metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description The caller's own data about it, an object of any shape; null when nothing. In lists only with `include_metadata`. */
      custom_metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description The files attached to it; empty for none. In lists only with `include_files`. */
      files?: components['schemas']['TransactionAttachment'][];
      /**
       * @description Where it came from. `api`: this interface. `csv`: an imported file. `manual`: typed in. `merge`: an account merged into another. `plaid`: a synced account. `recurring`: a recurring item. `rule`: a rule that splits. `split`: a split. `user`: an old word for `csv` or `manual`. Null: not known.
       * @enum {string|null}
       */
      source:
        | 'api'
        | 'csv'
        | 'manual'
        | 'merge'
        | 'plaid'
        | 'recurring'
        | 'rule'
        | 'split'
        | 'user'
        | null;
    };
    /**
     * Child transaction
     * @description A part of a split transaction, or a member of a group, as its parent shows it. It has no `children` of its own.
     */
    ChildTransaction: {
      /**
       * Format: int64
       * @description The id of the transaction.
       */
      id: number;
      /**
       * Format: date
       * @description The day of the transaction, `YYYY-MM-DD`, without a time zone.
       */
      date: string;
      /** @description The amount in `currency`, as text with exactly four decimals. Positive is money out, negative is money in, whatever the category. */
      amount: string;
      /** @description The currency of `amount`. */
      currency: components['schemas']['Currency'];
      /**
       * Format: double
       * @description The amount in the book's primary currency, with the sign of `amount`; equal to it when the currencies are the same.
       */
      to_base: number;
      /**
       * Format: int64
       * @description The id of the recurring item it belongs to; null for none.
       */
      recurring_id: number | null;
      /** @description Who was paid or who paid. The recurring item's payee when the transaction belongs to one. */
      payee: string;
      /** @description The payee as the source first gave it, which later changes leave alone; null when it was not kept. */
      original_name: string | null;
      /**
       * Format: int64
       * @description The id of its category, never of a group; null when it is uncategorized.
       */
      category_id: number | null;
      /**
       * Format: int64
       * @description The id of the synced account it belongs to; null when it belongs to a manual one or to none.
       */
      plaid_account_id: number | null;
      /**
       * Format: int64
       * @description The id of the manual account it belongs to; null when it belongs to a synced one or to none.
       */
      manual_account_id: number | null;
      /** @description The id that another system gave it: at most 75 characters, unique within a manual account; null for none. */
      external_id: string | null;
      /** @description The ids of its tags; empty when it has none. */
      tag_ids: number[];
      /** @description What the user wrote about it; null when nothing. The recurring item's notes when it belongs to one. */
      notes: string | null;
      /**
       * @description `reviewed`: the user, or a reviewed recurring item, has approved it. `unreviewed`: nobody has; pending ones always are. `delete_pending`: its bank has withdrawn it after the user changed it, and the user has to decide.
       * @enum {string}
       */
      status: 'reviewed' | 'unreviewed' | 'delete_pending';
      /** @description Whether its bank has yet to post it. Only transactions of synced accounts can be pending. */
      is_pending: boolean;
      /**
       * Format: date-time
       * @description When the record was made, in UTC.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the record was last changed, in UTC.
       */
      updated_at: string;
      /** @description Whether it has been split into others. Lists leave such a transaction out unless `include_split_parents` is true. */
      is_split_parent: boolean;
      /**
       * Format: int64
       * @description The id of the transaction it was split from; null when it is no part of a split.
       */
      split_parent_id: number | null;
      /** @description Whether it stands for a group of transactions; `amount` and `currency` are then those of the whole group. */
      is_group_parent: boolean;
      /**
       * Format: int64
       * @description The id of the group it is a member of; null when it is in none. Lists leave members out unless `include_group_children` is true.
       */
      group_parent_id: number | null;
      /** @description What the bank link sent along, an object of any shape; null when nothing. In lists only with `include_metadata`. */
      plaid_metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description The caller's own data about it, an object of any shape; null when nothing. In lists only with `include_metadata`. */
      custom_metadata?: {
        [key: string]: unknown;
      } | null;
      /** @description The files attached to it; empty for none. In lists only with `include_files`. */
      files?: components['schemas']['TransactionAttachment'][];
      /**
       * @description Where it came from. `api`: this interface. `csv`: an imported file. `manual`: typed in. `merge`: an account merged into another. `plaid`: a synced account. `recurring`: a recurring item. `rule`: a rule that splits. `split`: a split. `user`: an old word for `csv` or `manual`. Null: not known.
       * @enum {string|null}
       */
      source:
        | 'api'
        | 'csv'
        | 'manual'
        | 'merge'
        | 'plaid'
        | 'recurring'
        | 'rule'
        | 'split'
        | 'user'
        | null;
    };
    /**
     * Transaction attachment
     * @description A file attached to a transaction: what is known about it, not its content.
     */
    TransactionAttachment: {
      /**
       * Format: int64
       * @description The id of the attachment.
       */
      id: number;
      /**
       * Format: int64
       * @description The id of the user who attached it.
       */
      uploaded_by: number;
      /** @description The file's name. */
      name: string;
      /** @description The file's media type, such as `application/pdf`. */
      type: string;
      /** @description The size of the file in kilobytes. */
      size: number;
      /** @description What the user wrote about it; null when nothing. */
      notes: string | null;
      /**
       * Format: date-time
       * @description When it was attached, in UTC.
       */
      created_at: string;
    };
    /**
     * Category list
     * @description All categories of the book, in one answer without pages.
     */
    CategoryListResponse: {
      /** @description Sorted by `order`; then those whose `order` is null, by name. Empty when the book has none. */
      categories: components['schemas']['Category'][];
    };
    /**
     * Category
     * @description A category of transactions, or a group of such categories.
     */
    Category: {
      /**
       * Format: int64
       * @description The id of the category, unique over categories and groups.
       */
      id: number;
      /** @description The name: 1 to 100 characters. */
      name: string;
      /** @description A note about the category, at most 200 characters; null when there is none. */
      description: string | null;
      /** @description Whether its transactions are income. A member of a group has the value of the group. */
      is_income: boolean;
      /** @description Whether its transactions are left out of the budget. A member of a group has the value of the group. */
      exclude_from_budget: boolean;
      /** @description Whether its transactions are left out of totals. A member of a group has the value of the group. */
      exclude_from_totals: boolean;
      /**
       * Format: date-time
       * @description When the category was last changed, in UTC.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the category was made, in UTC.
       */
      created_at: string;
      /**
       * Format: int64
       * @description The id of the group it belongs to; null for a group, and for a category in no group.
       */
      group_id: number | null;
      /** @description Whether this is a group. Transactions belong to categories, never to a group. */
      is_group: boolean;
      /** @description The categories of a group, in list order. Always there when `is_group` is true, empty for an empty group; absent otherwise. */
      children?: components['schemas']['ChildCategory'][];
      /** @description Whether the category is put away and no longer offered. */
      archived: boolean;
      /**
       * Format: date-time
       * @description When the category was last archived, in UTC; null when it never was.
       */
      archived_at: string | null;
      /** @description Its place in lists, ascending; within its group for a member of a group. Null: after all that have a place, by name. */
      order: number | null;
      /** @description Whether a screen shows the group folded. False for a category that is no group. */
      collapsed: boolean;
    };
    /**
     * Child category
     * @description A category inside the `children` of its group. It has no `children` of its own.
     */
    ChildCategory: {
      /**
       * Format: int64
       * @description The id of the category, unique over categories and groups.
       */
      id: number;
      /** @description The name: 1 to 100 characters. */
      name: string;
      /** @description A note about the category, at most 200 characters; null when there is none. */
      description: string | null;
      /** @description Whether its transactions are income. A member of a group has the value of the group. */
      is_income: boolean;
      /** @description Whether its transactions are left out of the budget. A member of a group has the value of the group. */
      exclude_from_budget: boolean;
      /** @description Whether its transactions are left out of totals. A member of a group has the value of the group. */
      exclude_from_totals: boolean;
      /**
       * Format: date-time
       * @description When the category was last changed, in UTC.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the category was made, in UTC.
       */
      created_at: string;
      /**
       * Format: int64
       * @description The id of the group it belongs to.
       */
      group_id: number | null;
      /**
       * @description Always false: groups do not hold groups.
       * @enum {boolean}
       */
      is_group: false;
      /** @description Whether the category is put away and no longer offered. */
      archived: boolean;
      /**
       * Format: date-time
       * @description When the category was last archived, in UTC; null when it never was.
       */
      archived_at: string | null;
      /** @description Its place in lists, ascending; within its group for a member of a group. Null: after all that have a place, by name. */
      order: number | null;
      /** @description Always false: only groups can be collapsed. */
      collapsed: boolean;
    };
    /**
     * Synced crypto list
     * @description All synced crypto accounts of the book, in one answer without pages.
     */
    SyncedCryptoListResponse: {
      /** @description The accounts by id. Empty when the book has none. */
      crypto_synced: components['schemas']['SyncedCryptoAccount'][];
    };
    /**
     * Synced crypto account
     * @description An account at an exchange, or a wallet, whose balances are read from a provider.
     */
    SyncedCryptoAccount: {
      /**
       * Format: int64
       * @description The id of the synced account.
       */
      id: number;
      /**
       * @description Where the balances are read.
       * @enum {string}
       */
      provider: 'kraken' | 'coinbase' | 'ethereum';
      /**
       * @description `initializing`: not read yet. `active`: the last reading succeeded, or failed in a way that passes by itself. `relink`: the provider refused the key, so the account has to be added anew. `unsupported`: the answer of the provider was not understood.
       * @enum {string}
       */
      status: 'active' | 'unsupported' | 'relink' | 'initializing';
      /** @description The name of the user who added the account. */
      created_by_name: string;
      /**
       * Format: date-time
       * @description When the account was added, in UTC.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When the account, its status or its balances last changed, in UTC.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description When the balances were last read from the provider, in UTC; null before the first time.
       */
      last_import: string | null;
      /** @description The name that was given to the account; null when it has none. */
      display_name: string | null;
      /** @description What the account held when it was last read, by symbol. A refresh replaces all of them or, when it fails, none. */
      balances: components['schemas']['SyncedCryptoBalance'][];
    };
    /**
     * Synced crypto balance
     * @description How much of one asset a synced account holds, and what that is worth.
     */
    SyncedCryptoBalance: {
      /** @description The name of the asset, as people write it: `BTC`. */
      name: string;
      /** @description The name that was given to the asset in this account; null when it has none. In this version always null. */
      display_name: string | null;
      /** @description How much the account holds: decimal text with exactly 18 decimals. */
      balance: string;
      /** @description The symbol of the asset in lower-case letters and digits, once in an account: `btc`. */
      symbol: string;
      /** @description The id under which CoinGecko has the asset; null when it is not known. */
      coingecko_id: string | null;
      /** @description What the balance is worth in the book's primary currency, with four decimals; null when there is no price. */
      to_base: number | null;
      /**
       * Format: date-time
       * @description When the provider told the balance, in UTC.
       */
      balance_as_of: string;
      /**
       * Format: date-time
       * @description When the price behind `to_base` was made, in UTC; null when there is no price.
       */
      exchange_rate_as_of: string | null;
      /**
       * Format: date-time
       * @description When the balance was last stored, in UTC.
       */
      updated_at: string;
    };
    /**
     * Me
     * @description The user and the book behind the access token of the request.
     */
    Me: {
      /** @description The user's name. */
      name: string;
      /** @description The user's e-mail address. */
      email: string;
      /**
       * Format: int64
       * @description The id of the user.
       */
      id: number;
      /**
       * Format: int64
       * @description The id of the book: the set of records that this token opens.
       */
      account_id: number;
      /** @description The book's name. */
      budget_name: string;
      /** @description The book's main currency; every `to_base` is in it. */
      primary_currency: components['schemas']['Currency'];
      /** @description The label that was given to this access token when it was made; null when it has none. */
      api_key_label: string | null;
    };
    /**
     * Currency
     * @description A currency as a lower-case code: three letters of ISO 4217 (withdrawn codes included), `btc` or `eth` for coins, `ggp`, `imp` or `jep` for island pounds, `xag` or `xau` for troy ounces of silver and gold.
     * @enum {string}
     */
    Currency:
      | 'aed'
      | 'afn'
      | 'all'
      | 'amd'
      | 'ang'
      | 'aoa'
      | 'ars'
      | 'aud'
      | 'awg'
      | 'azn'
      | 'bam'
      | 'bbd'
      | 'bdt'
      | 'bgn'
      | 'bhd'
      | 'bif'
      | 'bmd'
      | 'bnd'
      | 'bob'
      | 'brl'
      | 'bsd'
      | 'btc'
      | 'btn'
      | 'bwp'
      | 'byn'
      | 'bzd'
      | 'cad'
      | 'cdf'
      | 'chf'
      | 'clf'
      | 'clp'
      | 'cny'
      | 'cop'
      | 'crc'
      | 'cuc'
      | 'cup'
      | 'cve'
      | 'czk'
      | 'djf'
      | 'dkk'
      | 'dop'
      | 'dzd'
      | 'egp'
      | 'ern'
      | 'etb'
      | 'eth'
      | 'eur'
      | 'fjd'
      | 'fkp'
      | 'gbp'
      | 'gel'
      | 'ggp'
      | 'ghs'
      | 'gip'
      | 'gmd'
      | 'gnf'
      | 'gtq'
      | 'gyd'
      | 'hkd'
      | 'hnl'
      | 'hrk'
      | 'htg'
      | 'huf'
      | 'idr'
      | 'ils'
      | 'imp'
      | 'inr'
      | 'iqd'
      | 'irr'
      | 'isk'
      | 'jep'
      | 'jmd'
      | 'jod'
      | 'jpy'
      | 'kes'
      | 'kgs'
      | 'khr'
      | 'kmf'
      | 'kpw'
      | 'krw'
      | 'kwd'
      | 'kyd'
      | 'kzt'
      | 'lak'
      | 'lbp'
      | 'lkr'
      | 'lrd'
      | 'lsl'
      | 'ltl'
      | 'lvl'
      | 'lyd'
      | 'mad'
      | 'mdl'
      | 'mga'
      | 'mkd'
      | 'mmk'
      | 'mnt'
      | 'mop'
      | 'mro'
      | 'mur'
      | 'mvr'
      | 'mwk'
      | 'mxn'
      | 'myr'
      | 'mzn'
      | 'nad'
      | 'ngn'
      | 'nio'
      | 'nok'
      | 'npr'
      | 'nzd'
      | 'omr'
      | 'pab'
      | 'pen'
      | 'pgk'
      | 'php'
      | 'pkr'
      | 'pln'
      | 'pyg'
      | 'qar'
      | 'ron'
      | 'rsd'
      | 'rub'
      | 'rwf'
      | 'sar'
      | 'sbd'
      | 'scr'
      | 'sdg'
      | 'sek'
      | 'sgd'
      | 'shp'
      | 'sll'
      | 'sos'
      | 'srd'
      | 'std'
      | 'svc'
      | 'syp'
      | 'szl'
      | 'thb'
      | 'tjs'
      | 'tmt'
      | 'tnd'
      | 'top'
      | 'try'
      | 'ttd'
      | 'twd'
      | 'tzs'
      | 'uah'
      | 'ugx'
      | 'usd'
      | 'uyu'
      | 'uzs'
      | 'vef'
      | 'ves'
      | 'vnd'
      | 'vuv'
      | 'wst'
      | 'xaf'
      | 'xag'
      | 'xau'
      | 'xcd'
      | 'xof'
      | 'xpf'
      | 'yer'
      | 'zar'
      | 'zmw'
      | 'zwl';
    /**
     * Error
     * @description Why a request was refused. A refused request has changed nothing.
     */
    ErrorBody: {
      /** @description The class of the error, such as `Not Found`. The same for all errors of a class. */
      message: string;
      /** @description The problems found: all of them, not only the first. Never empty. */
      errors: components['schemas']['ErrorDetail'][];
    } & {
      [key: string]: unknown;
    };
    /**
     * Error detail
     * @description One problem. `errMsg` is always there; a problem found by a schema also has the other four keys; further keys may name the value concerned.
     */
    ErrorDetail: {
      /** @description What is wrong, in words for a person. Programs should not compare it. */
      errMsg: string;
      /** @description Which value is wrong: `/query/limit` for a query parameter, `/path/id` for a part of the path; `/query` or `/body` alone when a parameter or a property should not be there. */
      instancePath?: string;
      /** @description The rule that the value breaks, such as `#/properties/query/properties/limit/maximum`. */
      schemaPath?: string;
      /** @description The JSON Schema keyword of that rule: `type`, `minimum`, `maximum`, `enum`, `format`, `additionalProperties`. */
      keyword?: string;
      /** @description What the rule asks for: for example `allowedValues`, `limit`, `type`, or the `additionalProperty` that was found. */
      params?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

/** The operations of the service, by their ids, with what they take and what they answer. */
export interface operations {
  getAllTransactions: {
    parameters: {
      query?: {
        /** @description First day of the range, inclusive: a calendar date `YYYY-MM-DD`, years 0001 to 9999. May be sent without `end_date`: then no day is too late. Later than `end_date`: 400. */
        start_date?: string;
        /** @description Last day of the range, inclusive: a calendar date `YYYY-MM-DD`, years 0001 to 9999. May be sent without `start_date`: then no day is too early. */
        end_date?: string;
        /** @description Only transactions made after this instant, exclusive. A date-time of RFC 3339 with `Z` or an offset, or a date `YYYY-MM-DD`, which means its first instant in UTC. Compared in milliseconds. */
        created_since?: string;
        /** @description Only transactions last changed after this instant, exclusive. Same forms as `created_since`. */
        updated_since?: string;
        /** @description Only transactions of this manual account; 0: only those of no manual account. With `plaid_account_id=0` as well, only those of no account at all. A group belongs to no account: to find its members, also set `include_group_children`. */
        manual_account_id?: number;
        /** @description Only transactions of this synced account; 0: only those of no synced account. With `manual_account_id=0` as well, only those of no account at all. A group belongs to no account: to find its members, also set `include_group_children`. */
        plaid_account_id?: number;
        /** @description Only transactions of this recurring item. */
        recurring_id?: number;
        /** @description Only transactions of this category; the id of a category group stands for all its members; 0: only uncategorized transactions. */
        category_id?: number;
        /** @description Only transactions that carry this tag. */
        tag_id?: number;
        /** @description True: only transactions that stand for a group. False: only those that do not. */
        is_group_parent?: boolean;
        /** @description Only transactions with this status. */
        status?: 'reviewed' | 'unreviewed' | 'delete_pending';
        /** @description True: only pending transactions. False: only posted ones. When sent, `include_pending` has no effect. */
        is_pending?: boolean;
        /** @description Whether pending transactions are listed beside posted ones. */
        include_pending?: boolean;
        /** @description Whether each transaction has the keys `plaid_metadata` and `custom_metadata`. Without it they are absent. */
        include_metadata?: boolean;
        /** @description Whether transactions that were split are listed beside their parts. */
        include_split_parents?: boolean;
        /** @description Whether the members of groups are listed beside their groups. */
        include_group_children?: boolean;
        /** @description Whether groups, and split transactions when `include_split_parents` is true, have the key `children`. Without it the key is absent. */
        include_children?: boolean;
        /** @description Whether each transaction has the key `files`. Without it the key is absent. */
        include_files?: boolean;
        /** @description How many transactions a page holds at most: 1 to 2000, inclusive. Outside: 400, never another limit than the one sent. */
        limit?: number;
        /** @description How many matching transactions are skipped before the page begins: 0 to 2^53 - 1, inclusive. Past the last match the page is empty. The next page begins at `offset` plus `limit`. */
        offset?: number;
      };
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TransactionListResponse'];
        };
      };
    };
  };
  getTransactionById: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the transaction: a whole number. Anything else: 400. A number that is no transaction of this book: 404. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The transaction. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Transaction'];
        };
      };
    };
  };
  getAllCategories: {
    parameters: {
      query?: {
        /** @description `nested`: groups and the categories that are in no group; the members of a group only inside its `children`. `flattened`: the members also in the list itself, so each of them appears twice. */
        format?: 'nested' | 'flattened';
        /** @description True: only groups, with their `children`. False: only categories that are not groups, members of groups included: those that a transaction can have. When sent, `format` has no effect. */
        is_group?: boolean;
      };
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The categories. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CategoryListResponse'];
        };
      };
    };
  };
  getCategoryById: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the category: a whole number. Anything else: 400. A number that is no category of this book: 404. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The category or group. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Category'];
        };
      };
    };
  };
  getAllCryptoSynced: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The accounts. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SyncedCryptoListResponse'];
        };
      };
    };
  };
  getCryptoSyncedById: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the synced crypto account: a whole number. Anything else: 400. A number that is no synced crypto account of this book: 404. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SyncedCryptoAccount'];
        };
      };
    };
  };
  getCryptoSyncedBalanceBySymbol: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path: {
        /** @description The id of the synced crypto account: a whole number. Anything else: 400. A number that is no synced crypto account of this book: 404. */
        id: number;
        /** @description The symbol of an asset that the account holds; letter case does not matter. One that it does not hold: 404. */
        symbol: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The balance. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SyncedCryptoBalance'];
        };
      };
    };
  };
  refreshCryptoSynced: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of the synced crypto account: a whole number. Anything else: 400. A number that is no synced crypto account of this book: 404. */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account as it is now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SyncedCryptoAccount'];
        };
      };
    };
  };
  getMe: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `ETag` of an earlier answer to the same request, or several, separated by commas. Brings 304 when one of them still holds. */
        'If-None-Match'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user and the book. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Me'];
        };
      };
    };
  };
}
