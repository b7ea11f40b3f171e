import type { BankId, ImportAccount, ImportEntry, Verdict } from './entry.ts';
import { bankIdOf } from './bank-ids.ts';
import { noPayee } from './entry.ts';
import type { Form, KnownRow } from './forms.ts';

/** An entry of the file, with what is needed to find it in the book and to insert it. */
export interface Candidate extends Form {
  /** From 1. */
  readonly number: number;
  readonly entry: ImportEntry;
  readonly account: ImportAccount | null;
  readonly categoryId: number | null;
  /** Null without an external id. */
  readonly bankId: BankId | null;
  /** The rows that its account has under the bank's id, as soon as they are read. */
  ofId: readonly KnownRow[] | null;
}

/** What was decided about an entry. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The row that the entry is, or may be; null for a new one. */
  readonly row: KnownRow | null;
  readonly why: string | null;
  /** Whether the row is certainly the entry, although they differ: left out, unless somebody asks for it. */
  readonly isLeftOut?: boolean;
}

export const isNew: Judgement = { verdict: 'new', row: null, why: null };

/** Returns the candidate of an entry. Without a payee it gets the one of responses, unless empty ones are kept. */
export function candidateOf(
  entry: ImportEntry,
  number: number,
  { account, categoryId, currency }: Pick<Candidate, 'account' | 'categoryId' | 'currency'>,
  keepsEmptyPayees = false,
): Candidate {
  const { date, externalId, isPending = false } = entry;
  return {
    date,
    // -0 would have another key.
    amount: entry.amount + 0,
    currency,
    payee: entry.payee === '' && !keepsEmptyPayees ? noPayee : entry.payee,
    externalId,
    isPending,
    number,
    entry,
    account,
    categoryId,
    bankId: externalId === null ? null : bankIdOf(externalId, entry),
    ofId: null,
  };
}
