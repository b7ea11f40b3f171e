import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { primaryCurrencyOf, toBase } from '../../currencies/actions.ts';
import { BulkRows } from '../writes.ts';
import type { NewTransaction } from '../writes.ts';
import { checkReferences, checkedAmount, checkedMetadata, textOrNull } from './checks.ts';
import { findDuplicates } from './duplicates.ts';
import { insertCompleted } from '../complete.ts';
import { checkRepeated } from './external-ids.ts';
import { readReferences } from '../references.ts';
import type { References } from '../references.ts';
import type { SkippedTransaction, TransactionInsert, TransactionsInsert } from './bodies.ts';
import { RowProblems } from './row-problems.ts';

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
  const columns = yield* checkedColumns(change.bookId, sent, problems);
  const duplicates = yield* findDuplicates(change.bookId, columns, skip_duplicates);
  const kept = columns.filter((_, index) => duplicates[index] === null);
  const rows = yield* withIds(change, kept);
  const skipBalanceUpdate = body.skip_balance_update ?? false;
  yield* insertCompleted(change, rows, { hasRules: apply_rules, skipBalanceUpdate });
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
  problems: RowProblems,
): Steps<Columns[]> {
  const references = yield* readReferences(bookId, sent);
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
    ...{ date, amount, currency, payee, original_name: sent.original_name ?? payee },
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
    ...{ own_payee: null, own_notes: null, own_category_id: null, source: 'api' },
  };
}

function* withIds(change: Change, all: readonly Columns[]): Steps<NewTransaction[]> {
  const ids = new BulkRows(change);
  const rows: NewTransaction[] = [];
  for (const columns of all) rows.push({ id: yield* ids.nextId(), ...columns });
  return rows;
}
