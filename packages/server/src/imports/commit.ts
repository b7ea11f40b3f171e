import sql, { join, raw } from 'sql-template-tag';
import { changing, type Change } from '../book/change.ts';
import { insertUnlogged, updateUnlogged } from '../book/unlogged.ts';
import type { Steps, Engine } from '../db/engine.ts';
import { find, rowAs } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import { books, imports } from '../db/tables/tables.ts';
import { debitOf, resolvedEntry } from './comparison.ts';
import type { Decision, PendingRow, ResolvedEntry } from './comparison.ts';
import { compareEntries, sourceOf } from './compare.ts';
import type { Compared, ComparedBlock, ComparedFile } from './compare.ts';
import type { ImportEntry, ImportPlan } from './entry.ts';
import { ExistingRows } from './existing-rows.ts';
import { FreeIds, IdsOfFile } from './free-ids.ts';
import { ImportNames, creatingBy } from './names.ts';
import { StatementBalances } from './statement-balances.ts';
import {
  ExistingUpdates,
  ImportProblems,
  ImportValues,
  NewRows,
  VerdictCounts,
  becomesNew,
} from './row-writers.ts';
import { pairImported } from '../ledger/transactions/transfers/search.ts';

/** What an import wrote. */
export interface Written {
  readonly importId: number;
  readonly counts: VerdictCounts;
  readonly names: ImportNames;
  readonly values: ImportValues;
}

/** The first and the last date of a file; null for a file without entries. */
interface Extent {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

/**
 * Writes an import, as part of a change, by what was decided about its entries: those in doubt come last. Nothing that
 * was compared may have changed since.
 *
 * Throws an ImportRefusedError if an entry that a user chose is not valid.
 */
export function* writeImport(
  change: Change,
  plan: ImportPlan,
  compared: Compared,
  extent: Extent,
): Steps<Written> {
  const book = yield* find(books, { id: change.bookId });
  const writing = new Writing(change, book!.primary_currency, plan, compared);
  return yield* writing.run(extent);
}

/** An entry of a block, with what was decided about it. */
type DecidedEntry = readonly [resolved: ResolvedEntry, decision: Decision];

/** The writes of one import. */
class Writing {
  readonly #change: Change;
  readonly #primaryCurrency: string;
  readonly #plan: ImportPlan;
  readonly #compared: Compared;
  readonly #problems = new ImportProblems();
  readonly #counts: VerdictCounts;
  readonly #names: ImportNames;
  readonly #values: ImportValues;
  readonly #balances: StatementBalances;
  readonly #rows: NewRows;
  readonly #updates: ExistingUpdates;
  /** The numbers of the other sides, by the ids of new rows. */
  readonly #numbers = new Map<number, string>();
  readonly #newIds: () => FreeIds;
  #ids: FreeIds | null = null;
  readonly #record: ImportRecord;
  #idsOfFile: IdsOfFile | null = null;

  constructor(change: Change, primaryCurrency: string, plan: ImportPlan, compared: Compared) {
    const { bookId } = change;
    const { format = null, accounts } = plan;
    this.#change = change;
    this.#primaryCurrency = primaryCurrency;
    this.#plan = plan;
    this.#compared = compared;
    this.#counts = new VerdictCounts(plan);
    const maker = creatingBy(change);
    this.#names = new ImportNames(bookId, maker, primaryCurrency, this.#problems, accounts);
    this.#values = new ImportValues(bookId, primaryCurrency);
    this.#balances = new StatementBalances(bookId, plan);
    this.#rows = new NewRows(change, this.#values, this.#names);
    this.#updates = new ExistingUpdates(change, format);
    const { written } = this.#rows;
    this.#newIds = () => {
      const existing = new ExistingRows(bookId, format, written);
      return new FreeIds(existing, () => this.#readIdsOfFile());
    };
    this.#record = new ImportRecord(change, plan);
  }

  *run(extent: Extent): Steps<Written> {
    // The entry that a transaction certainly is may change it, before one that may be it.
    const doubtful: number[] = [];
    for (let place = 0; ; place += 1) {
      const block = yield* this.#compared.block(place);
      if (block === null) break;
      if (yield* this.#writeBlock(block, false)) doubtful.push(place);
      this.#plan.onProgress?.(block.first + block.entries.length - 1);
    }
    for (const place of doubtful)
      yield* this.#writeBlock((yield* this.#compared.block(place))!, true);
    this.#problems.refuse();
    yield* this.#rows.flush();
    yield* this.#updates.flush();
    const { written, days } = this.#rows;
    const others = yield* this.#otherAccounts();
    yield* pairImported(this.#change, { firstId: written.firstId, days, others });
    yield* this.#values.moveBalances(this.#change);
    yield* this.#balances.write(this.#change, () => this.#record.id());
    const [counts, names, values] = [this.#counts, this.#names, this.#values];
    const importId = yield* this.#record.finish(counts, names, extent);
    return { importId, counts, names, values };
  }

  /** The own accounts on the other side, by the ids of rows: all accounts of the file have their numbers by now. */
  *#otherAccounts(): Steps<Map<number, string>> {
    const others = new Map<number, string>();
    const known = new Map<string, number | null>();
    for (const [id, number] of this.#numbers) {
      if (!known.has(number)) known.set(number, yield* this.#names.ownAccount(number));
      const account = known.get(number) ?? null;
      if (account !== null) others.set(id, `manual ${account}`);
    }
    return others;
  }

  /** Writes the entries of a block that are in doubt, or the others. Returns whether there are any in doubt. */
  *#writeBlock(block: ComparedBlock, isDoubtful: boolean): Steps<boolean> {
    let hasDoubtful = false;
    for (const [at, entry] of block.entries.entries()) {
      const decision = block.decisions[at]!;
      const isInDoubt = decision.verdict === 'doubtful';
      hasDoubtful ||= isInDoubt;
      const resolved = yield* this.#resolve(entry, block.first + at);
      if (!isDoubtful) this.#balances.note(resolved, false);
      if (isInDoubt === isDoubtful) yield* this.#write([resolved, decision]);
    }
    return hasDoubtful;
  }

  *#resolve(entry: ImportEntry, number: number): Steps<ResolvedEntry> {
    const account = yield* this.#names.account(entry.account, entry);
    const categoryId = yield* this.#names.category(entry.category, entry);
    const currency = entry.currency ?? account?.currency ?? this.#primaryCurrency;
    const of = { account, categoryId, currency };
    return resolvedEntry(entry, number, of, this.#plan.keepsEmptyPayees);
  }

  *#write([resolved, decision]: DecidedEntry): Steps<void> {
    const { verdict, pending, knownId } = decision;
    if (this.#counts.add(resolved.number, decision)) {
      const externalId =
        resolved.externalId === null ? null : yield* this.#newId(resolved, decision);
      const id = yield* this.#rows.add(resolved, externalId, yield* this.#record.id());
      const { otherAccount: number } = resolved.raw;
      if (number !== undefined) this.#numbers.set(id, number);
    } else if (verdict === 'replaces') yield* this.#post([resolved, decision], pending!);
    else if (knownId !== null && this.#isRemembered(resolved.number, decision))
      yield* this.#remember([resolved, decision], knownId);
  }

  #newId(resolved: ResolvedEntry, { isIdUsed }: Decision): Steps<string> {
    this.#ids ??= this.#newIds();
    return this.#ids.newId(resolved, isIdUsed);
  }

  *#post([resolved, decision]: DecidedEntry, pending: PendingRow): Steps<void> {
    const { account, currency, date } = resolved;
    const amount = debitOf(resolved.amount);
    const toBase = yield* this.#values.toBase(amount, currency, date);
    if (account !== null) yield* this.#values.add(account, amount, currency, date);
    const hasId = resolved.externalId === null || resolved.externalId === pending.externalId;
    const externalId = hasId ? null : yield* this.#newId(resolved, decision);
    const importId = yield* this.#record.id();
    const posting = { resolved, toBase, importId, externalId };
    yield* this.#updates.post(decision.knownId!, pending, posting);
  }

  /** Whether it is clear that the entry is the transaction. */
  #isRemembered(
    number: number,
    { knownId, verdict, isLeftOut, takesId, isNoted }: Decision,
  ): boolean {
    if (!takesId && !isNoted) return false;
    const { choices, onDoubt } = this.#plan;
    if (isLeftOut && (choices?.get(number) ?? onDoubt) !== 'skip') return false;
    // Another entry in doubt, or the entry that it certainly is, may have changed the row.
    return verdict !== 'doubtful' || !this.#updates.changed.has(knownId!);
  }

  /** Gives a known transaction the bank's id, and notes how this file has it. */
  *#remember([resolved, decision]: DecidedEntry, knownId: number): Steps<void> {
    if (decision.takesId)
      yield* this.#updates.takeId(knownId, yield* this.#newId(resolved, decision));
    if (decision.isNoted) yield* this.#updates.noteForm(knownId, resolved);
  }

  /** Few files need it: only those with an id of the bank that another transaction has. */
  *#readIdsOfFile(): Steps<IdsOfFile> {
    if (this.#idsOfFile !== null) return this.#idsOfFile;
    const ids = new IdsOfFile();
    for (let place = 0; ; place += 1) {
      const block = yield* this.#compared.block(place);
      if (block === null) break;
      for (const entry of block.entries) {
        if (entry.externalId === null) continue;
        const account = yield* this.#names.account(entry.account, entry);
        ids.use(entry.externalId, account?.id ?? null, entry.line);
      }
    }
    this.#idsOfFile = ids;
    return ids;
  }
}

/** Writes the record of one import: before its first transaction, because that refers to it, or at the end. */
class ImportRecord {
  readonly #change: Change;
  readonly #plan: ImportPlan;
  #id: number | null;

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
  *finish(
    counts: VerdictCounts,
    names: ImportNames,
    { firstDate, lastDate }: Extent,
  ): Steps<number> {
    const id = yield* this.id();
    const { bookId: book_id, isEmpty, version, at } = this.#change;
    const { importId, actor = 'command', format = null, leftOut = 0 } = this.#plan;
    const committed = { at, actor, format, is_preview: false };
    yield* updateUnlogged(
      imports,
      { book_id, id },
      {
        ...(importId !== undefined && committed),
        version: isEmpty ? null : version,
        first_date: firstDate,
        last_date: lastDate,
        imported: counts.imported,
        known: counts.known,
        replaced: counts.replaced,
        doubtful: counts.verdicts.doubtful,
        skipped: counts.skippedByChoice,
        left_out: leftOut,
        accounts_created: names.accountsCreated,
        categories_created: names.categoriesCreated,
        tags_created: names.tagsCreated,
      },
    );
    return id;
  }
}

/** The columns on which a comparison depends, by table; all of a table without a list. */
const comparedColumns: Readonly<Record<string, readonly string[] | null>> = {
  transactions: [
    ...(['date', 'amount', 'currency', 'payee', 'original_name', 'external_id'] as const),
    ...(['manual_account_id', 'plaid_account_id', 'import_id', 'is_pending'] as const),
    ...(['is_split_parent', 'split_parent_id', 'is_group_parent'] as const),
  ],
  manual_accounts: ['name', 'display_name', 'currency'],
  categories: ['name', 'is_group'],
  tags: ['name'],
  account_numbers: null,
  import_forms: null,
};

/** Whether the book has changed since a version in a way that may change what is decided about entries. */
export function* mayDiffer(bookId: number, version: number): Steps<boolean> {
  const book = yield* rowAs(
    { version: integer, pruned_version: integer },
    sql`SELECT version, pruned_version FROM books WHERE id = ${bookId}`,
  );
  if (book === undefined || book.pruned_version > version) return true;
  if (book.version === version) return false;
  const found = yield* rowAs(
    { version: integer },
    sql`SELECT version FROM changed_records WHERE book_id = ${bookId} AND version > ${version}
      AND (${isCompared}) LIMIT 1`,
  );
  return found !== undefined;
}

/** The condition for lines of the log about columns that are compared. */
const isCompared = join(
  Object.entries(comparedColumns).map(([table, columns]) => {
    if (columns === null) return sql`record = ${table}`;
    const changes = columns.map((column) => sql`diff LIKE ${raw(`'%"${column}":[%'`)}`);
    return sql`record = ${table} AND (kind <> 'changed' OR ${join(changes, ' OR ')})`;
  }),
  ' OR ',
);

/*
 * Imports of statements, for commands and requests, in four steps:
 *
 * 1. A file is opened and read (`statements`).
 * 2. Its entries are kept (`EntryBlocks`; those of previews in the database).
 * 3. They are compared with the book on a snapshot, without the lock of the book (`compare.ts`).
 * 4. The import is written under the lock, by what was decided (`commit.ts`). If the book has changed since the
 *    snapshot, the kept entries are compared again.
 *
 * `plan.choices` says what happens to single entries, by their number in the file; `plan.onDoubt` says it for all
 * entries that may be in the book. `plan.onVerdict` receives the verdict on each entry, with the id of the transaction
 * that it is or may be.
 *
 * The rules are in docs/reference/statements.md, "Entries that the book has". Each transaction keeps the import that
 * created it (`import_id`), and so the format; `import_forms` has how files of other formats had it.
 */

/** Imports the entries of a statement, all or nothing. Rejects with an ImportRefusedError when one is not valid. */
export async function importEntries(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ImportSummary> {
  const file = await compareFile(engine, bookId, plan);
  try {
    return plan.dryRun ? summaryOf(plan, file) : await commitFile(engine, bookId, plan, file);
  } finally {
    file.entries.close();
  }
}

/** Compares the entries of a statement with a book, without changes. The caller closes the entries of the result. */
export function compareFile(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
): Promise<ComparedFile> {
  return engine.read(() => compareEntries(bookId, plan, sourceOf(plan.entries())));
}

/** Imports a file that was compared. Its choices may have been made since. Rejects as {@link importEntries} does. */
export function commitFile(
  engine: Engine,
  bookId: number,
  plan: ImportPlan,
  file: ComparedFile,
): Promise<ImportSummary> {
  const cause = { bookId, actor: 'command', operation: 'import' };
  const write = function* (change: Change): Steps<ImportSummary> {
    const now = (yield* mayDiffer(bookId, file.version))
      ? yield* comparedAgain(bookId, plan, file)
      : file;
    try {
      return summaryOf(plan, now, yield* writeImport(change, plan, now, now.tally));
    } finally {
      if (now !== file) now.entries.close();
    }
  };
  return engine.write(() => changing(cause, write), { isLarge: true });
}

/** Compares the kept entries of a file with the book as it is now. */
function comparedAgain(
  bookId: number,
  plan: ImportPlan,
  { entries }: ComparedFile,
): Steps<ComparedFile> {
  return compareEntries(bookId, asPlanned(plan), sourceOf(entries));
}

/** Returns a plan for entries that have their accounts and currencies already. */
export function asPlanned({ accountOf: _, onProgress: __, ...plan }: ImportPlan): ImportPlan {
  return { ...plan, defaultAccount: null };
}

/** An entry that may be in the book already. */
export type DoubtfulEntry = Readonly<Omit<ComparedFile['doubtful'][number], 'isLeftOut'>> & {
  readonly isImported: boolean;
};

type Result = Extent &
  ImportValues['result'] &
  Readonly<Pick<ImportNames, 'accountsCreated' | 'categoriesCreated' | 'tagsCreated'>>;

/** The result of an import or of a dry run. */
export interface ImportSummary extends Result {
  readonly importId: number | null;
  readonly imported: number;
  readonly skippedDuplicates: number;
  readonly replaced: number;
  readonly skippedByChoice: number;
  /** The first 100 are listed. */
  readonly doubtful: { readonly count: number; readonly entries: readonly DoubtfulEntry[] };
  /** All entries of the file, in ten-thousandths, negative for money out. */
  readonly sumByCurrency: Readonly<Record<string, bigint>>;
  readonly balances: ComparedFile['checked'];
}

/** Returns what an import did, or else what it would do. */
export function summaryOf(
  { choices, onDoubt }: ImportPlan,
  file: ComparedFile,
  written?: Written,
): ImportSummary {
  const { counts, names, values } = written ?? file;
  const { firstDate, lastDate, sumByCurrency } = file.tally;
  return {
    importId: written?.importId ?? null,
    imported: counts.imported,
    skippedDuplicates: counts.known,
    replaced: counts.replaced,
    skippedByChoice: counts.skippedByChoice,
    doubtful: {
      count: counts.verdicts.doubtful,
      entries: file.doubtful.map(({ isLeftOut, ...entry }) => {
        const decision = { verdict: 'doubtful', isLeftOut } as const;
        return { ...entry, isImported: becomesNew(decision, choices?.get(entry.number), onDoubt) };
      }),
    },
    accountsCreated: names.accountsCreated,
    categoriesCreated: names.categoriesCreated,
    tagsCreated: names.tagsCreated,
    firstDate,
    lastDate,
    sumByCurrency,
    balances: file.checked,
    ...values.result,
  };
}
