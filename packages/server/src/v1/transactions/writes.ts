import { isCalendarDate } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import { shorten } from '@coffer/core/text';
import { roundedAmount, parseAmountInput } from '../../operations/amounts.ts';
import { isCurrencyCode, type CurrencyCode } from '../../operations/currencies.ts';
import type { Steps } from '../../db/engine.ts';
import { given } from '../../db/table.ts';
import { Problem, type ErrorDetail } from '../../operations/problem.ts';
import { withoutNulls, formsV1, refusedV1 } from '../refusals.ts';
import { only } from '../../operations/schema.ts';
import type {
  TransactionInsert,
  TransactionUpdate,
} from '../../ledger/transactions/requests/bodies.ts';
import { RowProblems, keyOf, type ExternalKey } from '../../ledger/transactions/requests/checks.ts';
import { oneText, partPropertiesV1, updatablePropertiesV1 } from './schema.ts';
import type {
  TransactionValuesV1,
  TransactionsInsertV1,
  SplitPartV1,
  TransactionChangeV1,
  UnsplitV1,
  GroupInsertV1,
  TransactionV1,
} from './schema.ts';
import type { Change } from '../../book/change.ts';
import { tagsNamed } from '../../ledger/tags/record.ts';
import { createTransactions } from '../../ledger/transactions/requests/insert.ts';
import { find, select } from '../../db/rows.ts';
import { transactions } from '../../db/tables/tables.ts';
import { recordOf } from '../../operations/records.ts';
import { recordsById } from '../../ledger/transactions/references.ts';
import { changeTransaction } from '../../ledger/transactions/requests/update.ts';
import { partsOf, splitTransaction, unsplitTransaction } from '../../ledger/transactions/split.ts';
import type { SplitPart } from '../../ledger/transactions/split.ts';
import { removeTransactions } from '../../ledger/transactions/writes.ts';
import { groupTransactions, ungroupTransactions } from '../../ledger/transactions/group.ts';
import { transactionV1 } from './render.ts';

const form = formsV1.transactions;

/** Where problems of values are added, and what values depend on. */
interface PlaceV1 {
  readonly problems: RowProblems;
  /** The place of the transaction in the request; null if the request has only one. */
  readonly index: number | null;
  /** Money out is sent as negative amounts. */
  readonly isNegated?: boolean;
  /** The ids of tags by their names. */
  readonly tagIds?: ReadonlyMap<string, number>;
}

const timestamp = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?$/;

/** Returns the day of a date or of a timestamp, which is not moved to another time zone. */
function dayOf(place: PlaceV1, sent: string): string {
  const day = sent.slice(0, 10);
  if (timestamp.test(sent) && isCalendarDate(day)) return day;
  add(place, 'date', `must be in format YYYY-MM-DD: ${shorten(sent)}`);
  return '2000-01-01';
}

/** Returns an amount as v2 takes it: positive is money out. */
function amountOf(place: PlaceV1, sent: number | string): string {
  const amount = roundedAmount(String(sent));
  if (amount === null) add(place, 'amount', `must be a number: ${shorten(String(sent))}`);
  return formatAmount(place.isNegated === true ? -(amount ?? 0) : (amount ?? 0));
}

function statusOf(place: PlaceV1, sent: string): 'reviewed' | 'unreviewed' {
  if (sent !== 'cleared' && sent !== 'uncleared')
    add(place, 'status', `must be either cleared or uncleared: ${shorten(sent)}`);
  return sent === 'cleared' ? 'reviewed' : 'unreviewed';
}

function currencyOf(place: PlaceV1, sent: string): CurrencyCode {
  const code = sent.toLowerCase();
  if (isCurrencyCode(code)) return code;
  add(place, 'currency', `is not supported: ${shorten(sent)}`);
  return 'eur';
}

function add({ problems, index }: PlaceV1, property: string, text: string): void {
  const error = `Invalid ${property}`;
  problems.add(index, `${property} ${text}`, { error, invalid_property: property });
}

/** Returns the values of a transaction by their names in v2. Null means that a value is not given. */
function givenValues(
  place: PlaceV1,
  sent: TransactionValuesV1,
): Partial<TransactionInsert> & TransactionUpdate {
  const values = withoutNulls(sent);
  const { date, amount, currency, status, tags } = values;
  return given({
    ...only(values, ['payee', 'category_id', 'notes', 'external_id', 'recurring_id']),
    manual_account_id: values.asset_id,
    plaid_account_id: values.plaid_account_id,
    date: date === undefined ? date : dayOf(place, date),
    amount: amount === undefined ? amount : amountOf(place, amount),
    currency: currency === undefined ? currency : currencyOf(place, currency),
    status: status === undefined ? status : statusOf(place, status),
    tag_ids: tags?.map((tag) => (typeof tag === 'number' ? tag : place.tagIds!.get(tag)!)),
  });
}

/** Returns the names among the tags of transactions. */
function tagNamesOf(all: readonly Pick<TransactionValuesV1, 'tags'>[]): string[] {
  return all.flatMap(({ tags }) => tags ?? []).filter((tag) => typeof tag === 'string');
}

/** Performs steps of v2. A Problem gets other texts, each of them once. */
function* reworded<T>(steps: Steps<T>, textOf: (detail: ErrorDetail) => string): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const texts = new Set(error.details.map(textOf));
    throw new Problem(error.kind, { details: [...texts].map((errMsg) => ({ errMsg })) });
  }
}

/**
 * Inserts the transactions of a request of v1 and returns their ids. Those that exist are skipped if the request says
 * so; if not, one whose external id exists in its account refuses all.
 */
export function* insertV1(change: Change, body: TransactionsInsertV1): Steps<readonly number[]> {
  const { skip_duplicates = false, apply_rules = false, ...given } = withoutNulls(body);
  const { transactions: sent, debit_as_negative: isNegated = false } = given;
  const problems = new RowProblems((index) => `Transaction ${index}`);
  const tagIds = yield* tagsNamed(change, tagNamesOf(sent));
  const place = { problems, isNegated, tagIds };
  const rows = sent.map((each, index) => insertOf({ ...place, index }, each));
  const repeated = rows.filter((row, index) => isRepeated(rows, row, index));
  const transactions = rows.filter((row) => !repeated.includes(row));
  const skip_balance_update = given.skip_balance_update ?? true;
  const options = { apply_rules, skip_duplicates, skip_balance_update };
  const made = yield* createTransactions(change, { transactions, ...options }, problems);
  const existing = made.skipped.map(({ request_transaction: row }) => row);
  const clashing = rows.filter((row) => [...existing, ...repeated].includes(row));
  if (skip_duplicates || clashing.length === 0) return made.ids;
  const texts = new Set(clashing.map((row) => clashText(row, change.bookId)));
  throw refusedV1(form, ...texts);
}

/** Whether an earlier transaction of the request has the same external id in the same account. */
function isRepeated(rows: readonly ExternalKey[], row: ExternalKey, index: number): boolean {
  const key = keyOf(row);
  return key !== null && rows.findIndex((each) => keyOf(each) === key) < index;
}

/** Clients take the external id from this text. */
function clashText({ external_id, manual_account_id }: ExternalKey, bookId: number): string {
  const key = `(${external_id}, ${manual_account_id}, ${bookId})`;
  return `Key (user_external_id, asset_id, account_id)=${key} already exists.`;
}

function insertOf(place: PlaceV1, sent: TransactionValuesV1): TransactionInsert {
  for (const name of ['date', 'amount'] as const)
    if ((sent[name] ?? null) === null) {
      const keys = { error: 'Missing required property', invalid_property: name };
      place.problems.add(place.index, `is missing ${name}.`, keys);
    }
  return { date: '2000-01-01', amount: '0', ...givenValues(place, sent) };
}

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

/** Returns the group that a transaction is, or is a member of. Throws an OwnRefusal without one. */
export function* groupV1(bookId: number, id: number): Steps<TransactionV1> {
  const row = yield* find(transactions, { book_id: bookId, id });
  const groupId = row?.is_group_parent === true ? id : (row?.group_parent_id ?? null);
  const group = groupId === null ? null : yield* transactionV1(bookId, groupId);
  if (group !== null) return group;
  const text = `Transaction ${id} is not a transaction group, or part of a transaction group.`;
  throw refusedV1(form, text);
}

/** Creates a group and returns its id. Throws a Problem that lists all that is wrong, in the words of v1. */
export function* createGroupV1(change: Change, body: GroupInsertV1): Steps<number> {
  const { date, payee, transactions: ids, category_id, notes, tags: tag_ids } = withoutNulls(body);
  const problems = new RowProblems();
  const day = dayOf({ problems, index: null }, date);
  problems.throwIfAny();
  const group = { ids, date: day, payee, ...given({ category_id, notes, tag_ids }) };
  return yield* reworded(groupTransactions(change, group), groupTextOf);
}

function groupTextOf({ errMsg, id, group_parent_id: group }: ErrorDetail): string {
  if (typeof id !== 'number' || typeof group !== 'number') return errMsg;
  const text = `Transaction ${id} is in a transaction group already (${group})`;
  return `${text} and cannot be added to another transaction group.`;
}

/** Deletes a group and returns the ids of its members, which stay. Throws an OwnRefusal if it is not a group. */
export function* removeGroupV1(change: Change, id: number): Steps<number[]> {
  const ofBook = { book_id: change.bookId };
  const group = yield* find(transactions, { ...ofBook, id });
  if (group?.is_group_parent !== true)
    throw refusedV1(form, `No transactions found for this group_id ${id}.`);
  const members = yield* select(transactions, { ...ofBook, group_parent_id: id });
  yield* ungroupTransactions(change, group);
  return members.map((member) => member.id);
}
