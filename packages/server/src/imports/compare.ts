import { closeSync } from 'node:fs';
import { NoSuchBookError } from '../book/change.ts';
import { blockSize } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { books } from '../db/tables/tables.ts';
import { isCurrencyCode } from '../operations/currencies.ts';
import { maxExternalIdLength } from '../operations/limits.ts';
import { debitOf, Decisions, decisionOf, noMatch, resolvedEntry } from './comparison.ts';
import type { Comparison, Decision, ResolvedEntry, ShownDecision } from './comparison.ts';
import { storableEntry, entriesFromJson, entriesToJson } from './entry.ts';
import type { CheckedBalance, ImportEntry, ImportPlan } from './entry.ts';
import { scratchFile } from './statement-file.ts';
import { ExistingRows } from './existing-rows.ts';
import { IdsOfFile } from './free-ids.ts';
import { Matcher } from './matcher.ts';
import { ImportNames, onlyNoting } from './names.ts';
import {
  ImportProblems,
  ImportTally,
  ImportValues,
  partsFault,
  VerdictCounts,
} from './row-writers.ts';
import { StatementBalances } from './statement-balances.ts';

/** Entries in doubt that are listed. */
const mostListed = 100;

/** An entry in doubt, before it is known what becomes of it. */
export interface ListedEntry
  extends Pick<ImportEntry, 'line' | 'date' | 'amount' | 'payee'>, Pick<Decision, 'isLeftOut'> {
  readonly number: number;
  readonly knownId: number;
  /** The transaction that it may be. Its amount is negative for money out, too. */
  readonly known: Pick<ImportEntry, 'date' | 'amount' | 'payee'>;
  readonly why: string;
}

/** A block of entries with what was decided about them. */
export interface ComparedBlock {
  /** The number of its first entry, from 1. */
  readonly first: number;
  readonly entries: readonly ImportEntry[];
  readonly decisions: readonly ShownDecision[];
}

/** Entries that were compared with a version of their book. */
export interface Compared {
  readonly version: number;
  /** Returns a block of entries, in the order of the file; null after the last one. */
  block(place: number): Steps<ComparedBlock | null>;
}

/** Returns entries of a file, one part after another; null after the last one. */
export type EntrySource = (place: number) => Steps<Iterable<ImportEntry> | null>;

/** Returns the entries as a source. */
export function sourceOf(entries: Iterable<ImportEntry>): EntrySource {
  return function* (place) {
    return place === 0 ? entries : null;
  };
}

/** Entries of a longer file go to a temporary file. */
const mostInMemory = 20_000;

/** A part of the temporary file. */
interface Stretch {
  readonly start: number;
  readonly length: number;
}

/** The entries of a file, each kept once: in memory, or in a temporary file that nobody else can read. */
class EntryBlocks {
  readonly #blocks: (readonly ImportEntry[] | Stretch)[] = [];
  #last: ImportEntry[] = [];
  readonly #files: number[] = [];
  readonly #scratch = scratchFile(this.#files);
  #end = 0;

  get count(): number {
    return this.#blocks.length * blockSize + this.#last.length;
  }

  add(entry: ImportEntry): void {
    this.#last.push(entry);
    if (this.#last.length < blockSize) return;
    this.#blocks.push(this.count > mostInMemory ? this.#spool(this.#last) : this.#last);
    this.#last = [];
  }

  /** Returns the entries of a block, which has {@link blockSize} unless it is the last one; none after that. */
  entries(place: number): readonly ImportEntry[] {
    const block = this.#at(place);
    return 'start' in block ? entriesFromJson(this.#textOf(block)) : block;
  }

  /** Returns the entries of a block as JSON: see {@link entriesToJson}. */
  json(place: number): string {
    const block = this.#at(place);
    return 'start' in block ? this.#textOf(block) : entriesToJson(block);
  }

  /** Returns all entries. */
  *[Symbol.iterator](): Generator<ImportEntry> {
    for (let place = 0; place <= this.#blocks.length; place += 1) yield* this.entries(place);
  }

  /** Deletes the temporary file. */
  close(): void {
    for (const file of this.#files.splice(0)) closeSync(file);
  }

  #at(place: number): readonly ImportEntry[] | Stretch {
    return this.#blocks[place] ?? (place === this.#blocks.length ? this.#last : []);
  }

  #spool(entries: readonly ImportEntry[]): Stretch {
    const bytes = Buffer.from(entriesToJson(entries));
    const stretch = { start: this.#end, length: bytes.length };
    this.#scratch.write(bytes, this.#end);
    this.#end += bytes.length;
    return stretch;
  }

  #textOf({ start, length }: Stretch): string {
    return Buffer.from(this.#scratch.read(start, length)).toString();
  }
}

/** The entries of a file, what was decided about each, and what an import of them would do. */
export class ComparedFile implements Compared {
  readonly version: number;
  readonly entries = new EntryBlocks();
  readonly decisions = new Decisions();
  readonly tally = new ImportTally();
  readonly counts: VerdictCounts;
  readonly values: ImportValues;
  readonly balances: StatementBalances;
  /** The balances of the file, when all entries are compared. */
  checked: readonly CheckedBalance[] = [];
  /** The records that would be created. */
  readonly names: ImportNames;
  readonly problems = new ImportProblems();
  readonly doubtful: ListedEntry[] = [];

  constructor(bookId: number, version: number, primaryCurrency: string, plan: ImportPlan) {
    this.version = version;
    this.counts = new VerdictCounts(plan);
    this.values = new ImportValues(bookId, primaryCurrency);
    this.balances = new StatementBalances(bookId, plan);
    const { problems } = this;
    this.names = new ImportNames(bookId, onlyNoting(), primaryCurrency, problems, plan.accounts);
  }

  *block(place: number): Steps<ComparedBlock | null> {
    const entries = this.entries.entries(place);
    if (entries.length === 0) return null;
    return { first: place * blockSize + 1, entries, decisions: this.decisionsOf(place) };
  }

  /** Lists an entry in doubt, unless there are many. */
  list({ number, raw }: ResolvedEntry, { row, why, isLeftOut = false }: Comparison): void {
    if (this.doubtful.length >= mostListed) return;
    const { line, date, amount, payee } = raw;
    const { date: knownDate, amount: knownAmount, payee: knownPayee } = row!.edit?.now ?? row!;
    const known = { date: knownDate, amount: knownAmount, payee: knownPayee };
    const entry = { number, line, date, amount, payee };
    this.doubtful.push({ ...entry, knownId: row!.id, known, why: why!, isLeftOut });
  }

  /** Returns the decisions on the entries of a block. */
  decisionsOf(place: number): ShownDecision[] {
    const first = place * blockSize + 1;
    const length = Math.max(0, Math.min(blockSize, this.entries.count - place * blockSize));
    return Array.from({ length }, (_, at) => this.decisions.of(first + at));
  }
}

/**
 * Compares the entries of a file with a book, and writes nothing. Accounts, categories and tags that are missing are
 * only noted. The caller closes the entries of the result.
 *
 * Throws an ImportRefusedError with all entries that are not valid, and {@link NoSuchBookError}.
 */
export function* compareEntries(
  bookId: number,
  plan: ImportPlan,
  received: EntrySource,
): Steps<ComparedFile> {
  const book = yield* find(books, { id: bookId });
  if (book?.incomplete_until_ms !== null) throw new NoSuchBookError(bookId);
  const { version, primary_currency: primaryCurrency } = book;
  const file = new ComparedFile(bookId, version, primaryCurrency, plan);
  try {
    const comparing = new Comparing(bookId, primaryCurrency, plan, file);
    for (let place = 0, some = yield* received(0); some !== null;) {
      for (const entry of some) yield* comparing.take(storableEntry(entry));
      place += 1;
      some = yield* received(place);
    }
    yield* comparing.compare();
    file.checked = yield* file.balances.check();
    return file;
  } catch (error) {
    file.entries.close();
    throw error;
  }
}

/** One comparison of one file with one book. */
class Comparing {
  readonly #primaryCurrency: string;
  readonly #plan: ImportPlan;
  readonly #file: ComparedFile;
  readonly #existing: ExistingRows;
  readonly #matcher: Matcher;
  /** Null until an entry has an id. */
  #ids: IdsOfFile | null = null;

  constructor(bookId: number, primaryCurrency: string, plan: ImportPlan, file: ComparedFile) {
    this.#primaryCurrency = primaryCurrency;
    this.#plan = plan;
    this.#file = file;
    this.#existing = new ExistingRows(bookId, plan.format ?? null);
    this.#matcher = new Matcher(this.#existing);
  }

  /** Checks and keeps an entry. What is compared depends on all of them. */
  *take(received: ImportEntry): Steps<void> {
    const { problems, tally, entries } = this.#file;
    const entry = this.#planned(received);
    entries.add(entry);
    const { account, currency } = yield* this.#resolve(entry);
    const accountId = account?.id ?? null;
    this.#check(entry, currency, accountId);
    tally.add(entry, currency, account);
    if (problems.any || account?.isEarlier === false) return;
    this.#matcher.note(accountId, entry.date);
    this.#existing.want(accountId, entry);
  }

  /** Compares the entries that were taken. */
  *compare(): Steps<void> {
    const { problems, entries } = this.#file;
    problems.refuse();
    for (let place = 0; ; place += 1) {
      const block = entries.entries(place);
      if (block.length === 0) break;
      const first = place * blockSize + 1;
      yield* this.#compareBlock(block, first);
      this.#plan.onProgress?.(first + block.length - 1);
    }
    for (const [resolved, comparison] of this.#matcher.decideWaiting())
      yield* this.#decide(resolved, comparison);
    problems.refuse();
  }

  *#resolve(entry: ImportEntry): Steps<Pick<ResolvedEntry, 'account' | 'categoryId' | 'currency'>> {
    const { names } = this.#file;
    const account = yield* names.account(entry.account, entry);
    const categoryId = yield* names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#primaryCurrency;
    return { account, categoryId, currency };
  }

  /** Returns an entry with the account of the plan, and with a known currency. */
  #planned(entry: ImportEntry): ImportEntry {
    const { accountOf, defaultAccount, currency: given } = this.#plan;
    const account = accountOf?.(entry.account) ?? entry.account ?? defaultAccount;
    const named = account === entry.account ? entry : { ...entry, account };
    const { currency, notes } = entry;
    if (currency === null || given === undefined || isCurrencyCode(currency)) return named;
    const texts = [notes ?? '', currency.toUpperCase()].filter((text) => text !== '');
    return { ...named, currency: given, notes: texts.join('; ') };
  }

  #check(entry: ImportEntry, currency: string, accountId: number | null): void {
    const { line, externalId } = entry;
    const add = (column: string, value: string, reason: string | null): void => {
      if (reason !== null) this.#file.problems.add({ line, column, value, reason });
    };
    if (!isCurrencyCode(currency)) add('currency', currency, unknownCurrency);
    if (externalId !== null) {
      this.#ids ??= new IdsOfFile();
      const firstLine = this.#ids.use(externalId, accountId, line);
      add('external_id', externalId, externalIdFault(externalId, firstLine));
    }
    const { parts = [] } = entry;
    if (parts.length > 0) add('parts', String(parts.length), partsFault(entry));
  }

  /** Compares a block: first by ids, so that rows are loaded only for entries without a match. */
  *#compareBlock(entries: readonly ImportEntry[], first: number): Steps<void> {
    const block: ResolvedEntry[] = [];
    const { keepsEmptyPayees } = this.#plan;
    for (const [at, entry] of entries.entries()) {
      const of = yield* this.#resolve(entry);
      const resolved = resolvedEntry(entry, first + at, of, keepsEmptyPayees);
      // An account that the import creates has no earlier rows.
      if (of.account?.isEarlier === false) yield* this.#decide(resolved, noMatch);
      else block.push(resolved);
    }
    if (block.length === 0) return;
    yield* this.#existing.readIds(block);
    const decided = new Map<ResolvedEntry, Comparison>();
    const decide = (find: (resolved: ResolvedEntry) => Comparison | null): void => {
      for (const resolved of block) {
        const comparison = decided.get(resolved) ?? find(resolved);
        if (comparison !== null) decided.set(resolved, comparison);
      }
    };
    decide((resolved) => this.#matcher.matchId(resolved));
    decide((resolved) => this.#matcher.matchSharedId(resolved));
    const left = block.filter((each) => !decided.has(each));
    yield* this.#existing.loadAround(left);
    decide((resolved) => this.#matcher.matchText(resolved));
    decide((resolved) => this.#matcher.matchOrWait(resolved));
    for (const [resolved, comparison] of decided) yield* this.#decide(resolved, comparison);
    if (!this.#matcher.isFull) return;
    const last = block.at(-1)!.date;
    for (const [resolved, comparison] of this.#matcher.decideWaiting(last))
      yield* this.#decide(resolved, comparison);
  }

  *#decide(resolved: ResolvedEntry, comparison: Comparison): Steps<void> {
    const { number, raw, account, currency, amount, date } = resolved;
    const { decisions, counts, values, names } = this.#file;
    const decision = decisionOf(resolved, comparison, this.#plan.format ?? null);
    const accountId = account?.isEarlier === true ? account.id : null;
    decisions.set(number, { ...decision, currency, accountId });
    const isImported = counts.add(number, decision);
    this.#file.balances.note(resolved, isImported || decision.verdict === 'replaces');
    if (comparison.verdict === 'doubtful') this.#file.list(resolved, comparison);
    const { verdict, knownId, why } = decision;
    this.#plan.onVerdict?.({ number, verdict, knownId, why, isImported, currency, account });
    if (!isImported && verdict !== 'replaces') return;
    yield* values.toBase(debitOf(amount), currency, date);
    if (!isImported) return;
    if (raw.tags !== undefined) yield* names.tagIds(raw);
    for (const part of raw.parts ?? []) yield* names.categoryOfPart(part.category);
  }
}

const unknownCurrency =
  'is not a supported currency code: use --currency for the currency of such amounts';

/** A bank's id identifies one transaction; if a file repeated it, one of the two would be lost. */
function externalIdFault(externalId: string, firstLine: number | undefined): string | null {
  if (externalId.length > maxExternalIdLength)
    return `is ${externalId.length} characters long; ${maxExternalIdLength} are allowed`;
  if (firstLine === undefined) return null;
  return `is also on line ${firstLine}; each transaction needs its own id`;
}
