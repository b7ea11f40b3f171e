import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import { parseAmountInput } from '../../operations/amounts.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { formsV1, refusedV1, withoutNulls } from '../refusals.ts';
import { only } from '../../operations/schema.ts';
import { recordOf } from '../../operations/records.ts';
import { tagsNamed } from '../../ledger/tags/actions.ts';
import { recordsById } from '../../ledger/transactions/references.ts';
import type { TransactionUpdate } from '../../ledger/transactions/requests/bodies.ts';
import { RowProblems } from '../../ledger/transactions/requests/checks.ts';
import { changeTransaction } from '../../ledger/transactions/requests/update.ts';
import {
  partsOf,
  splitTransaction,
  unsplitTransaction,
  type SplitPart,
} from '../../ledger/transactions/split.ts';
import { removeTransactions } from '../../ledger/transactions/writes.ts';
import { oneText, partPropertiesV1, updatablePropertiesV1 } from './schema.ts';
import type { SplitPartV1, TransactionChangeV1, TransactionValuesV1, UnsplitV1 } from './schema.ts';
import { amountOf, dayOf, givenValues, reworded, tagNamesOf, type PlaceV1 } from './values.ts';

const form = formsV1.transactions;

/**
 * Changes a transaction by a request of v1, and returns the ids of its new parts if the request splits it.
 *
 * The sum of the parts is compared with the amount before the request. A new amount applies after the split.
 */
export function* changeV1(
  change: Change,
  id: number,
  body: TransactionChangeV1,
): Steps<{ updated: true; split?: number[] }> {
  const row = yield* find(transactions, { book_id: change.bookId, id });
  if (row === undefined)
    throw refusedV1(form, "This transaction doesn't exist or you don't have access to it.");
  const { transaction: sent = {}, split: sentParts, ...options } = withoutNulls(body);
  const isEmpty = !updatablePropertiesV1.some((name) => Object.hasOwn(sent, name));
  if (isEmpty && sentParts === undefined)
    throw refusedV1(form, 'No valid fields to update for this transaction.');
  const problems = new RowProblems((index) => `Split ${index}`);
  const tagIds = yield* tagsNamed(change, tagNamesOf([sent]));
  const isNegated = options.debit_as_negative ?? false;
  const place = { problems, index: null, isNegated, tagIds };
  const { amount, ...others } = updateOf(place, sent);
  const parts = sentParts?.map((part, index) => partOf({ ...place, index }, part));
  const arranged = { skipBalanceUpdate: options.skip_balance_update ?? true, takesArranged: true };
  const update = function* (values: TransactionUpdate): Steps<void> {
    if (Object.keys(values).length === 0) problems.throwIfAny();
    else yield* reworded(changeTransaction(change, id, values, arranged, problems), textOf);
  };
  if (parts === undefined) {
    yield* update({ ...others, ...given({ amount }) });
    return { updated: true };
  }
  const sum = parts.reduce((total, part) => total + BigInt(part.amount ?? 0), 0n);
  const text = 'Sums of split transaction do not add up to the original transaction amount!';
  if (problems.details.length === 0 && sum !== BigInt(row.amount)) throw refusedV1(form, text);
  yield* update(others);
  const parent = yield* recordOf(transactions, 'transaction', change.bookId, id);
  const made = yield* splitTransaction(change, parent, parts, { fewest: 1 });
  yield* update(given({ amount }));
  return { updated: true, split: made.map((part) => part.id) };
}

/** Null is no value, but it removes the category and the tags. */
function updateOf(place: PlaceV1, sent: TransactionValuesV1): TransactionUpdate {
  return {
    ...givenValues(place, sent),
    ...(sent.category_id === null && { category_id: null }),
    ...(sent.tags === null && { tag_ids: [] }),
  };
}

/** Returns a part as v2 takes it: what is not given is that of the transaction. */
function partOf(place: PlaceV1, part: SplitPartV1): SplitPart {
  const amount = parseAmountInput(amountOf(place, part.amount));
  const { date, ...others } = withoutNulls(only(part, partPropertiesV1));
  return { amount, ...others, ...(date !== undefined && { date: dayOf(place, date) }) };
}

/** The texts of v1 for what cannot be changed in synced accounts. */
const lockedTexts: Readonly<Record<string, string>> = {
  amount: 'change the amount',
  currency: 'change the currency',
  manual_account_id: 'assign an asset_id',
  plaid_account_id: 'assign an asset_id',
  external_id: 'assign an external_id',
};

function textOf({ errMsg, locked_property: property }: ErrorDetail): string {
  const text = typeof property === 'string' ? lockedTexts[property] : undefined;
  if (text === undefined) return errMsg;
  return `You cannot ${text} for this transaction because it was automatically imported.`;
}

/**
 * Deletes the parts of split transactions, and these too if the request says so; no balance moves. Returns the ids of
 * what was deleted. Refuses all of them if one is not split.
 */
export function* unsplitV1(change: Change, body: UnsplitV1): Steps<number[]> {
  const { bookId } = change;
  const ids = [...new Set(body.parent_ids)];
  const found = yield* recordsById(transactions, bookId, ids);
  const invalid = ids.filter((id) => found.get(id)?.is_split_parent !== true);
  if (invalid.length > 0) {
    const text = `The following transaction ids are not valid to unsplit: ${invalid.join(', ')}`;
    throw refusedV1(oneText, text);
  }
  const deleted: number[] = [];
  for (const id of ids) {
    deleted.push(...(yield* partsOf(bookId, id)).map((part) => part.id));
    yield* unsplitTransaction(change, id, found.get(id));
    if (body.remove_parents !== true) continue;
    const parent = yield* recordOf(transactions, 'transaction', bookId, id);
    yield* removeTransactions(change, [parent], { skipBalanceUpdate: true });
    deleted.push(id);
  }
  return deleted;
}
