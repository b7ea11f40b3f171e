import { isStorable, storable } from '@coffer/core/text';
import type { Balance, Entry, EntryPart } from '@coffer/statements/src/statement/statement.ts';

/** One row to import, as the bank wrote it: `amount` in ten-thousandths of its currency, negative for money out. */
export type ImportEntry = Readonly<Entry>;

/** The payee in responses for a row without one. */
export const noPayee = '[No Payee]';

/** The account of a bank that a file names. */
export interface NumberedAccount {
  /** The number of the bank; null if the file has none. */
  readonly bankId: string | null;
  /** The whole number of the account. */
  readonly number: string;
  /** The name that the user gave it; null to find it by its number, or else by the name in the file. */
  readonly name: string | null;
  /** The currency of a new account. Default: that of its first entry. */
  readonly currency?: string;
}

/** The balances of an account in a file. */
export interface StatedAccount {
  /** Null if the file does not say it. */
  readonly currency: string | null;
  /** In file order. */
  readonly balances: readonly Balance[];
}

/** A manual account for entries of the file. */
export interface ImportAccount {
  readonly id: number;
  /** As Coffer shows it. */
  readonly name: string;
  readonly currency: string;
  /** False for an account that this import created, which has no earlier rows. */
  readonly isEarlier: boolean;
}

/** What happens to an entry that may be in the book: it is imported, or not. */
export type OnDoubt = 'keep' | 'skip';

/** The file of an import. */
export interface ImportedFile {
  /** Without its folder. */
  readonly name: string;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
}

/** The options of an import. */
export interface ImportPlan {
  /** Returns the entries from the first one; called again when the engine restarts the transaction. */
  readonly entries: () => Iterable<ImportEntry>;
  /** The account of entries that name none; null leaves them without one. */
  readonly defaultAccount: string | null;
  /** Returns the account of an entry, by the one that the file names. Default: that, else the default account. */
  readonly accountOf?: (named: string | null) => string | null;
  /** Only compares: nothing is written. */
  readonly dryRun: boolean;
  /** The lower-case code for entries with a currency that is not supported, whose code goes to the notes. */
  readonly currency?: string;
  /** The format of the file, such as `ofx`. Payees of two formats are not compared. Default: not known. */
  readonly format?: string;
  /** Whether an empty payee is stored as it is, as in exports of Coffer. Default: false. */
  readonly keepsEmptyPayees?: boolean | undefined;
  /** The file, for the list of imports. */
  readonly file?: ImportedFile;
  /** The preview that becomes the import. Default: the import gets a new record. */
  readonly importId?: number;
  /** How many lines of the file are no entries, for the list of imports. Default: 0. */
  readonly leftOut?: number;
  /** Who imports it, such as `token 12`. Default: `command`. */
  readonly actor?: string;
  /** Accounts with numbers, by the name that entries have. Other names are names of accounts of the book. */
  readonly accounts?: ReadonlyMap<string, NumberedAccount>;
  /** The balances that the file states, by the name that entries have. Default: none. */
  readonly balances?: ReadonlyMap<string, StatedAccount>;
  /**
   * What new accounts had before their first entry, by the name that entries have, in ten-thousandths. Only for those
   * whose balance the file does not state. Default: not known.
   */
  readonly openings?: ReadonlyMap<string, number>;
  /**
   * What happens to entries in doubt. Default: they are imported, except those of which we know the transaction, which
   * has another amount or which a user changed or deleted.
   */
  readonly onDoubt?: OnDoubt;
  /** What happens to single entries, by their number in the file from 1, whatever the verdict on them is. */
  readonly choices?: ReadonlyMap<number, OnDoubt>;
  /** Called once for each entry, not always in file order. */
  readonly onVerdict?: (verdict: EntryVerdict) => void;
  /** Called sometimes with the number of entries read so far. */
  readonly onProgress?: (entriesRead: number) => void;
}

/**
 * `known`: the book has it. `replaces`: the book has it as pending, and it is posted now. `doubtful`: the book may have
 * it. `new`: the book does not have it.
 */
export type Verdict = 'new' | 'known' | 'doubtful' | 'replaces';

/** What an import decided about one entry. */
export interface EntryVerdict {
  /** The number of the entry in the file, from 1. */
  readonly number: number;
  readonly verdict: Verdict;
  /** The transaction that it is, or may be; null for a new one. */
  readonly knownId: number | null;
  /** Why, in a few words; null for a new one. */
  readonly why: string | null;
  /** Whether the entry became a new transaction. */
  readonly isImported: boolean;
  /** The currency of the entry; that of its account, or else of the book, if the file has none. */
  readonly currency: string;
  /** The account of the entry; null without one. */
  readonly account: ImportAccount | null;
}

/** A balance that a file states, and what follows from the book and the file. Ten-thousandths; debts are negative. */
export interface CheckedBalance {
  /** The name of the account as entries have it. */
  readonly name: string;
  /** Its name in the book. */
  readonly account: string;
  readonly day: string;
  readonly balance: number;
  /** What the rows make of the balance before; null if none is known. */
  readonly expected: bigint | null;
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

/** The code for "no currency". Source: ISO 4217. */
const noCurrency = 'xxx';

/**
 * Returns the entry as it is stored: without NUL characters, with U+FFFD for halves of surrogate pairs, and null for
 * the currency code `xxx`. Returns the same object if nothing changes.
 */
export function storableEntry(entry: ImportEntry): ImportEntry {
  const hasCurrency = entry.currency !== noCurrency;
  return withStorableTexts(hasCurrency ? entry : { ...entry, currency: null });
}

function withStorableTexts(entry: ImportEntry): ImportEntry {
  if (isStorableEntry(entry)) return entry;
  const { bankId, tags, parts } = entry;
  return {
    ...entry,
    payee: storable(entry.payee),
    notes: orNull(entry.notes),
    category: orNull(entry.category),
    account: orNull(entry.account),
    externalId: orNull(entry.externalId),
    ...(entry.otherAccount !== undefined && { otherAccount: storable(entry.otherAccount) }),
    ...(tags !== undefined && { tags: tags.map(storable) }),
    ...(parts !== undefined && { parts: parts.map(storablePart) }),
    ...(bankId !== undefined && { bankId: { ...bankId, id: storable(bankId.id) } }),
  };
}

function isStorableEntry(entry: ImportEntry): boolean {
  const { payee, notes, category, account, externalId, bankId, tags, parts } = entry;
  return (
    isStorable(payee) &&
    isWhole(notes) &&
    isWhole(category) &&
    isWhole(account) &&
    isWhole(externalId) &&
    isWhole(entry.otherAccount ?? null) &&
    (bankId === undefined || isStorable(bankId.id)) &&
    (tags === undefined || tags.every(isStorable)) &&
    (parts === undefined ||
      parts.every((part) => isWhole(part.payee) && isWhole(part.notes) && isWhole(part.category)))
  );
}

function storablePart({ amount, payee, notes, category }: EntryPart): EntryPart {
  return { amount, payee: orNull(payee), notes: orNull(notes), category: orNull(category) };
}

function isWhole(text: string | null): boolean {
  return text === null || isStorable(text);
}

/** A text of NUL characters only becomes null. */
function orNull(text: string | null): string | null {
  return text === null ? null : storable(text) || null;
}

/** What each entry has, in the order of {@link StoredEntries}. */
const needed = [
  ...(['line', 'date', 'amount', 'currency', 'payee'] as const),
  ...(['notes', 'category', 'account', 'externalId'] as const),
];
/** What entries may lack. */
const optional = ['isPending', 'tags', 'parts', 'otherAccount', 'bankId'] as const;

/** The values of all entries; null if each of them is null. */
type Column<T> = readonly T[] | null;
type Texts = Column<string | null>;

/** Stored entries: in the order of {@link ImportEntry}, and then what is optional. */
type StoredEntries = readonly [
  ...[line: Column<number>, date: Column<string>, amount: Column<number>, currency: Texts],
  ...[payee: Column<string>, notes: Texts, category: Texts, account: Texts, externalId: Texts],
  ...Column<unknown>[],
];

/** Returns entries as JSON, by columns: with half the length, they are read in half the time. */
export function entriesToJson(entries: readonly ImportEntry[]): string {
  const columnOf = <K extends keyof ImportEntry>(name: K): Column<ImportEntry[K]> =>
    entries.some((each) => (each[name] ?? null) !== null)
      ? entries.map((each) => each[name])
      : null;
  return JSON.stringify([...needed, ...optional].map(columnOf));
}

/** Returns the entries of {@link entriesToJson}. */
export function entriesFromJson(json: string): ImportEntry[] {
  const [lines, dates, amounts, currencies, payees, notes, categories, accounts, ids, ...others] =
    JSON.parse(json) as StoredEntries;
  const entries = (lines ?? []).map((line, at) => ({
    line,
    date: dates![at]!,
    amount: amounts![at]!,
    currency: currencies?.[at] ?? null,
    payee: payees![at]!,
    notes: notes?.[at] ?? null,
    category: categories?.[at] ?? null,
    account: accounts?.[at] ?? null,
    externalId: ids?.[at] ?? null,
  }));
  for (const [nth, name] of optional.entries())
    for (const [at, value] of (others[nth] ?? []).entries())
      if (value !== null) Object.assign(entries[at]!, { [name]: value });
  return entries;
}
