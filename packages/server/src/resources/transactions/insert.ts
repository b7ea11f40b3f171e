import type { Change } from '../../changes/change.ts';
import type { Steps } from '../../db/engine.ts';
import { transactions } from '../../db/tables.ts';
import { shownTexts } from '../recurring/actions.ts';
import { applyRules } from '../rules/actions.ts';
import type { RuledTransaction } from '../rules/actions.ts';
import { BulkRows, insertTransactions } from './actions.ts';
import type { NewTransaction } from './actions.ts';
import { baseAmountsOf } from './base-amounts.ts';
import type { BaseAmounts } from './base-amounts.ts';
import { checkReferences, checkedAmount, checkedMetadata, textOrNull } from './checks.ts';
import { findDuplicates } from './duplicates.ts';
import { checkRepeated } from './external-ids.ts';
import { readReferences, recordsById } from './references.ts';
import type { References } from './references.ts';
import type { SkippedTransaction, TransactionInsert, TransactionsInsert } from './requests.ts';
import { RowProblems } from './row-problems.ts';
import { splitTransaction } from './split.ts';

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
 * Throws a Problem with all problems of all transactions; then nothing is inserted.
 */
export function* createTransactions(change: Change, body: TransactionsInsert): Steps<Created> {
  const { transactions: sent, apply_rules = false, skip_duplicates = false } = body;
  const columns = yield* checkedColumns(change.bookId, sent);
  const duplicates = yield* findDuplicates(change.bookId, columns, skip_duplicates);
  const kept = columns.filter((_, index) => duplicates[index] === null);
  const rows = yield* withIds(change, kept);
  const ruled = apply_rules
    ? yield* applyRules(change, rows)
    : rows.map((row) => ({ row, parts: null }));
  yield* insertRuled(change, ruled, body.skip_balance_update ?? false);
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

function* checkedColumns(bookId: number, sent: readonly TransactionInsert[]): Steps<Columns[]> {
  const problems = new RowProblems();
  const references = yield* readReferences(bookId, sent);
  const base = yield* baseAmountsOf(bookId);
  const columns: Columns[] = [];
  for (const [index, each] of sent.entries())
    columns.push(yield* columnsOf({ problems, index }, each, references, base));
  checkRepeated(
    problems,
    columns.map((key, index) => ({ index, key })),
  );
  problems.throwIfAny();
  return columns;
}

const noPayee = '[No Payee]';

function* columnsOf(
  place: { readonly problems: RowProblems; readonly index: number },
  sent: TransactionInsert,
  references: References,
  base: BaseAmounts,
): Steps<Columns> {
  checkReferences(place, sent, references);
  const { date, currency = base.primaryCurrency, payee: sentPayee } = sent;
  const payee = sentPayee ?? noPayee;
  const amount = checkedAmount(place, sent.amount);
  return {
    ...{ date, amount, currency, payee, original_name: sent.original_name ?? payee },
    to_base: yield* base.convert(place, amount, currency, date),
    notes: textOrNull(sent.notes),
    external_id: textOrNull(sent.external_id),
    category_id: sent.category_id ?? null,
    manual_account_id: sent.manual_account_id ?? null,
    plaid_account_id: sent.plaid_account_id ?? null,
    recurring_id: sent.recurring_id ?? null,
    tag_ids: JSON.stringify([...new Set(sent.tag_ids)]),
    status: sent.status ?? 'unreviewed',
    custom_metadata: checkedMetadata(place, sent.custom_metadata ?? null),
    ...{ own_payee: null, own_notes: null, own_category_id: null, source: 'api' },
  };
}

function* withIds(change: Change, all: readonly Columns[]): Steps<NewTransaction[]> {
  const ids = new BulkRows(change);
  const rows: NewTransaction[] = [];
  for (const columns of all) rows.push({ id: yield* ids.nextId(), ...columns });
  return rows;
}

/** Inserts transactions after the rules of the book, with the parts of those that rules split. */
export function* insertRuled(
  change: Change,
  ruled: readonly RuledTransaction[],
  skipBalanceUpdate: boolean,
): Steps<void> {
  const rows = yield* withShownTexts(
    change.bookId,
    ruled.map(({ row }) => row),
  );
  yield* insertTransactions(change, rows, { skipBalanceUpdate });
  yield* splitRuled(change, ruled);
}

/** Rules act on the own text of a transaction; its recurring item is shown instead of it afterwards. */
function* withShownTexts(
  bookId: number,
  rows: readonly NewTransaction[],
): Steps<readonly NewTransaction[]> {
  if (!rows.some(({ recurring_id = null }) => recurring_id !== null)) return rows;
  const own = rows.map(({ recurring_id = null, payee, notes = null, category_id = null }) => {
    return { recurring_id, payee, notes, category_id };
  });
  const texts = yield* shownTexts(bookId, own);
  return rows.map((row, at) => ({ ...row, ...texts[at] }));
}

/** Writes the parts of transactions that rules split. One with a recurring item cannot be split, and stays whole. */
function* splitRuled(change: Change, ruled: readonly RuledTransaction[]): Steps<void> {
  const split = ruled.filter(({ row }) => (row.recurring_id ?? null) === null);
  const partsOf = new Map(split.map(({ row, parts }) => [row.id, parts ?? []]));
  const ids = [...partsOf].filter(([, parts]) => parts.length > 0).map(([id]) => id);
  const rows = yield* recordsById(transactions, change.bookId, ids);
  for (const id of ids)
    yield* splitTransaction(change, rows.get(id)!, partsOf.get(id)!, { source: 'rule' });
}
