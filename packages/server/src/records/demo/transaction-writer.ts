import { accountPlace, type AccountName, type CardName } from './accounts.ts';
import { CardStatements } from './card-statements.ts';
import { categoryIndex } from './categories.ts';
import { dayAt } from './calendar.ts';
import { toUsd } from './currencies.ts';
import type { DemoTransaction } from './demo-book.ts';
import type { DraftTransaction } from './draft-transaction.ts';
import { customMetadata, plaidMetadata } from './metadata.ts';
import type { Random } from './random.ts';
import { tagIndex } from './tags.ts';

const externalIdPrefixes: Partial<Record<AccountName, string>> = {
  creditUnion: 'CVCU',
  savings: 'RDS',
  studentLoan: 'SLS',
};

const noTags: readonly number[] = [];

/** Turns drafts into the book's transactions; they must come in the order of the book. */
export class TransactionWriter {
  readonly #transactions: DemoTransaction[] = [];
  readonly #parents = new Map<DraftTransaction, number>();
  readonly #exported = new Map<AccountName, number>();
  readonly #statements = new CardStatements();
  readonly #random: Random;
  #month = '';

  constructor(random: Random) {
    this.#random = random;
  }

  write(draft: DraftTransaction): void {
    this.#turnMonth(dayAt(draft.day).monthName);
    this.#statements.settle(draft);
    this.#statements.record(draft);
    if (draft.isSplitParent || draft.isGroupParent) {
      this.#parents.set(draft, this.#transactions.length);
    }
    this.#transactions.push(this.#finish(draft));
  }

  get transactions(): DemoTransaction[] {
    return this.#transactions;
  }

  /** What is owed on each card after the last row, in ten-thousandths of a US dollar. */
  get owed(): Readonly<Record<CardName, number>> {
    return this.#statements.owed;
  }

  #turnMonth(month: string): void {
    if (month !== this.#month) this.#statements.closeMonth();
    this.#month = month;
  }

  #finish(draft: DraftTransaction): DemoTransaction {
    const { manualAccount, plaidAccount } = accountPlace(draft.account);
    const source = sourceOf(draft);
    const originalName = originalNameOf(draft, source);
    const isParent = draft.isSplitParent || draft.isGroupParent;
    return {
      date: dayAt(draft.day).date,
      amount: draft.amount,
      currency: draft.currency,
      toBase: toUsd(draft.amount, draft.currency, draft.day),
      payee: draft.payee,
      originalName,
      notes: draft.notes,
      category: draft.category === null ? null : categoryIndex(draft.category),
      manualAccount,
      plaidAccount,
      tags: draft.tags.length === 0 ? noTags : draft.tags.map(tagIndex),
      status: draft.status,
      isPending: draft.isPending,
      source,
      externalId: source === 'csv' ? this.#externalId(draft.account) : null,
      isSplitParent: draft.isSplitParent,
      isGroupParent: draft.isGroupParent,
      splitParent: this.#indexOf(draft.splitParent),
      groupParent: this.#indexOf(draft.groupParent),
      plaidMetadata:
        source === 'plaid' ? plaidMetadata(draft, originalName ?? '', this.#random) : null,
      customMetadata: isParent ? null : customMetadata(this.#random),
    };
  }

  #indexOf(parent: DraftTransaction | null): number | null {
    if (parent === null) return null;
    const index = this.#parents.get(parent);
    if (index === undefined) throw new Error(`The parent "${parent.payee}" must be written first`);
    return index;
  }

  /** Numbered through within each account, so that no two rows of an account share one. */
  #externalId(account: AccountName | null): string | null {
    const prefix = account === null ? undefined : externalIdPrefixes[account];
    if (account === null || prefix === undefined) return null;
    const number = (this.#exported.get(account) ?? 0) + 1;
    this.#exported.set(account, number);
    return `${prefix}-${String(number).padStart(7, '0')}`;
  }
}

function sourceOf(draft: DraftTransaction): DemoTransaction['source'] {
  if (draft.splitParent !== null) return 'split';
  return draft.isGroupParent ? 'api' : accountPlace(draft.account).source;
}

/** Banks print their own name for a payee; what was typed in before 2018 has lost its original. */
function originalNameOf(draft: DraftTransaction, source: DemoTransaction['source']): string | null {
  if (source === 'plaid' || source === 'csv') return draft.bankName ?? draft.payee.toUpperCase();
  return source === 'manual' && dayAt(draft.day).year < 2018 ? null : draft.payee;
}
