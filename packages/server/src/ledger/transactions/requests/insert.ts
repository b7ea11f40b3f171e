import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { primaryCurrencyOf, toBase } from '../../currencies/actions.ts';
import { BulkRows, type NewTransaction } from '../writes.ts';
import {
  checkReferences,
  checkedAmount,
  checkedMetadata,
  textOrNull,
  RowProblems,
  checkRepeated,
  holdersOf,
  keyOf,
} from './checks.ts';
import { insertCompleted } from '../complete.ts';
import { readReferences, type References } from '../references.ts';
import type { SkippedTransaction, TransactionInsert, TransactionsInsert } from './bodies.ts';
import { withSingleBlanks } from '@coffer/core/text';
import sql, { join } from 'sql-template-tag';
import { blocksOf, padded } from '../../../db/blocks.ts';
import { rowsAs } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';

/** What identifies a new transaction; the amount in ten-thousandths. */
interface Content {
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly external_id: string | null;
}

/** A transaction that exists, and why a new one duplicates it. */
interface Duplicate {
  readonly reason: SkippedTransaction['reason'];
  readonly existingId: number;
}

/**
 * Returns for each new transaction the one that it duplicates, or null.
 *
 * A transaction with the same external id in the same manual account is a duplicate. With `byContent`, so is one with
 * the same date, amount, payee and account, or also without account; blanks of payees do not matter. New transactions
 * are not compared with each other.
 */
function* findDuplicates(
  bookId: number,
  all: readonly Content[],
  byContent: boolean,
): Steps<(Duplicate | null)[]> {
  const holders = yield* holdersOf(bookId, all);
  const alike = byContent ? yield* findAlike(bookId, all) : new Map<string, number>();
  return all.map((each) => {
    const holder = holders.get(keyOf(each) ?? '');
    if (holder !== undefined) return { reason: 'duplicate_external_id', existingId: holder.id };
    const existingId = alike.get(contentKey(each));
    return existingId === undefined ? null : { reason: 'duplicate_payee_amount_date', existingId };
  });
}

const shape = {
  id: integer,
  date: text,
  amount: integer,
  payee: text,
  manual_account_id: nullable(integer),
  plaid_account_id: nullable(integer),
};

/** Returns the first transaction with each content, among those with the dates and amounts of the new ones. */
function* findAlike(bookId: number, all: readonly Content[]): Steps<Map<string, number>> {
  const found = new Map<string, number>();
  const amounts = Map.groupBy(all, ({ date }) => date);
  for (const dates of blocksOf([...amounts.keys()])) {
    const ofDates = dates.flatMap((date) => amounts.get(date)!.map(({ amount }) => amount));
    const rows = yield* rowsAs(
      shape,
      // Parts of split transactions and groups are not transactions of an account.
      sql`SELECT id, date, amount, coalesce(own_payee, payee) AS payee, manual_account_id, plaid_account_id
        FROM transactions WHERE book_id = ${bookId} AND date IN (${join(padded(dates, dates[0]!))})
          AND amount IN (${join(padded(ofDates, ofDates[0]!))})
          AND split_parent_id IS NULL AND is_group_parent = 0 ORDER BY id DESC`,
    );
    for (const each of rows) found.set(contentKey(each), each.id);
  }
  return found;
}

function contentKey(content: Omit<Content, 'external_id'>): string {
  const { date, amount, payee, manual_account_id, plaid_account_id } = content;
  return `${date} ${amount} ${manual_account_id} ${plaid_account_id} ${withSingleBlanks(payee)}`;
}

/** What became of the transactions of a request. */
export interface Created {
  /** The ids of the new transactions, ascending in the order of the request. */
  readonly ids: readonly number[];
  readonly skipped: readonly SkippedTransaction[];
}

/** The columns of a new transaction before rules and recurring items, without its id. */
type Columns = Required<
  Pick<NewTransaction, 'manual_account_id' | 'plaid_account_id' | 'external_id' | 'notes'>
> &
  Omit<NewTransaction, 'id'>;

/**
 * Inserts the transactions of a request, except duplicates of transactions that exist.
 *
 * Throws a Problem with all problems of all transactions; then nothing is inserted. `problems` has those that the
 * caller found.
 */
export function* createTransactions(
  change: Change,
  body: TransactionsInsert,
  problems = new RowProblems(),
): Steps<Created> {
  const { transactions: sent, apply_rules = false, skip_duplicates = false } = body;
  const references = yield* readReferences(change.bookId, sent);
  const columns = yield* checkedColumns(change.bookId, sent, references, problems);
  const duplicates = yield* findDuplicates(change.bookId, columns, skip_duplicates);
  const kept = columns.filter((_, index) => duplicates[index] === null);
  const rows = yield* withIds(change, kept);
  const skipBalanceUpdate = body.skip_balance_update ?? false;
  const { manualAccounts: accounts } = references;
  yield* insertCompleted(change, rows, { hasRules: apply_rules, skipBalanceUpdate, accounts });
  const skipped = duplicates.flatMap((duplicate, index): SkippedTransaction[] => {
    if (duplicate === null) return [];
    return [
      {
        reason: duplicate.reason,
        request_transactions_index: index,
        existing_transaction_id: duplicate.existingId,
        request_transaction: sent[index]!,
      },
    ];
  });
  return { ids: rows.map(({ id }) => id), skipped };
}

function* checkedColumns(
  bookId: number,
  sent: readonly TransactionInsert[],
  references: References,
  problems: RowProblems,
): Steps<Columns[]> {
  const primaryCurrency = yield* primaryCurrencyOf(bookId);
  const columns: Columns[] = [];
  for (const [index, each] of sent.entries())
    columns.push(
      yield* columnsOf(
        { problems, index, bookId },
        { currency: primaryCurrency, ...each },
        references,
      ),
    );
  checkRepeated(
    problems,
    columns.map((key, index) => ({ index, key })),
  );
  problems.throwIfAny();
  return columns;
}

const noPayee = '[No Payee]';

function* columnsOf(
  place: { readonly problems: RowProblems; readonly index: number; readonly bookId: number },
  sent: Omit<TransactionInsert, 'currency'> & { readonly currency: string },
  references: References,
): Steps<Columns> {
  checkReferences(place, sent, references);
  const { date, currency, payee: sentPayee } = sent;
  const payee = sentPayee ?? noPayee;
  const amount = checkedAmount(place, sent.amount);
  return {
    date,
    amount,
    currency,
    payee,
    original_name: sent.original_name ?? payee,
    to_base: yield* toBase(place.bookId, amount, currency, date),
    notes: textOrNull(sent.notes),
    external_id: textOrNull(sent.external_id),
    category_id: sent.category_id ?? null,
    manual_account_id: sent.manual_account_id ?? null,
    plaid_account_id: sent.plaid_account_id ?? null,
    recurring_id: sent.recurring_id ?? null,
    tag_ids: JSON.stringify([...new Set(sent.tag_ids)]),
    status: sent.status ?? 'unreviewed',
    custom_metadata: checkedMetadata(place, sent.custom_metadata ?? null),
    own_payee: null,
    own_notes: null,
    own_category_id: null,
    source: 'api',
  };
}

function* withIds(change: Change, all: readonly Columns[]): Steps<NewTransaction[]> {
  const ids = new BulkRows(change);
  const rows: NewTransaction[] = [];
  for (const columns of all) rows.push({ id: yield* ids.nextId(), ...columns });
  return rows;
}
