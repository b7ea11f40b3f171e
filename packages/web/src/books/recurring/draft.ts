import { negate } from '../formats/money.ts';
import { accountIdIn, accountOf } from '../rows/rows.ts';
import type { Schemas, Transaction } from '../types.ts';
import type { RecurringDetails } from './recurring.ts';

/** A recurring item as a form edits it, by the names of the API where it has them. What is not set is null. */
export interface ItemDraft {
  readonly payee: string | null;
  /** A decimal without a sign. */
  readonly amount: string | null;
  readonly direction: 'out' | 'in';
  readonly amount_tolerance: string | null;
  readonly currency: string;
  /** `manual:1` or `plaid:1`; empty for any account. */
  readonly account: string;
  readonly granularity: 'day' | 'week' | 'month' | 'year';
  readonly quantity: number;
  readonly anchor_date: string;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly description: string | null;
  readonly shownPayee: string | null;
  readonly shownNotes: string | null;
  readonly category_id: number | null;
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
    payee: null,
    amount: null,
    direction: 'out',
    amount_tolerance: null,
    currency,
    account: '',
    granularity: 'month',
    quantity: 1,
    anchor_date: today,
    start_date: null,
    end_date: null,
    description: null,
    shownPayee: null,
    shownNotes: null,
    category_id: null,
  };
}

/** Returns a monthly item that looks for transactions like one. */
export function draftFrom(transaction: DraftedTransaction): ItemDraft {
  const { payee, amount, currency, date, category_id } = transaction;
  const account = accountOf(transaction);
  return { ...emptyDraft(date, currency), payee, ...signed(amount), account, category_id };
}

/** Returns an item as a form edits it. */
export function draftOf(details: RecurringDetails): ItemDraft {
  const { transaction_criteria: criteria, overrides, description } = details;
  const { payee, granularity, quantity, currency, anchor_date, start_date, end_date } = criteria;
  const { amount_tolerance: tolerance } = criteria;
  return {
    ...{ payee, granularity, quantity, currency, anchor_date, start_date, end_date, description },
    ...signed(criteria.amount),
    amount_tolerance: /[1-9]/.test(tolerance) ? tolerance : null,
    account: accountOf(criteria),
    shownPayee: overrides.payee ?? null,
    shownNotes: overrides.notes ?? null,
    category_id: overrides.category_id ?? null,
  };
}

/** Returns the body that stores an item. */
export function bodyOf(draft: ItemDraft): Schemas['RecurringItemInsert'] {
  const { payee, granularity, quantity, anchor_date, start_date, end_date } = draft;
  const amount = (draft.amount ?? '').replace('-', '');
  return {
    description: draft.description,
    transaction_criteria: {
      ...{ payee, granularity, quantity, anchor_date, start_date, end_date },
      currency: draft.currency as Schemas['Currency'],
      amount: draft.direction === 'in' ? negate(amount) : amount,
      amount_tolerance: (draft.amount_tolerance ?? '0').replace('-', ''),
      ...{ manual_account_id: null, plaid_account_id: null, ...accountIdIn(draft.account) },
    },
    overrides: {
      payee: draft.shownPayee,
      notes: draft.shownNotes,
      category_id: draft.category_id,
    },
  };
}

function signed(amount: string): Pick<ItemDraft, 'amount' | 'direction'> {
  return { amount: amount.replace('-', ''), direction: amount.startsWith('-') ? 'in' : 'out' };
}
