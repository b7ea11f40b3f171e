import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { formsV1, refusedV1, withoutNulls } from '../refusals.ts';
import { tagsNamed } from '../../ledger/tags/actions.ts';
import type { TransactionInsert } from '../../ledger/transactions/requests/bodies.ts';
import { createTransactions } from '../../ledger/transactions/requests/insert.ts';
import { RowProblems, keyOf, type ExternalKey } from '../../ledger/transactions/requests/checks.ts';
import type { TransactionsInsertV1, TransactionValuesV1 } from './schema.ts';
import { givenValues, tagNamesOf, type PlaceV1 } from './values.ts';

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
  throw refusedV1(formsV1.transactions, ...texts);
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
