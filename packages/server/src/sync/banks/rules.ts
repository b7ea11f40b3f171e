import { daysApart } from '@coffer/core/dates';
import { payeeKey } from '@coffer/core/text';
import type { Row } from '../../db/table.ts';
import type { transactions } from '../../db/tables/tables.ts';

/** The bridges to banks. */
export const bankProviders = ['simplefin'] as const;
export type BankProvider = (typeof bankProviders)[number];

/** A transaction as a bank sends it. */
export interface BankEntry {
  /** Identifies it within its account. A posted transaction can have another id than the pending one had. */
  readonly remote_id: string;
  readonly date: string;
  /** Ten-thousandths, debit positive. */
  readonly amount: number;
  readonly payee: string;
  readonly notes: string | null;
  readonly is_pending: boolean;
  /** What the bank sent, as a JSON object. */
  readonly plaid_metadata: string;
}

/** An account as a bank sends it. */
export interface BankAccount {
  readonly remote_id: string;
  readonly name: string;
  readonly institution_name: string;
  /** `depository`, `credit`, `loan` or `investment`. */
  readonly type: string;
  /** A lower-case currency code. */
  readonly currency: string;
  /** Ten-thousandths. What is owed is positive for `credit` and `loan`. */
  readonly balance: number;
  /** ISO 8601 in UTC. */
  readonly balanceAt: string;
  /** The last digits of its number; empty if unknown. */
  readonly mask: string;
  readonly entries: readonly BankEntry[];
}

/** What a bridge returned for a range of dates. */
export interface BankReading {
  readonly readAt: string;
  readonly accounts: readonly BankAccount[];
  /** Sentences for the user: accounts that could not be read, and what the bank wants the user to do. */
  readonly problems: readonly string[];
}

/** The days to read, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export type StoredEntry = Row<typeof transactions>;

/** By what an entry is compared with a transaction. */
type Compared = Pick<
  StoredEntry,
  'id' | 'date' | 'amount' | 'payee' | 'original_name' | 'remote_id' | 'is_pending'
>;

/** What the bank had said of a transaction that a user changed, deleted, or moved to another account. */
export interface EntryOrigin extends Compared {
  readonly is_deleted: boolean;
}

/** What a reading does to the stored transactions of one account. */
export interface EntryPlan {
  readonly added: readonly BankEntry[];
  /** A stored transaction that the bank sent again, perhaps with other values or as posted. */
  readonly known: readonly { readonly stored: StoredEntry; readonly entry: BankEntry }[];
  /** Stored transactions that the bank has withdrawn. */
  readonly withdrawn: readonly StoredEntry[];
  /** An entry that a user deleted, or moved to another account. */
  readonly left: readonly { readonly gone: EntryOrigin; readonly entry: BankEntry }[];
}

/** Days between a pending transaction and the posted one that replaces it. */
const maxPostingDays = 10;

/**
 * Compares the entries of a reading with the stored transactions of the account.
 *
 * Equal ids are the same transaction. A posted entry with a new id replaces the pending transaction that the bank no
 * longer sends and that fits best: the same amount, at most ten days apart, first the one with the same payee, then the
 * nearest. Pending transactions that are left are withdrawn. So are posted ones that the bank leaves out although it
 * sends both older and newer ones of the range.
 *
 * `gone` are transactions that a user took out of the account. Their entries are left: those with their ids, and posted
 * ones of a pending transaction with the same payee.
 */
export function planEntries(
  stored: readonly StoredEntry[],
  entries: readonly BankEntry[],
  range: DayRange,
  gone: readonly EntryOrigin[] = [],
): EntryPlan {
  const byId = new Map(stored.map((row) => [row.remote_id, row]));
  const unique = [...new Map(entries.map((entry) => [entry.remote_id, entry])).values()];
  const known = unique.flatMap((entry) => {
    const row = byId.get(entry.remote_id);
    return row === undefined ? [] : [{ stored: row, entry }];
  });
  const goneById = new Map(gone.map((row) => [row.remote_id, row]));
  const left = unique.flatMap((entry) => {
    const row = byId.has(entry.remote_id) ? undefined : goneById.get(entry.remote_id);
    return row === undefined ? [] : [{ gone: row, entry }];
  });
  const seen = new Set(known.map((each) => each.stored));
  const goneSeen = new Set(left.map((each) => each.gone));
  const added: BankEntry[] = [];
  for (const entry of unique.filter(
    ({ remote_id }) => !byId.has(remote_id) && !goneById.has(remote_id),
  )) {
    const replaced = pendingFor(entry, stored, seen);
    const posted = gone.filter((row) => isOfPayee(row, entry));
    const taken = replaced === undefined ? pendingFor(entry, posted, goneSeen) : undefined;
    if (replaced !== undefined) {
      seen.add(replaced);
      known.push({ stored: replaced, entry });
    } else if (taken !== undefined) {
      goneSeen.add(taken);
      left.push({ gone: taken, entry });
    } else added.push(entry);
  }
  return { added, known, withdrawn: withdrawnOf(stored, seen, unique, range), left };
}

function pendingFor<R extends Compared>(
  entry: BankEntry,
  stored: readonly R[],
  seen: ReadonlySet<R>,
): R | undefined {
  if (entry.is_pending) return undefined;
  const rank = (row: R): number =>
    daysApart(row.date, entry.date) + (isOfPayee(row, entry) ? 0 : 100);
  const fitting = stored.filter(
    (row) =>
      row.is_pending &&
      !seen.has(row) &&
      row.amount === entry.amount &&
      daysApart(row.date, entry.date) <= maxPostingDays,
  );
  return fitting.toSorted((one, other) => rank(one) - rank(other) || one.id - other.id)[0];
}

function isOfPayee({ original_name, payee }: Compared, entry: BankEntry): boolean {
  return payeeKey(original_name ?? payee) === payeeKey(entry.payee);
}

function withdrawnOf(
  stored: readonly StoredEntry[],
  seen: ReadonlySet<StoredEntry>,
  entries: readonly BankEntry[],
  { from, to }: DayRange,
): StoredEntry[] {
  const dates = entries.filter(({ is_pending }) => !is_pending).map(({ date }) => date);
  const [oldest = '', newest = ''] = [dates.toSorted()[0], dates.toSorted().at(-1)];
  const isLeftOut = ({ date, is_pending }: StoredEntry): boolean =>
    from <= date && date <= to && (is_pending || (oldest < date && date < newest));
  return stored.filter((row) => !seen.has(row) && isLeftOut(row));
}
