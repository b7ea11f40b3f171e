import type { TransactionStatus } from '../transaction-query.ts';
import type { AccountName } from './accounts.ts';
import type { CategoryName } from './categories.ts';
import type { Currency } from './currencies.ts';
import type { TagName } from './tags.ts';

/** A transaction in the making: by name what the finished book refers to by index. */
export interface DraftTransaction {
  /** Index of the day, 0 for 2016-11-01. */
  readonly day: number;
  /** Integer ten-thousandths, debit positive. */
  amount: number;
  readonly currency: Currency;
  readonly payee: string;
  /** What the bank prints; null for the payee in capitals. */
  readonly bankName: string | null;
  readonly notes: string | null;
  category: CategoryName | null;
  /** Null for cash that belongs to no account. */
  readonly account: AccountName | null;
  readonly tags: readonly TagName[];
  status: TransactionStatus;
  isPending: boolean;
  readonly splitParent: DraftTransaction | null;
  readonly groupParent: DraftTransaction | null;
  readonly isSplitParent: boolean;
  readonly isGroupParent: boolean;
  /** On a payment out of checking: the same payment as it arrives on the card; both amounts are set at the end. */
  readonly cardSide: DraftTransaction | null;
}

/** What has to be said of a draft; everything else has a plain default (US dollars, no account, reviewed). */
export type DraftFields = Pick<DraftTransaction, 'day' | 'amount' | 'payee' | 'category'> &
  Partial<DraftTransaction>;

/** Drafts that only make sense together: a single one, both ends of a transfer, a split, a group. Parents first. */
export type DraftUnit = readonly DraftTransaction[];

/** A draft with the usual value in every part that is not given. */
export function draftTransaction(fields: DraftFields): DraftTransaction {
  return {
    day: fields.day,
    amount: fields.amount,
    currency: fields.currency ?? 'usd',
    payee: fields.payee,
    bankName: fields.bankName ?? null,
    notes: fields.notes ?? null,
    category: fields.category,
    account: fields.account ?? null,
    tags: fields.tags ?? [],
    status: fields.status ?? 'reviewed',
    isPending: fields.isPending ?? false,
    splitParent: fields.splitParent ?? null,
    groupParent: fields.groupParent ?? null,
    isSplitParent: fields.isSplitParent ?? false,
    isGroupParent: fields.isGroupParent ?? false,
    cardSide: fields.cardSide ?? null,
  };
}
