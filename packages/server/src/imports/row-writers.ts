import { BulkRows, updateTransactions } from '../ledger/transactions/writes.ts';
import { completionOf, insertCompleted, type Completion } from '../ledger/transactions/complete.ts';
import { splitTransaction } from '../ledger/transactions/split.ts';
import type { NewTransaction, TransactionUpdate } from '../ledger/transactions/writes.ts';
import type { TransactionRow } from '../ledger/recurring/links.ts';
import { maxAmount } from '@coffer/core/money';
import sql, { join } from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import { blocksOf, padded, blockSize } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import type { NewRow } from '../db/table.ts';
import { transactions, importForms } from '../db/tables/tables.ts';
import { moveBalances } from '../ledger/accounts/actions.ts';
import { lastAnchor } from '../ledger/accounts/anchors.ts';
import { ratesOf } from '../ledger/currencies/actions.ts';
import { IdSet, debitOf } from './comparison.ts';
import type { Decision, ResolvedEntry, Form, PendingRow } from './comparison.ts';
import { ImportRefusedError } from './entry.ts';
import type {
  ImportAccount,
  ImportEntry,
  ImportPlan,
  ImportProblem,
  OnDoubt,
  Verdict,
} from './entry.ts';

/** Returns what is wrong with the parts of an entry; null if they total its amount. */
export function partsFault({ amount, parts = [] }: ImportEntry): string | null {
  const total = parts.reduce((sum, part) => sum + BigInt(part.amount), 0n);
  const isRight = parts.length > 1 && total === BigInt(amount);
  return isRight ? null : 'are not two parts or more that total the amount';
}

/** The tags and categories that a file names. */
interface FoundNames {
  tagIds(entry: ImportEntry): Steps<string>;
  categoryOfPart(name: string | null): Steps<number | null>;
}

/** Inserts the new transactions of an import, block by block, with their parts. */
export class NewRows {
  readonly #change: Change;
  readonly #values: ImportValues;
  readonly #names: FoundNames;
  /** Split entries that are not written yet, by id. */
  readonly #split = new Map<number, ResolvedEntry>();
  /** Read once: each statement waits until PostgreSQL has inserted the block before. */
  #completion: Completion | null = null;
  readonly written: BulkRows;
  /** The days of the new rows. */
  readonly days = new Set<string>();

  constructor(change: Change, values: ImportValues, names: FoundNames) {
    this.#change = change;
    this.#values = values;
    this.#names = names;
    this.written = new BulkRows(change, (rows) => this.#insert(rows));
  }

  /** Returns the id of the new row. */
  *add(resolved: ResolvedEntry, externalId: string | null, importId: number): Steps<number> {
    const { raw, account, currency, date, payee, isPending, categoryId } = resolved;
    const amount = debitOf(resolved.amount);
    const toBase = yield* this.#values.toBase(amount, currency, date);
    if (account !== null && !isPending) yield* this.#values.add(account, amount, currency, date);
    const tagIds = raw.tags === undefined ? '[]' : yield* this.#names.tagIds(raw);
    const id = yield* this.written.nextId();
    this.days.add(date);
    if (raw.parts !== undefined && raw.parts.length > 0) this.#split.set(id, resolved);
    this.written.add({
      id,
      date,
      amount,
      currency,
      to_base: toBase,
      payee,
      original_name: payee,
      notes: raw.notes,
      category_id: categoryId,
      manual_account_id: account?.id ?? null,
      external_id: externalId,
      tag_ids: tagIds,
      status: 'unreviewed',
      is_pending: isPending,
      source: 'csv',
      import_id: importId,
    });
    return id;
  }

  *flush(): Steps<void> {
    yield* this.written.flush();
  }

  *#insert(rows: readonly NewTransaction[]): Steps<void> {
    this.#completion ??= yield* completionOf(this.#change.bookId);
    const completion = this.#completion;
    yield* insertCompleted(this.#change, rows, {
      hasRules: true,
      completion,
      isBalanceLater: true,
    });
    if (this.#split.size === 0) return;
    const split = [...this.#split];
    this.#split.clear();
    for (const block of blocksOf(split)) yield* this.#splitAll(new Map(block));
  }

  /** A rule may have split a transaction already, and one with a recurring item cannot be split: they stay so. */
  *#splitAll(split: ReadonlyMap<number, ResolvedEntry>): Steps<void> {
    const ids = [...split.keys()];
    const and = sql`id IN (${join(padded(ids, ids[0]!))})`;
    const rows = yield* select(transactions, { book_id: this.#change.bookId }, { and });
    for (const row of rows) {
      if (row.is_split_parent || row.recurring_id !== null) continue;
      const { raw } = split.get(row.id)!;
      const parts = [];
      for (const { amount, payee, notes, category } of raw.parts!) {
        const categoryId = yield* this.#names.categoryOfPart(category);
        parts.push({
          amount: debitOf(amount),
          ...(payee !== null && { payee }),
          ...(notes !== null && { notes }),
          ...(categoryId !== null && { category_id: categoryId }),
        });
      }
      yield* splitTransaction(this.#change, row, parts);
    }
  }
}

/** The total of an account, debit positive, in its currency. */
interface Total {
  amount: bigint;
  readonly account: ImportAccount;
  /** The latest date of a row. */
  date: string;
}

/** Computes what the rows of an import are worth, and moves the balances of their accounts at the end. */
export class ImportValues {
  readonly #primaryCurrency: string;
  readonly #totals = new Map<number, Total>();
  readonly #currenciesWithoutRate = new Set<string>();
  readonly #bookId: number;
  readonly #anchored = new Map<number, string>();
  #withoutRate = 0;

  constructor(bookId: number, primaryCurrency: string) {
    this.#bookId = bookId;
    this.#primaryCurrency = primaryCurrency;
  }

  /** Returns the value of an amount in the primary currency of the book; 0 without a rate, which is counted. */
  *toBase(amount: number, currency: string, date: string): Steps<number> {
    if (currency === this.#primaryCurrency) return amount;
    const value = yield* this.#convert(amount, currency, this.#primaryCurrency, date);
    if (value !== null) return value;
    this.#withoutRate += 1;
    this.#currenciesWithoutRate.add(currency);
    return 0;
  }

  /**
   * Adds a row to the total of its account, unless an anchor of that day or a later one has it. Without a rate for the
   * currency of the account it adds nothing.
   */
  *add(account: ImportAccount, amount: number, currency: string, date: string): Steps<void> {
    if (date <= (yield* this.#anchoredOn(account))) return;
    const isOwn = currency === account.currency;
    const own = isOwn ? amount : yield* this.#convert(amount, currency, account.currency, date);
    if (own === null) return;
    const total = this.#totals.get(account.id) ?? { amount: 0n, account, date };
    total.amount += BigInt(own);
    if (date > total.date) total.date = date;
    this.#totals.set(account.id, total);
  }

  /** Moves the balance of each account once. A total that is no amount moves nothing. */
  *moveBalances(change: Change): Steps<void> {
    const totals = [...this.#totals.values()].filter(({ amount }) => isAmount(amount));
    const moves = totals.map(({ amount, account, date }) => ({
      accountId: account.id,
      amount: Number(amount),
      currency: account.currency,
      date,
    }));
    yield* moveBalances(change, moves, { isLater: true });
  }

  get result(): { withoutRate: number; currenciesWithoutRate: readonly string[] } {
    const currenciesWithoutRate = [...this.#currenciesWithoutRate].sort();
    return { withoutRate: this.#withoutRate, currenciesWithoutRate };
  }

  /** The day of the last anchor of an account; an empty text without one. */
  *#anchoredOn({ id, currency, isEarlier }: ImportAccount): Steps<string> {
    const known = this.#anchored.get(id);
    if (known !== undefined) return known;
    const account = { kind: 'manual', id, bookId: this.#bookId, currency, type: '' } as const;
    const day = isEarlier ? ((yield* lastAnchor(account))?.day ?? '') : '';
    this.#anchored.set(id, day);
    return day;
  }

  *#convert(amount: number, from: string, to: string, date: string): Steps<number | null> {
    const rates = yield* ratesOf();
    return yield* rates.convert(amount, from, to, date);
  }
}

function isAmount(sum: bigint): boolean {
  return sum <= BigInt(maxAmount) && sum >= -BigInt(maxAmount);
}

/** What an import changes in a transaction that the book has. */
interface ExistingUpdate {
  readonly id: number;
  readonly columns: Partial<TransactionRow>;
  /** The payee with which the bank had it as pending; a user may have changed it. */
  readonly payeeBefore?: string;
}

/** A posted transaction in place of a pending one. */
interface Posting {
  readonly resolved: ResolvedEntry;
  /** In the primary currency of the book, debit positive. */
  readonly toBase: number;
  readonly importId: number;
  /** Null keeps the id of the row. */
  readonly externalId: string | null;
}

/** Collects what an import changes in transactions that the book has, and writes it in blocks. */
export class ExistingUpdates {
  readonly #change: Change;
  readonly #format: string | null;
  /** The ids of the rows that are changed. */
  readonly changed = new IdSet();
  #updates: ExistingUpdate[] = [];
  #forms: NewRow<typeof importForms>[] = [];

  constructor(change: Change, format: string | null) {
    this.#change = change;
    this.#format = format;
  }

  /** Gives a row the id that its bank has for it. */
  *takeId(id: number, external_id: string): Steps<void> {
    this.changed.add(id);
    this.#updates.push({ id, columns: { external_id } });
    yield* this.#flushWhenMany();
  }

  /** Stores how this file has a row, so that the next file of the format is compared with it. */
  *noteForm(id: number, resolved: ResolvedEntry): Steps<void> {
    this.#addForm(id, resolved, this.#format);
    yield* this.#flushWhenMany();
  }

  /** Posts a pending row. It keeps what the user changed, and that it was pending. */
  *post(id: number, row: PendingRow, posting: Posting): Steps<void> {
    const { resolved, toBase, importId, externalId } = posting;
    this.#addForm(id, { ...row, isPending: true }, row.format);
    const { date, amount, currency, payee } = resolved;
    this.#updates.push({
      id,
      payeeBefore: row.payee,
      columns: {
        date,
        amount: debitOf(amount),
        currency,
        to_base: toBase,
        payee,
        original_name: payee,
        is_pending: false,
        import_id: importId,
        ...(externalId !== null && { external_id: externalId }),
      },
    });
    yield* this.#flushWhenMany();
  }

  *flush(): Steps<void> {
    const [updates, forms] = [this.#updates, this.#forms];
    [this.#updates, this.#forms] = [[], []];
    for (const block of blocksOf(updates)) yield* this.#write(block);
    yield* this.#change.insertAll(importForms, forms);
  }

  #addForm(id: number, form: Omit<Form, 'currency'>, format: string | null): void {
    this.changed.add(id);
    const { date, amount, payee, externalId, isPending } = form;
    this.#forms.push({
      transaction_id: id,
      version: this.#change.version,
      format,
      date,
      amount: debitOf(amount),
      payee,
      external_id: externalId,
      is_pending: isPending,
    });
  }

  *#flushWhenMany(): Steps<void> {
    if (this.#updates.length + this.#forms.length >= blockSize) yield* this.flush();
  }

  *#write(updates: readonly ExistingUpdate[]): Steps<void> {
    const rows = yield* this.#read(
      'id',
      updates.map(({ id }) => id),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const all = updates.map(({ id, columns, payeeBefore }): TransactionUpdate => {
      const before = byId.get(id)!;
      return { before, columns: withoutShown(before, columns, payeeBefore) };
    });
    // The balances are moved at the end of the import.
    yield* updateTransactions(this.#change, all, { isBalanceLater: true, isOfBank: true });
    const posted = all.filter(({ before, columns }) => {
      return before.is_split_parent && columns.is_pending === false;
    });
    const parts = yield* this.#read(
      'split_parent_id',
      posted.map(({ before }) => before.id),
    );
    yield* this.#change.updateAll(transactions, parts, { is_pending: false });
  }

  *#read(column: 'id' | 'split_parent_id', ids: readonly number[]): Steps<TransactionRow[]> {
    if (ids.length === 0) return [];
    const list = join(padded(ids, ids[0]!));
    const sorted = ids.toSorted((a, b) => a - b);
    // Without the range PostgreSQL may read the whole book, as long as it has no statistics of new rows.
    const range = sql`id BETWEEN ${sorted[0]} AND ${sorted.at(-1)}`;
    const and =
      column === 'id' ? sql`${range} AND id IN (${list})` : sql`split_parent_id IN (${list})`;
    return yield* select(transactions, { book_id: this.#change.bookId }, { and });
  }
}

/** A payee that the user changed, or that a recurring item shows, stays. */
function withoutShown(
  before: TransactionRow,
  { payee, ...columns }: Partial<TransactionRow>,
  payeeBefore: string | undefined,
): Partial<TransactionRow> {
  if (payee === undefined) return columns;
  if (before.own_payee !== null)
    return { ...columns, ...(before.own_payee === payeeBefore && { own_payee: payee }) };
  return { ...columns, ...(before.payee === payeeBefore && { payee }) };
}

const mostListed = 100;

/** Collects the problems of a file, so that all are reported at once, in bounded memory. */
export class ImportProblems {
  readonly #problems: ImportProblem[] = [];
  #count = 0;

  add(problem: ImportProblem): void {
    this.#count += 1;
    if (this.#problems.length < mostListed) this.#problems.push(problem);
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Throws {@link ImportRefusedError} if there are problems. */
  refuse(): void {
    if (this.any) throw new ImportRefusedError(this.#problems, this.#count);
  }
}

/** The sums of one account of a file. */
export interface AccountTotal {
  /** As the file or the user names it; null for entries without an account. */
  readonly name: string | null;
  readonly account: ImportAccount | null;
  rows: number;
  /** In ten-thousandths, by currency. */
  readonly sums: Map<string, bigint>;
}

/** Accounts that are listed with their sums; a hostile file has thousands. */
const mostAccounts = 500;

/** Computes the first and last date of a file, and exact sums by currency, of all entries and of each account. */
export class ImportTally {
  readonly #sums = new Map<string, bigint>();
  readonly #accounts = new Map<string | null, AccountTotal>();
  firstDate: string | null = null;
  lastDate: string | null = null;

  add(
    { amount, date, account: name }: ImportEntry,
    currency: string,
    account: ImportAccount | null,
  ): void {
    addTo(this.#sums, currency, amount);
    if (this.firstDate === null || date < this.firstDate) this.firstDate = date;
    if (this.lastDate === null || date > this.lastDate) this.lastDate = date;
    let total = this.#accounts.get(name);
    if (total === undefined) {
      if (this.#accounts.size >= mostAccounts) return;
      total = { name, account, rows: 0, sums: new Map() };
      this.#accounts.set(name, total);
    }
    total.rows += 1;
    addTo(total.sums, currency, amount);
  }

  get sumByCurrency(): Record<string, bigint> {
    return Object.fromEntries(this.#sums);
  }

  /** In the order of the file; at most 500. */
  get accounts(): readonly AccountTotal[] {
    return [...this.#accounts.values()];
  }
}

function addTo(sums: Map<string, bigint>, currency: string, amount: number): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
}

/** What a user said about entries. */
type Choices = Pick<ImportPlan, 'choices' | 'onDoubt'>;
type Decided = Pick<Decision, 'verdict' | 'isLeftOut'>;

/** Whether an entry becomes a new transaction: as a user chose for it, or else by what was decided about it. */
export function becomesNew(
  { verdict, isLeftOut }: Decided,
  choice?: OnDoubt,
  onDoubt?: OnDoubt,
): boolean {
  if (choice !== undefined) return choice === 'keep';
  if (verdict === 'doubtful') return isLeftOut ? onDoubt === 'keep' : onDoubt !== 'skip';
  return verdict === 'new';
}

/** Counts what becomes of entries. */
export class VerdictCounts {
  readonly #choices: Choices;
  readonly verdicts: Record<Verdict, number> = { new: 0, known: 0, replaces: 0, doubtful: 0 };
  imported = 0;
  known = 0;
  replaced = 0;
  skippedByChoice = 0;
  doubtfulImported = 0;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  /** Returns whether the entry becomes a new transaction. */
  add(number: number, decision: Decided): boolean {
    const { verdict } = decision;
    const { choices, onDoubt } = this.#choices;
    const isImported = becomesNew(decision, choices?.get(number), onDoubt);
    this.verdicts[verdict] += 1;
    if (isImported) this.imported += 1;
    else if (verdict === 'known') this.known += 1;
    else if (verdict === 'replaces') this.replaced += 1;
    else this.skippedByChoice += 1;
    if (isImported && verdict === 'doubtful') this.doubtfulImported += 1;
    return isImported;
  }
}
