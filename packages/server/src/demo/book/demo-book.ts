/**
 * A whole realistic book as data, without ids.
 *
 * Records refer to each other by their index in the arrays (`account`, `category`, `tags`, `parent`).
 * Amounts are integer ten-thousandths, debit positive (the API's sign). Dates are `YYYY-MM-DD`.
 */
export interface DemoBook {
  readonly name: string;
  readonly primaryCurrency: string;
  readonly manualAccounts: readonly DemoManualAccount[];
  readonly plaidAccounts: readonly DemoPlaidAccount[];
  /** Groups come before their categories. */
  readonly categories: readonly DemoCategory[];
  readonly tags: readonly DemoTag[];
  /** Parents come before their children; otherwise ascending by date. */
  readonly transactions: readonly DemoTransaction[];
  /** Stored for currencies without any rate in these days. Without them, the values of the records are final. */
  readonly rates?: readonly DemoRate[];
  /** Transactions that fit a reviewed item are linked to it. */
  readonly recurringItems?: readonly DemoRecurringItem[];
  /** In periods of the default settings: months. */
  readonly budgets?: readonly DemoBudget[];
  /** In their order. */
  readonly rules?: readonly DemoRule[];
  readonly manualCrypto?: readonly DemoManualCrypto[];
  readonly syncedCrypto?: readonly DemoSyncedCrypto[];
  /** Balances at the ends of past months. */
  readonly history?: readonly DemoHistory[];
  readonly files?: readonly DemoFile[];
  /** When the records were made, an instant; by default noon on 2026-11-01. */
  readonly madeAt?: string;
}

/** What one euro is worth on a date. */
export interface DemoRate {
  readonly currency: string;
  readonly date: string;
  /** An exact decimal without needless zeros. */
  readonly per_eur: string;
}

/** A manual account; the balance is in ten-thousandths. */
export interface DemoManualAccount {
  readonly name: string;
  /** One of the API's types of manual accounts. */
  readonly type: string;
  readonly subtype: string | null;
  readonly institution_name: string | null;
  readonly currency: string;
  readonly balance: number;
  /** The day on which the account was closed. */
  readonly closed_on?: string;
}

/** A synced account; the balance is in ten-thousandths. */
export interface DemoPlaidAccount extends DemoManualAccount {
  readonly subtype: string;
  readonly mask: string;
  readonly institution_name: string;
}

/** A category or a category group. */
export interface DemoCategory {
  readonly name: string;
  readonly description: string | null;
  readonly is_income: boolean;
  readonly exclude_from_budget: boolean;
  readonly exclude_from_totals: boolean;
  readonly is_group: boolean;
  /** Index of the group in `categories`, or null. */
  readonly group: number | null;
  readonly order: number | null;
}

/** A tag with its colors. */
export interface DemoTag {
  readonly name: string;
  readonly description: string | null;
  /** Hex without `#`, e.g. `FFE7D4`. */
  readonly text_color: string | null;
  readonly background_color: string | null;
}

/** A transaction; amounts are in ten-thousandths, debit positive. */
export interface DemoTransaction {
  readonly date: string;
  readonly amount: number;
  readonly currency: string;
  /** The amount in the book's primary currency, ten-thousandths. */
  readonly to_base: number;
  readonly payee: string;
  readonly original_name: string | null;
  readonly notes: string | null;
  readonly category: number | null;
  readonly manualAccount: number | null;
  readonly plaidAccount: number | null;
  readonly tags: readonly number[];
  readonly status: 'reviewed' | 'unreviewed' | 'delete_pending';
  readonly is_pending: boolean;
  readonly source: 'api' | 'csv' | 'manual' | 'plaid' | 'recurring' | 'split' | null;
  readonly external_id: string | null;
  readonly is_split_parent: boolean;
  readonly is_group_parent: boolean;
  /** Index in `transactions` of the split parent that this row is a part of, or null. */
  readonly splitParent: number | null;
  /** Index in `transactions` of the group that this row is a member of, or null. */
  readonly groupParent: number | null;
  /** JSON text of an object, or null. */
  readonly plaid_metadata: string | null;
  readonly custom_metadata: string | null;
}

/** A recurring item; at most one account. Amounts are in ten-thousandths, debit positive. */
export interface DemoRecurringItem {
  readonly description: string;
  readonly status: 'suggested' | 'reviewed';
  readonly source: 'manual' | 'system';
  readonly payee: string;
  readonly amount: number;
  readonly currency: string;
  /** An item repeats every month from this date on. */
  readonly anchor_date: string;
  readonly manualAccount: number | null;
  readonly plaidAccount: number | null;
  /** What linked transactions show instead of their own text. */
  readonly override_payee: string | null;
  readonly override_notes: string | null;
  readonly overrideCategory: number | null;
}

/** A budget in the primary currency of the book, in ten-thousandths. */
export interface DemoBudget {
  readonly category: number;
  /** The first day of a month. */
  readonly start_date: string;
  readonly amount: number;
  readonly notes: string | null;
}

/** A rule for new transactions. Amounts are in ten-thousandths. */
export interface DemoRule {
  readonly name: string;
  readonly payee?: { readonly operator: 'is' | 'contains' | 'starts_with'; readonly value: string };
  readonly amount?: {
    readonly min?: number;
    readonly max?: number;
    readonly sign: 'debit' | 'credit';
  };
  readonly plaidAccount?: number;
  readonly newPayee?: string;
  readonly newCategory?: number;
  readonly newTags?: readonly number[];
  readonly reviewed?: boolean;
}

/** A quantity of a crypto asset: a decimal with 18 places, and its value in ten-thousandths of the primary currency. */
export interface DemoAsset {
  readonly symbol: string;
  readonly coingecko_id: string;
  readonly quantity: string;
  readonly to_base: number;
}

/** A manual crypto account. */
export interface DemoManualCrypto extends DemoAsset {
  readonly name: string;
  readonly institution_name: string | null;
}

/** A synced crypto account. It has no credentials, so it has to be linked again before it can be refreshed. */
export interface DemoSyncedCrypto {
  readonly provider: 'kraken' | 'coinbase' | 'ethereum';
  readonly display_name: string;
  readonly balances: readonly (DemoAsset & { readonly name: string })[];
}

/** The balance of an account at the end of a month, in ten-thousandths. */
export interface DemoHistory {
  readonly kind: 'manual' | 'plaid' | 'crypto_manual' | 'crypto_synced';
  /** Index of the account in the array of its kind. */
  readonly account: number;
  /** The asset of a synced crypto account; otherwise null. */
  readonly symbol: string | null;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly balance: number;
  readonly currency: string;
  readonly to_base: number;
  /** Of a crypto asset; otherwise null. */
  readonly quantity: string | null;
}

/** A file that is attached to a transaction. */
export interface DemoFile {
  /** Index in `transactions`. */
  readonly transaction: number;
  readonly name: string;
  readonly notes: string | null;
  /** A PDF document. */
  readonly bytes: Uint8Array;
}
