import { isStorable, storable } from '@coffer/core/text';

/** One row to import, as the bank wrote it: `amount` in ten-thousandths of its currency, negative for money out. */
export interface ImportEntry {
  /** The line of the file on which the entry starts, from 1. */
  readonly line: number;
  readonly date: string;
  readonly amount: number;
  /** Lower-case ISO 4217 code; null for the currency of the account, or else of the book. */
  readonly currency: string | null;
  readonly payee: string;
  readonly notes: string | null;
  readonly category: string | null;
  readonly account: string | null;
  readonly externalId: string | null;
  /** The bank's id, if the parser of the file knows more than the external id. */
  readonly bankId?: BankId;
}

/** The id that the bank gave an entry. */
export interface BankId {
  /** As the bank wrote it, however long. */
  readonly id: string;
  /** The number of the entry among equal ones of its statement, from 1. */
  readonly nth: number;
  /** Whether the file has the id more than once; may be true even if not. */
  readonly isRepeated: boolean;
}

/** The payee in responses for a row without one. */
const noPayee = '[No Payee]';

/** Returns the payee that is stored for an entry. */
export function payeeOf({ payee }: { readonly payee: string }): string {
  return payee === '' ? noPayee : payee;
}

/** The options of an import. */
export interface ImportPlan {
  /** Returns the entries from the first one; called again when the engine restarts the transaction. */
  readonly entries: () => Iterable<ImportEntry>;
  /** The account of entries that name none; null leaves them without one. */
  readonly defaultAccount: string | null;
  /** Does all the work, then rolls it back. */
  readonly dryRun: boolean;
  /** Called sometimes with the number of entries read so far. */
  readonly onProgress?: (entriesRead: number) => void;
}

/** The result of an import or of a dry run. */
export interface ImportSummary {
  readonly imported: number;
  readonly skippedDuplicates: number;
  readonly accountsCreated: number;
  readonly categoriesCreated: number;
  /** Of all entries of the file, including skipped ones; null for a file without entries. */
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Imported rows whose value in the primary currency of the book is 0, because there is no exchange rate. */
  readonly withoutRate: number;
  /** The currencies of these rows, in alphabetical order. */
  readonly currenciesWithoutRate: readonly string[];
  /** Sums of all entries of the file in ten-thousandths, negative for money out, by lower-case currency code. */
  readonly sumByCurrency: Readonly<Record<string, bigint>>;
}

/** A value of the file that cannot be imported. */
export interface ImportProblem {
  readonly line: number;
  readonly column: string;
  readonly value: string;
  readonly reason: string;
}

/** The file was refused and nothing was imported. At most 100 problems are kept; all are counted. */
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
 * Returns the entry with texts that every engine stores unchanged: without NUL characters, and with U+FFFD for halves
 * of surrogate pairs. Returns the same object if nothing changes.
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

/** A text of NUL characters only becomes null. */
function orNull(text: string | null): string | null {
  return text === null ? null : storable(text) || null;
}
