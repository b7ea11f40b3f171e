import { changing, NoSuchBookError } from '../book/change.ts';
import type { Change } from '../book/change.ts';
import { insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import { blockSize } from '../db/blocks.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { books, imports } from '../db/tables/tables.ts';
import { isCurrencyCode } from '../operations/currencies.ts';
import { maxExternalIdLength } from '../operations/limits.ts';
import { debitOf, hasForm, resolvedEntry, noMatch } from './comparison.ts';
import type { ResolvedEntry, Comparison, ExistingRow } from './comparison.ts';
import { storableEntry } from './entry.ts';
import type { ImportPlan, ImportSummary, ImportEntry, OnDoubt } from './entry.ts';
import { ExistingRows } from './existing-rows.ts';
import { FreeIds } from './free-ids.ts';
import { Matcher } from './matcher.ts';
import { ImportNames } from './names.ts';
import { ImportProblems, ImportTally, ImportVerdicts } from './report.ts';
import { NewRows, ImportValues, ExistingUpdates } from './row-writers.ts';

/*
 * Imports of statements, for commands and requests:
 *
 * - `importEntries` imports the entries of a file, all or nothing. `plan.choices` says what happens to single entries,
 *   by their number in the file; `plan.onDoubt` says it for all entries that may be in the book.
 * - A preview is `importEntries` with `dryRun`: `plan.onVerdict` receives the verdict on each entry, with the id of the
 *   transaction that it is or may be. Nothing is written. If the engine restarts the transaction, `plan.entries` is
 *   called again, and the verdicts so far are void.
 *
 * `importInto` is the import as a part of a change, whose version is that of the import in the change log.
 *
 * The rules are in docs/reference/statements.md, "Entries that the book has". Each transaction keeps the import that
 * created it (`import_id`), and so the format; `import_forms` has how files of other formats had it.
 */

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
export function* importInto(change: Change, plan: ImportPlan): Steps<ImportSummary> {
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

/** One import of one file into one book. */
class ImportRun {
  readonly #primaryCurrency: string;
  readonly #plan: ImportPlan;
  readonly #problems = new ImportProblems();
  readonly #tally = new ImportTally();
  readonly #verdicts: ImportVerdicts;
  readonly #names: ImportNames;
  readonly #existing: ExistingRows;
  readonly #matcher: Matcher;
  readonly #ids: FreeIds;
  readonly #updates: ExistingUpdates;
  readonly #rows: NewRows;
  readonly #values: ImportValues;
  #block: ResolvedEntry[] = [];
  readonly #record: ImportRecord;
  #read = 0;

  constructor(change: Change, primaryCurrency: string, plan: ImportPlan) {
    const format = plan.format ?? null;
    this.#primaryCurrency = primaryCurrency;
    this.#plan = plan;
    this.#record = new ImportRecord(change, plan);
    this.#verdicts = new ImportVerdicts(plan.onVerdict);
    this.#names = new ImportNames(change, primaryCurrency, this.#problems, plan.accounts);
    this.#values = new ImportValues(change, primaryCurrency);
    this.#rows = new NewRows(change, this.#values, this.#names);
    this.#existing = new ExistingRows(change.bookId, format, this.#rows.written);
    this.#matcher = new Matcher(this.#existing);
    this.#ids = new FreeIds(this.#existing);
    this.#updates = new ExistingUpdates(change, format);
  }

  *take(received: ImportEntry): Steps<void> {
    this.#read += 1;
    const entry = this.#withKnownCurrency(received);
    const { accountOf, defaultAccount } = this.#plan;
    const accountName = accountOf?.(entry.account) ?? entry.account ?? defaultAccount;
    const account = yield* this.#names.account(accountName, entry);
    const categoryId = yield* this.#names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#primaryCurrency;
    this.#checkCurrency(entry, currency);
    this.#checkExternalId(entry, account?.id ?? null);
    this.#rows.check(entry, this.#problems);
    this.#tally.add(entry, currency);
    // After a problem nothing will be kept: only further problems are collected.
    if (this.#problems.any) return;
    const { keepsEmptyPayees } = this.#plan;
    const of = { account, categoryId, currency };
    const resolved = resolvedEntry(entry, this.#read, of, keepsEmptyPayees);
    // An account that this import created has no earlier rows.
    if (account?.isEarlier === false) return yield* this.#carryOut(resolved, noMatch);
    this.#matcher.note(resolved);
    this.#block.push(resolved);
    if (this.#block.length === blockSize) yield* this.#compareBlock(false);
  }

  *finish(): Steps<ImportSummary> {
    this.#problems.refuse();
    yield* this.#compareBlock(this.#read === this.#block.length);
    for (const [resolved, comparison] of this.#matcher.decideWaiting())
      yield* this.#carryOut(resolved, comparison);
    this.#problems.refuse();
    yield* this.#rows.flush();
    yield* this.#updates.flush();
    yield* this.#values.moveBalances();
    const { counts, doubtful } = this.#verdicts;
    const summary: ImportSummary = {
      importId: null,
      imported: counts.imported,
      skippedDuplicates: counts.known,
      replaced: counts.replaced,
      skippedByChoice: counts.skippedByChoice,
      doubtful,
      accountsCreated: this.#names.accountsCreated,
      categoriesCreated: this.#names.categoriesCreated,
      tagsCreated: this.#names.tagsCreated,
      ...this.#tally.result,
      ...this.#values.result,
    };
    const importId = yield* this.#record.finish(summary);
    return { ...summary, importId: this.#plan.dryRun ? null : importId };
  }

  #withKnownCurrency(entry: ImportEntry): ImportEntry {
    const { currency, notes } = entry;
    const given = this.#plan.currency;
    if (currency === null || given === undefined || isCurrencyCode(currency)) return entry;
    const texts = [notes ?? '', currency.toUpperCase()].filter((text) => text !== '');
    return { ...entry, currency: given, notes: texts.join('; ') };
  }

  #checkCurrency(entry: ImportEntry, currency: string): void {
    if (isCurrencyCode(currency)) return;
    this.#problems.add({
      line: entry.line,
      column: 'currency',
      value: currency,
      reason: 'is not a supported currency code: use --currency for the currency of such amounts',
    });
  }

  /** A bank's id identifies one transaction; if a file repeated it, one of the two would be lost. */
  #checkExternalId({ externalId, line }: ImportEntry, accountId: number | null): void {
    if (externalId === null) return;
    const firstLine = this.#ids.use(externalId, accountId, line);
    const reason = externalIdProblem(externalId, firstLine);
    if (reason === null) return;
    this.#problems.add({ line, column: 'external_id', value: externalId, reason });
  }

  /** Compares a block: first by ids, so that rows are loaded only for entries without a match. */
  *#compareBlock(isWholeFile: boolean): Steps<void> {
    const block = this.#block;
    this.#block = [];
    yield* this.#ids.findRows(block);
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
    yield* this.#existing.loadAround(left, isWholeFile);
    decide((resolved) => this.#matcher.matchText(resolved));
    decide((resolved) => this.#matcher.matchOrWait(resolved));
    for (const resolved of block) {
      const comparison = decided.get(resolved);
      if (comparison !== undefined) yield* this.#carryOut(resolved, comparison);
    }
    if (!this.#matcher.isFull) return;
    const last = block.at(-1)!.date;
    for (const [resolved, comparison] of this.#matcher.decideWaiting(last))
      yield* this.#carryOut(resolved, comparison);
  }

  *#carryOut(resolved: ResolvedEntry, comparison: Comparison): Steps<void> {
    const choice = this.#plan.choices?.get(resolved.number);
    const isImported = this.#isImported(comparison, choice);
    this.#verdicts.add(resolved, comparison, isImported);
    const { verdict, row } = comparison;
    if (isImported) {
      const externalId = resolved.externalId === null ? null : yield* this.#ids.newId(resolved);
      const importId = yield* this.#record.id();
      yield* this.#rows.add(resolved, externalId, importId);
    } else if (verdict === 'replaces') yield* this.#post(resolved, comparison);
    else if (row !== null && this.#isToRemember(row, comparison, choice))
      yield* this.#remember(resolved, comparison);
  }

  #isImported({ verdict, isLeftOut }: Comparison, choice: OnDoubt | undefined): boolean {
    if (choice !== undefined) return choice === 'keep';
    const { onDoubt } = this.#plan;
    if (verdict === 'doubtful') return isLeftOut === true ? onDoubt === 'keep' : onDoubt !== 'skip';
    return verdict === 'new';
  }

  *#post(resolved: ResolvedEntry, { row, verdict }: Comparison): Steps<void> {
    const { account, currency, date } = resolved;
    const amount = debitOf(resolved.amount);
    const toBase = yield* this.#values.toBase(amount, currency, date);
    if (account !== null && verdict === 'replaces')
      yield* this.#values.add(account, amount, currency, date);
    const hasId = resolved.externalId === null || resolved.externalId === row!.externalId;
    const externalId = hasId ? null : yield* this.#ids.newId(resolved);
    const importId = yield* this.#record.id();
    yield* this.#updates.post(row!, { resolved, toBase, importId, externalId });
  }

  /** Not if the user changed the row, or nobody has said that the entry is the row. */
  #isToRemember(
    { id, edit }: ExistingRow,
    { verdict, isLeftOut }: Comparison,
    choice: OnDoubt | undefined,
  ): boolean {
    if (edit !== null || (isLeftOut === true && (choice ?? this.#plan.onDoubt) !== 'skip'))
      return false;
    // Another entry in doubt, or the entry that it certainly is, may have changed the row.
    return verdict !== 'doubtful' || !this.#updates.changed.has(id);
  }

  /** Gives a known row the bank's id, and remembers how this file has it. */
  *#remember(resolved: ResolvedEntry, { row, verdict }: Comparison): Steps<void> {
    const { externalId } = resolved;
    const known = row!;
    const isWithId = [known, ...known.forms].some((form) => form.externalId === externalId);
    const takesId = externalId !== null && known.externalId === null && !isWithId;
    if (takesId) yield* this.#updates.takeId(known, yield* this.#ids.newId(resolved));
    // An id of another format than that of the row is noted, so that it is not taken for an id of the row's own.
    const isOtherId = takesId && known.format !== (this.#plan.format ?? null);
    const isForeign = known.relation === 'other' || known.isPending !== resolved.isPending;
    const isNoted = hasForm(known, resolved);
    if (isOtherId || ((isForeign || verdict === 'doubtful') && !isNoted))
      yield* this.#updates.noteForm(known, resolved);
  }
}

function externalIdProblem(externalId: string, firstLine: number | undefined): string | null {
  if (externalId.length > maxExternalIdLength) {
    return `is ${externalId.length} characters long; ${maxExternalIdLength} are allowed`;
  }
  if (firstLine === undefined) return null;
  return `is also on line ${firstLine}; each transaction needs its own id`;
}

/** Writes the record of one import: before its first transaction, because that refers to it, or at the end. */
class ImportRecord {
  readonly #change: Change;
  readonly #plan: ImportPlan;
  #id: number | null = null;

  constructor(change: Change, plan: ImportPlan) {
    this.#change = change;
    this.#plan = plan;
    this.#id = plan.importId ?? null;
  }

  /** Returns the id of the record, which it creates when it is called first. */
  *id(): Steps<number> {
    if (this.#id !== null) return this.#id;
    const { bookId: book_id, at } = this.#change;
    const { format = null, actor = 'command', file } = this.#plan;
    const ofFile = { file_name: file?.name ?? null, file_hash: file?.hash ?? null };
    const row = yield* insertUnlogged(imports, { book_id, at, actor, format, ...ofFile });
    this.#id = row.id;
    return row.id;
  }

  /** Writes what became of the entries. Call it last: an import that changed nothing has no version to undo. */
  *finish(summary: ImportSummary): Steps<number> {
    const id = yield* this.id();
    const { bookId: book_id, isEmpty, version, at } = this.#change;
    const { importId, actor = 'command', format = null } = this.#plan;
    if (importId !== undefined)
      yield* updateUnlogged(imports, { book_id, id }, { at, actor, format, is_preview: false });
    yield* updateUnlogged(
      imports,
      { book_id, id },
      {
        version: isEmpty ? null : version,
        first_date: summary.firstDate,
        last_date: summary.lastDate,
        imported: summary.imported,
        known: summary.skippedDuplicates,
        replaced: summary.replaced,
        doubtful: summary.doubtful.count,
        skipped: summary.skippedByChoice,
        left_out: this.#plan.leftOut ?? 0,
        accounts_created: summary.accountsCreated,
        categories_created: summary.categoriesCreated,
        tags_created: summary.tagsCreated,
      },
    );
    return id;
  }
}
