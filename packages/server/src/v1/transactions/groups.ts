import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { find, select } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import { transactions } from '../../db/tables/tables.ts';
import type { ErrorDetail } from '../../operations/problem.ts';
import { formsV1, refusedV1, withoutNulls } from '../refusals.ts';
import { RowProblems } from '../../ledger/transactions/requests/checks.ts';
import { groupTransactions, ungroupTransactions } from '../../ledger/transactions/groups/group.ts';
import { dayOf, reworded } from './values.ts';
import { transactionV1 } from './render.ts';
import type { GroupInsertV1, TransactionV1 } from './schema.ts';

const form = formsV1.transactions;

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
  return yield* reworded(groupTransactions(change, group), textOf);
}

function textOf({ errMsg, id, group_parent_id: group }: ErrorDetail): string {
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
