import { isCurrencyCode } from '../wire/currencies.ts';
import { maxExternalIdLength } from '../wire/limits.ts';
import sql from 'sql-template-tag';
import { EarlierRows } from './earlier-rows.ts';
import { payeeOf, storableEntry } from './entry.ts';
import type { ImportEntry, ImportPlan, ImportSummary } from './entry.ts';
import { ImportMatches } from './matches.ts';
import type { Identified, Verdict } from './matches.ts';
import { ImportProblems, ImportTally } from './report.ts';
import { BulkRows, insertCompleted } from '../resources/transactions/actions.ts';
import { changing, NoSuchBookError } from '../changes/changing.ts';
import type { Change } from '../changes/change.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find, isOrNull, rowsAs } from '../db/rows.ts';
import { integer, text } from '../db/table.ts';
import { books } from '../db/tables.ts';
import { ImportNames } from './names.ts';
import type { ImportAccount } from './names.ts';
import { ImportValues } from './values.ts';
import { KnownIds } from './known-ids.ts';

const progressEvery = 5000;

/** Imports the entries of a statement, all or nothing. Rejects with an ImportRefusedError when one is not valid. */
export function importEntries(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ImportSummary> {
  const cause = { bookId, actor: 'command', operation: 'import' };
  return engine.write(() => changing(cause, (change) => importInto(change, plan)), {
    rollback: plan.dryRun,
  });
}

/** Imports the entries of a statement as part of a change. Throws as {@link importEntries} rejects. */
function* importInto(change: Change, plan: ImportPlan): Steps<ImportSummary> {
  const book = yield* find(books, { id: change.bookId });
  if (book === undefined) throw new NoSuchBookError(change.bookId);
  const importing = new ImportRun(change, book.primary_currency, plan);
  let read = 0;
  for (const entry of plan.entries()) {
    yield* importing.take(storableEntry(entry));
    read += 1;
    if (read % progressEvery === 0) plan.onProgress?.(read);
  }
  plan.onProgress?.(read);
  return yield* importing.finish();
}

/** The account, category and currency of an entry. */
interface Place {
  readonly account: ImportAccount | null;
  readonly categoryId: number | null;
  readonly currency: string;
}

/** One import of one file into one book. */
class ImportRun {
  readonly #bookId: number;
  readonly #primaryCurrency: string;
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
  readonly #values: ImportValues;
  readonly #matches = new ImportMatches<Identified & Place>();
  #imported = 0;
  #skippedDuplicates = 0;

  constructor(change: Change, primaryCurrency: string, plan: ImportPlan) {
    this.#bookId = change.bookId;
    this.#primaryCurrency = primaryCurrency;
    this.#plan = plan;
    this.#names = new ImportNames(change, primaryCurrency, this.#problems);
    const options = { hasRules: true, skipBalanceUpdate: true };
    this.#rows = new BulkRows(change, (rows) => insertCompleted(change, rows, options));
    this.#values = new ImportValues(change, primaryCurrency);
    this.#knownIds = new KnownIds(change.bookId, this.#rows);
  }

  *take(entry: ImportEntry): Steps<void> {
    const accountName = entry.account ?? this.#plan.defaultAccount;
    const account = yield* this.#names.account(accountName, entry);
    const categoryId = yield* this.#names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#primaryCurrency;
    this.#checkCurrency(entry, currency);
    this.#checkExternalId(entry, account);
    this.#tally.add(entry, currency);
    // After a problem nothing will be kept: only further problems are collected.
    if (this.#problems.any) return;
    yield* this.#place(entry, { account, categoryId, currency });
  }

  *finish(): Steps<ImportSummary> {
    this.#problems.refuse();
    for (const [each, verdict] of this.#matches.settle()) yield* this.#keep(verdict, each);
    yield* this.#rows.flush();
    yield* this.#values.moveBalances();
    return {
      imported: this.#imported,
      skippedDuplicates: this.#skippedDuplicates,
      accountsCreated: this.#names.accountsCreated,
      categoriesCreated: this.#names.categoriesCreated,
      ...this.#tally.result,
      ...this.#values.result,
    };
  }

  #checkCurrency(entry: ImportEntry, currency: string): void {
    if (isCurrencyCode(currency)) return;
    this.#problems.add({
      line: entry.line,
      column: 'currency',
      value: currency,
      reason: 'is not a supported currency code',
    });
  }

  /** Adds an entry to the book unless the book has it. An entry with an id may wait for the end of the file. */
  *#place(entry: ImportEntry, place: Place): Steps<void> {
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

  *#keep(verdict: Verdict, each: Identified & Place): Steps<void> {
    if (verdict === 'known') this.#skippedDuplicates += 1;
    if (verdict !== 'new') return;
    const id = this.#knownIds.newId(each, each.account, (other) => this.#isUsed(other, each));
    yield* this.#insert(each.entry, id, each);
  }

  /** Returns whether an entry of the file has the id, up to here. */
  #isUsed(externalId: string, { account }: Place): boolean {
    return this.#externalIdLines.has(externalIdKey(externalId, account));
  }

  *#isEarlier(entry: ImportEntry, account: ImportAccount | null): Steps<boolean> {
    if (account !== null && !account.isEarlier) return false;
    yield* this.#loadMonth(account, entry.date.slice(0, 7));
    return this.#earlier.take(account?.id ?? null, entry.date, -entry.amount, payeeOf(entry));
  }

  /** A bank's id identifies one transaction; if a file repeated it, one of the two would be lost. */
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

  /** Rows are compared by their imported payee, so a row with a changed payee is still the same. */
  *#loadMonth(account: ImportAccount | null, month: string): Steps<void> {
    const id = account?.id ?? null;
    const name = `${id ?? ''} ${month}`;
    if (this.#loadedMonths.has(name)) return;
    this.#loadedMonths.add(name);
    const found = yield* rowsAs(
      { date: text, amount: integer, payee: text },
      sql`SELECT date, amount, coalesce(original_name, payee) AS payee FROM transactions
      WHERE book_id = ${this.#bookId} AND ${isOrNull(sql`manual_account_id`, id)} AND plaid_account_id IS NULL
        AND date BETWEEN ${`${month}-01`} AND ${`${month}-31`}
        AND split_parent_id IS NULL AND is_group_parent = 0 AND id < ${this.#rows.firstId}`,
    );
    for (const { date, amount, payee } of found) this.#earlier.add(id, date, amount, payee);
  }

  *#insert(
    entry: ImportEntry,
    externalId: string | null,
    { account, categoryId, currency }: Place,
  ): Steps<void> {
    // Avoids -0.
    const amount = entry.amount === 0 ? 0 : -entry.amount;
    const payee = payeeOf(entry);
    const toBase = yield* this.#values.toBase(amount, currency, entry.date);
    if (account !== null) yield* this.#values.add(account, amount, currency, entry.date);
    this.#rows.add({
      id: yield* this.#rows.nextId(),
      date: entry.date,
      amount,
      currency,
      to_base: toBase,
      payee,
      original_name: payee,
      notes: entry.notes,
      category_id: categoryId,
      manual_account_id: account?.id ?? null,
      external_id: externalId,
      status: 'unreviewed',
      source: 'csv',
    });
    this.#imported += 1;
  }
}

function externalIdProblem(externalId: string, firstLine: number | undefined): string | null {
  if (externalId.length > maxExternalIdLength) {
    return `is ${externalId.length} characters long; ${maxExternalIdLength} are allowed`;
  }
  if (firstLine === undefined) return null;
  return `is also on line ${firstLine}; each transaction needs its own id`;
}

function externalIdKey(externalId: string, account: ImportAccount | null): string {
  return `${account?.id ?? ''} ${externalId}`;
}
