import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { transactions } from '../../../db/tables/tables.ts';
import { bodyProblem, Problem } from '../../../operations/problem.ts';
import type { ErrorDetail } from '../../../operations/problem.ts';
import { recordOf } from '../../../operations/records.ts';
import { removeTransactions } from '../writes.ts';
import type { TransactionRow } from '../writes.ts';
import { arrangementOf } from './checks.ts';
import { recordsById } from '../references.ts';

/** Deletes a transaction. Throws a Problem if it does not exist, or is split or grouped. */
export function* deleteTransaction(change: Change, id: number): Steps<void> {
  const row = yield* recordOf(transactions, 'transaction', change.bookId, id);
  const arrangement = arrangementOf(row);
  if (arrangement !== null) {
    const errMsg = `The ${arrangement.text}`;
    throw new Problem('validation', {
      details: [{ errMsg, transaction_id: id, ...arrangement.keys }],
    });
  }
  yield* removeTransactions(change, [row]);
}

/**
 * Deletes transactions. Throws a Problem, and deletes none of them, if an id is repeated or unknown, or if one is split
 * or grouped. The status is 404 only if unknown ids are the only problem.
 */
export function* deleteTransactions(change: Change, ids: readonly number[]): Steps<void> {
  const found = yield* recordsById(transactions, change.bookId, [...new Set(ids)]);
  const refused = [...repeatedIds(ids), ...arrangedIds(ids, found)];
  const unknown = ids.flatMap((id, index) => (found.has(id) ? [] : [unknownId(id, index)]));
  if (refused.length > 0) throw bodyProblem(...refused, ...unknown);
  if (unknown.length > 0) throw new Problem('unknownRecords', { details: unknown });
  yield* removeTransactions(change, [...found.values()]);
}

function repeatedIds(ids: readonly number[]): ErrorDetail[] {
  const repeated = Map.groupBy(ids.entries(), ([, id]) => id);
  return ids.flatMap((id, index) => {
    if (repeated.get(id)!.length === 1) return [];
    const errMsg = `Duplicate transaction ID found: ${id}`;
    return [{ errMsg, transaction_id: id, ids_index: index, invalid_property: 'ids' }];
  });
}

function arrangedIds(
  ids: readonly number[],
  found: ReadonlyMap<number, TransactionRow>,
): ErrorDetail[] {
  return ids.flatMap((id, index) => {
    const row = found.get(id);
    const arrangement = row === undefined ? null : arrangementOf(row);
    if (arrangement === null) return [];
    const keys = { transaction_id: id, ids_index: index, invalid_property: 'ids' };
    return [{ errMsg: `ids[${index}] ${arrangement.text}`, ...keys, ...arrangement.keys }];
  });
}

function unknownId(id: number, index: number): ErrorDetail {
  return { errMsg: `There is no transaction with the id: ${id}`, ids_index: index, id };
}
