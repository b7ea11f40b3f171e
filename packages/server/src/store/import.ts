import { isCurrencyCode } from '@coffer/contract/currencies';
import { maxExternalIdLength } from '@coffer/contract/limits';
import sql from 'sql-template-tag';
import { EarlierRows } from '../records/earlier-rows.ts';
import { payeeOf } from '../records/import.ts';
import type { ImportEntry, ImportPlan, ImportSummary } from '../records/import.ts';
import { ImportMatches } from '../records/import-matches.ts';
import type { Identified, Verdict } from '../records/import-matches.ts';
import { ImportProblems } from '../records/import-problems.ts';
import { ImportTally } from '../records/import-tally.ts';
import { storableEntry } from '../records/storable-text.ts';
import { BulkRows, lockBook } from './bulk-rows.ts';
import type { Dialect } from './dialect.ts';
import { row, rows } from './engine.ts';
import type { Operation } from './engine.ts';
import { isOrNull } from './filter.ts';
import { ImportNames } from './import-names.ts';
import type { ImportAccount } from './import-names.ts';
import { KnownIds } from './known-ids.ts';

const progressEvery = 5000;

/** Imports the entries of a statement; throws an ImportRefusedError when any of them cannot be taken. */
export function* importEntries(
  bookId: number,
  plan: ImportPlan,
  dialect: Dialect,
): Operation<ImportSummary> {
  yield* lockBook(bookId);
  const book = yield* row<{ id: number; primaryCurrency: string }>(
    sql`SELECT id, primary_currency AS "primaryCurrency" FROM books WHERE id = ${bookId}`,
  );
  if (book === undefined) throw new Error(`There is no book ${bookId}`);
  const importing = new ImportRun(book, plan, dialect);
  let read = 0;
  for (const entry of plan.entries()) {
    yield* importing.take(storableEntry(entry));
    read += 1;
    if (read % progressEvery === 0) plan.onProgress?.(read);
  }
  plan.onProgress?.(read);
  return yield* importing.finish();
}

/** Where an entry goes. */
interface Place {
  readonly account: ImportAccount | null;
  readonly categoryId: number | null;
  readonly currency: string;
}

/** One import of one file into one book. */
class ImportRun {
  readonly #book: { id: number; primaryCurrency: string };
  readonly #plan: ImportPlan;
  readonly #problems = new ImportProblems();
  readonly #tally = new ImportTally();
  readonly #names: ImportNames;
  readonly #rows: BulkRows;
  readonly #earlier = new EarlierRows();
  readonly #loadedMonths = new Set<string>();
  /** The line on which this file first used an external id. */
  readonly #externalIdLines = new Map<string, number>();
  readonly #knownIds: KnownIds;
  readonly #matches = new ImportMatches<Identified & Place>();
  #imported = 0;
  #skippedDuplicates = 0;

  constructor(book: { id: number; primaryCurrency: string }, plan: ImportPlan, dialect: Dialect) {
    this.#book = book;
    this.#plan = plan;
    this.#names = new ImportNames(book, plan.nowIso, this.#problems);
    this.#rows = new BulkRows(book.id, dialect);
    this.#knownIds = new KnownIds(book.id, this.#rows);
  }

  *take(entry: ImportEntry): Operation<void> {
    const accountName = entry.account ?? this.#plan.defaultAccount;
    const account = yield* this.#names.account(accountName, entry);
    const categoryId = yield* this.#names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#book.primaryCurrency;
    this.#checkCurrency(entry, currency);
    this.#checkExternalId(entry, account);
    this.#tally.add(entry, currency);
    // Once anything is wrong, nothing will be kept: what is left is to find the other problems.
    if (this.#problems.any) return;
    yield* this.#place(entry, { account, categoryId, currency });
  }

  *finish(): Operation<ImportSummary> {
    this.#problems.refuse();
    for (const [each, verdict] of this.#matches.settle()) yield* this.#keep(verdict, each);
    yield* this.#rows.finish();
    return {
      imported: this.#imported,
      skippedDuplicates: this.#skippedDuplicates,
      accountsCreated: this.#names.accountsCreated,
      categoriesCreated: this.#names.categoriesCreated,
      ...this.#tally.result,
    };
  }

  #checkCurrency(entry: ImportEntry, currency: string): void {
    if (isCurrencyCode(currency)) return;
    this.#problems.add({
      line: entry.line,
      column: 'currency',
      value: currency,
      reason: 'is not a currency code that this service knows',
    });
  }

  /** Takes an entry into the book, unless it is there; one with an id may have to wait for the end of the file. */
  *#place(entry: ImportEntry, place: Place): Operation<void> {
    const { externalId } = entry;
    if (externalId === null) {
      if (yield* this.#isEarlier(entry, place.account)) this.#skippedDuplicates += 1;
      else yield* this.#insert(entry, null, place);
      return;
    }
    const known = yield* this.#knownIds.rowsOf(externalId, entry, place.account);
    const each = { entry, externalId, known, ...place };
    yield* this.#keep(this.#matches.take(each), each);
  }

  *#keep(verdict: Verdict, each: Identified & Place): Operation<void> {
    if (verdict === 'known') this.#skippedDuplicates += 1;
    if (verdict !== 'new') return;
    const id = this.#knownIds.newId(each, each.account, (other) => this.#isUsed(other, each));
    yield* this.#insert(each.entry, id, each);
  }

  /** Whether an entry of the file itself, up to here, has the id. */
  #isUsed(externalId: string, { account }: Place): boolean {
    return this.#externalIdLines.has(externalIdKey(externalId, account));
  }

  *#isEarlier(entry: ImportEntry, account: ImportAccount | null): Operation<boolean> {
    if (account !== null && !account.isEarlier) return false;
    yield* this.#loadMonth(account, entry.date.slice(0, 7));
    return this.#earlier.take(account?.id ?? null, entry.date, -entry.amount, payeeOf(entry));
  }

  /** A bank's own id names one transaction; twice in one file, one of the two would be lost in silence. */
  #checkExternalId(entry: ImportEntry, account: ImportAccount | null): void {
    const { externalId, line } = entry;
    if (externalId === null) return;
    const key = externalIdKey(externalId, account);
    const firstLine = this.#externalIdLines.get(key);
    this.#externalIdLines.set(key, firstLine ?? line);
    const reason = externalIdProblem(externalId, firstLine);
    if (reason === null) return;
    this.#problems.add({ line, column: 'external_id', value: externalId, reason });
  }

  /** Rows are compared by the name that they came with, so that a payee corrected by hand stays the same row. */
  *#loadMonth(account: ImportAccount | null, month: string): Operation<void> {
    const id = account?.id ?? null;
    const name = `${id ?? ''} ${month}`;
    if (this.#loadedMonths.has(name)) return;
    this.#loadedMonths.add(name);
    const found = yield* rows<{ date: string; amount: number; payee: string }>(sql`
      SELECT date, amount, coalesce(original_name, payee) AS payee FROM transactions
      WHERE book_id = ${this.#book.id} AND ${isOrNull(sql`manual_account_id`, id)} AND plaid_account_id IS NULL
        AND date BETWEEN ${`${month}-01`} AND ${`${month}-31`}
        AND split_parent_id IS NULL AND is_group_parent = 0 AND id < ${this.#rows.firstId}`);
    for (const { date, amount, payee } of found) this.#earlier.add(id, date, amount, payee);
  }

  *#insert(
    entry: ImportEntry,
    externalId: string | null,
    { account, categoryId, currency }: Place,
  ): Operation<void> {
    // Zero has one sign here.
    const amount = entry.amount === 0 ? 0 : -entry.amount;
    const payee = payeeOf(entry);
    this.#rows.add({
      id: yield* this.#rows.nextId(),
      book_id: this.#book.id,
      date: entry.date,
      amount,
      currency,
      to_base: amount,
      payee,
      original_name: payee,
      notes: entry.notes,
      category_id: categoryId,
      manual_account_id: account?.id ?? null,
      plaid_account_id: null,
      external_id: externalId,
      tag_ids: '[]',
      status: 'unreviewed',
      is_pending: 0,
      is_split_parent: 0,
      split_parent_id: null,
      is_group_parent: 0,
      group_parent_id: null,
      source: 'csv',
      plaid_metadata: null,
      custom_metadata: null,
      created_at: this.#plan.nowIso,
      updated_at: this.#plan.nowIso,
    });
    this.#imported += 1;
  }
}

function externalIdProblem(externalId: string, firstLine: number | undefined): string | null {
  if (externalId.length > maxExternalIdLength) {
    return `is ${externalId.length} characters long; ${maxExternalIdLength} are allowed`;
  }
  if (firstLine === undefined) return null;
  return `stands on line ${firstLine} already, and each transaction needs an id of its own`;
}

function externalIdKey(externalId: string, account: ImportAccount | null): string {
  return `${account?.id ?? ''} ${externalId}`;
}
