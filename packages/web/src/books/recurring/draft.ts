import { negate } from '../formats/money.ts';
import { accountOf } from '../rows/rows.ts';
import type { Schemas, Transaction } from '../types.ts';
import type { RecurringDetails } from './recurring.ts';

/** A recurring item as a form edits it. Empty texts are not set. */
export interface ItemDraft {
  readonly payee: string;
  /** A decimal without a sign. */
  readonly amount: string;
  readonly direction: 'out' | 'in';
  readonly tolerance: string;
  readonly currency: string;
  /** `manual:1` or `plaid:1`; empty for any account. */
  readonly account: string;
  readonly granularity: 'day' | 'week' | 'month' | 'year';
  readonly quantity: number;
  readonly anchor: string;
  readonly start: string;
  readonly end: string;
  readonly description: string;
  readonly shownPayee: string;
  readonly shownNotes: string;
  readonly categoryId: number | null;
}

/** A transaction, as far as an item can be made of it. */
export type DraftedTransaction = Pick<
  Transaction,
  | 'payee'
  | 'amount'
  | 'currency'
  | 'date'
  | 'category_id'
  | 'manual_account_id'
  | 'plaid_account_id'
>;

/** Returns an empty item that begins today. */
export function emptyDraft(today: string, currency: string): ItemDraft {
  return {
    payee: '',
    amount: '',
    direction: 'out',
    tolerance: '',
    currency,
    account: '',
    granularity: 'month',
    quantity: 1,
    anchor: today,
    start: '',
    end: '',
    description: '',
    shownPayee: '',
    shownNotes: '',
    categoryId: null,
  };
}

/** Returns a monthly item that looks for transactions like one. */
export function draftFrom(transaction: DraftedTransaction): ItemDraft {
  const { payee, amount, currency, date, category_id: categoryId } = transaction;
  return {
    ...emptyDraft(date, currency),
    payee,
    ...signed(amount),
    account: accountOf(transaction),
    categoryId,
  };
}

/** Returns an item as a form edits it. */
export function draftOf(details: RecurringDetails): ItemDraft {
  const { transaction_criteria: criteria, overrides, description } = details;
  const { granularity, quantity, currency, amount_tolerance: tolerance } = criteria;
  return {
    payee: criteria.payee ?? '',
    ...signed(criteria.amount),
    currency,
    tolerance: /[1-9]/.test(tolerance) ? tolerance : '',
    account: accountOf(criteria),
    granularity,
    quantity,
    anchor: criteria.anchor_date,
    start: criteria.start_date ?? '',
    end: criteria.end_date ?? '',
    description: description ?? '',
    shownPayee: overrides.payee ?? '',
    shownNotes: overrides.notes ?? '',
    categoryId: overrides.category_id ?? null,
  };
}

/** Returns the body that stores an item. */
export function bodyOf(draft: ItemDraft): Schemas['RecurringItemInsert'] {
  const { granularity, quantity, currency, account } = draft;
  const [kind, id] = account.split(':');
  const idOf = (wanted: string): number | null => (kind === wanted ? Number(id) : null);
  return {
    description: textOrNull(draft.description),
    transaction_criteria: {
      granularity,
      quantity,
      currency: currency as Schemas['Currency'],
      anchor_date: draft.anchor,
      amount: draft.direction === 'in' ? negate(draft.amount) : draft.amount,
      amount_tolerance: draft.tolerance === '' ? '0' : draft.tolerance,
      start_date: textOrNull(draft.start),
      end_date: textOrNull(draft.end),
      payee: textOrNull(draft.payee),
      manual_account_id: idOf('manual'),
      plaid_account_id: idOf('plaid'),
    },
    overrides: {
      payee: textOrNull(draft.shownPayee),
      notes: textOrNull(draft.shownNotes),
      category_id: draft.categoryId,
    },
  };
}

function signed(amount: string): Pick<ItemDraft, 'amount' | 'direction'> {
  return { amount: amount.replace('-', ''), direction: amount.startsWith('-') ? 'in' : 'out' };
}

function textOrNull(text: string): string | null {
  return text.trim() || null;
}
