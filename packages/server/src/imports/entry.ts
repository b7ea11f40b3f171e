import { isStorable, storable } from '@coffer/core/text';

/** One row to import, as the bank wrote it: `amount` in ten-thousandths of its currency, negative = money out. */
export interface ImportEntry {
  /** The 1-based line of the file on which the entry begins. */
  readonly line: number;
  readonly date: string;
  readonly amount: number;
  /** Lower-case ISO 4217 code; null for the account's currency, or else the book's. */
  readonly currency: string | null;
  readonly payee: string;
  readonly notes: string | null;
  readonly category: string | null;
  readonly account: string | null;
  readonly externalId: string | null;
  /** What the bank itself says, where the file's reader knows more than the external id tells. */
  readonly bankId?: BankId;
}

/** The id that the bank gave an entry. */
export interface BankId {
  /** As the bank wrote it, however long. */
  readonly id: string;
  /** Which of several equal entries of one statement it is, from 1. */
  readonly nth: number;
  /** Whether the file has the id more than once; it may say so where it does not. */
  readonly isRepeated: boolean;
}

/** What the wire shows where a row has no payee. */
const noPayee = '[No Payee]';

/** The payee under which an entry is kept. */
export function payeeOf({ payee }: { readonly payee: string }): string {
  return payee === '' ? noPayee : payee;
}

/** What an import reads and how it is to go about it. */
export interface ImportPlan {
  /** Read once, from the first entry; again from there when the engine has to begin anew. */
  readonly entries: () => Iterable<ImportEntry>;
  /** For entries that name no account; null leaves them without one. */
  readonly defaultAccount: string | null;
  /** Does all the work, then takes it back. */
  readonly dryRun: boolean;
  /** Called now and then with the number of entries read so far. */
  readonly onProgress?: (entriesRead: number) => void;
}

/** What an import did, or on a dry run would have done. */
export interface ImportSummary {
  readonly imported: number;
  readonly skippedDuplicates: number;
  readonly accountsCreated: number;
  readonly categoriesCreated: number;
  /** Over all entries of the file, skipped ones too; null for a file without entries. */
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Sums of all entries of the file in ten-thousandths, money out negative, by lower-case currency code. */
  readonly sumByCurrency: Readonly<Record<string, bigint>>;
}

/** Something in the file that cannot be taken into the book. */
export interface ImportProblem {
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

/** The file was refused and nothing of it was imported. At most 100 problems are kept; all are counted. */
export class ImportRefusedError extends Error {
  override name = 'ImportRefusedError';
  readonly problems: readonly ImportProblem[];
  readonly problemCount: number;
  constructor(problems: readonly ImportProblem[], problemCount: number) {
    super(`${problemCount} ${problemCount === 1 ? 'entry' : 'entries'} cannot be imported`);
    this.problems = problems;
    this.problemCount = problemCount;
  }
}

/**
 * An entry with texts that every engine gives back as it got them: NUL characters are taken out, and half of a
 * surrogate pair, which is no character, becomes U+FFFD.
 *
 * The entry itself when there is nothing to change.
 */
export function storableEntry(entry: ImportEntry): ImportEntry {
  const { bankId } = entry;
  const texts = [entry.payee, entry.notes, entry.category, entry.account, entry.externalId];
  if ([...texts, bankId?.id ?? null].every((text) => text === null || isStorable(text)))
    return entry;
  return {
    ...entry,
    payee: storable(entry.payee),
    notes: orNull(entry.notes),
    category: orNull(entry.category),
    account: orNull(entry.account),
    externalId: orNull(entry.externalId),
    ...(bankId !== undefined && { bankId: { ...bankId, id: storable(bankId.id) } }),
  };
}

/** What has nothing in it but NUL characters says nothing. */
function orNull(text: string | null): string | null {
  return text === null ? null : storable(text) || null;
}
