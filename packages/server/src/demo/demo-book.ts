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
}

/** A manual account; the balance is in ten-thousandths. */
export interface DemoManualAccount {
  readonly name: string;
  /** One of the API's types of manual accounts. */
  readonly type: string;
  readonly subtype: string | null;
  readonly institutionName: string | null;
  readonly currency: string;
  readonly balance: number;
}

/** A synced account; the balance is in ten-thousandths. */
export interface DemoPlaidAccount extends DemoManualAccount {
  readonly subtype: string;
  readonly mask: string;
  readonly institutionName: string;
}

/** A category or a category group. */
export interface DemoCategory {
  readonly name: string;
  readonly description: string | null;
  readonly isIncome: boolean;
  readonly excludeFromBudget: boolean;
  readonly excludeFromTotals: boolean;
  readonly isGroup: boolean;
  /** Index of the group in `categories`, or null. */
  readonly group: number | null;
  readonly order: number | null;
}

/** A tag with its colors. */
export interface DemoTag {
  readonly name: string;
  readonly description: string | null;
  /** Hex without `#`, e.g. `FFE7D4`. */
  readonly textColor: string | null;
  readonly backgroundColor: string | null;
}

/** A transaction; amounts are in ten-thousandths, debit positive. */
export interface DemoTransaction {
  readonly date: string;
  readonly amount: number;
  readonly currency: string;
  /** The amount in the book's primary currency, ten-thousandths. */
  readonly toBase: number;
  readonly payee: string;
  readonly originalName: string | null;
  readonly notes: string | null;
  readonly category: number | null;
  readonly manualAccount: number | null;
  readonly plaidAccount: number | null;
  readonly tags: readonly number[];
  readonly status: 'reviewed' | 'unreviewed' | 'delete_pending';
  readonly isPending: boolean;
  readonly source: 'api' | 'csv' | 'manual' | 'plaid' | 'recurring' | 'split' | null;
  readonly externalId: string | null;
  readonly isSplitParent: boolean;
  readonly isGroupParent: boolean;
  /** Index in `transactions` of the split parent that this row is a part of, or null. */
  readonly splitParent: number | null;
  /** Index in `transactions` of the group that this row is a member of, or null. */
  readonly groupParent: number | null;
  /** JSON text of an object, or null. */
  readonly plaidMetadata: string | null;
  readonly customMetadata: string | null;
}
