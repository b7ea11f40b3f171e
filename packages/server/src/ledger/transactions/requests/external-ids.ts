import sql, { join } from 'sql-template-tag';
import { quote } from '@coffer/core/text';
import { blocksOf, padded } from '../../../db/blocks.ts';
import type { Steps } from '../../../db/engine.ts';
import { rowsAs } from '../../../db/rows.ts';
import { integer, nullable, text } from '../../../db/table.ts';
import type { RowProblems } from './row-problems.ts';

/** An external id in a manual account. */
export interface ExternalKey {
  readonly manual_account_id?: number | null;
  readonly external_id?: string | null;
}

/** A transaction with an external id. */
export interface Holder extends ExternalKey {
  readonly id: number;
}

/** Returns a text that is equal for the same external id in the same manual account; null without id or account. */
export function keyOf({ manual_account_id, external_id }: ExternalKey): string | null {
  if (manual_account_id === undefined || manual_account_id === null) return null;
  return external_id === undefined || external_id === null || external_id === ''
    ? null
    : `${manual_account_id} ${external_id}`;
}

const shape = { id: integer, manual_account_id: nullable(integer), external_id: text };

/** Returns the transactions that have the external ids in the same manual accounts, by {@link keyOf}. */
export function* holdersOf(
  bookId: number,
  all: readonly ExternalKey[],
): Steps<ReadonlyMap<string, Holder>> {
  const wanted = all.filter((each) => keyOf(each) !== null).map((each) => each.external_id!);
  const holders = new Map<string, Holder>();
  for (const block of blocksOf([...new Set(wanted)])) {
    const found = yield* rowsAs(
      shape,
      sql`SELECT id, manual_account_id, external_id FROM transactions
        WHERE book_id = ${bookId} AND external_id IN (${join(padded(block, block[0]!))})`,
    );
    for (const holder of found) {
      const key = keyOf(holder);
      if (key !== null) holders.set(key, holder);
    }
  }
  return holders;
}

/** A transaction of a request, with its place there. */
export interface PlacedKey {
  readonly index: number;
  readonly key: ExternalKey;
}

/** Adds a problem for each external id that several transactions of a request have in one account. */
export function checkRepeated(problems: RowProblems, all: readonly PlacedKey[]): void {
  for (const [key, alike] of Map.groupBy(all, (each) => keyOf(each.key)))
    if (key !== null && alike.length > 1)
      problems.addWhole('Duplicate External IDs found in the request body', {
        ...{ error: 'Duplicate External ID', transaction_property: 'external_id' },
        external_id: alike[0]!.key.external_id,
        transactions_indices: alike.map(({ index }) => index),
      });
}

/** A transaction before and after the updates of a request. */
export interface Moved<T extends Holder = Holder> {
  /** The place of its last update in the request; null if the request has only one. */
  readonly index: number | null;
  readonly before: T;
  readonly next: T;
}

/** Checks that external ids are unique in their accounts after all updates of a request. */
export function* checkMoved(
  bookId: number,
  problems: RowProblems,
  all: readonly Moved[],
): Steps<void> {
  const moved = all.filter(hasNewKey);
  checkRepeated(
    problems,
    moved.map(({ index, next }) => ({ index: index ?? 0, key: next })),
  );
  const holders = yield* holdersOf(
    bookId,
    moved.map(({ next }) => next),
  );
  const nextById = new Map(all.map(({ next }) => [next.id, next]));
  for (const { index, next } of moved) {
    const { manual_account_id, external_id } = next;
    const holder = holders.get(keyOf(next)!);
    // The holder may get another external id in the same request.
    if (holder === undefined || keyOf(nextById.get(holder.id) ?? holder) !== keyOf(next)) continue;
    problems.add(index, `external ID exists in the manual account: ${quote(external_id!)}`, {
      ...{ error: 'Duplicate External ID', invalid_property: 'external_id', external_id },
      ...{ manual_account_id, existing_transaction_id: holder.id },
    });
  }
}

/** Returns the rows whose external ids other rows get. They must lose them first, because an index is unique. */
export function releasedRows<T extends Holder>(all: readonly Moved<T>[]): T[] {
  const claimed = new Set(all.filter(hasNewKey).map(({ next }) => keyOf(next)));
  return all.map(({ before }) => before).filter((before) => claimed.has(keyOf(before)));
}

function hasNewKey({ before, next }: Moved): boolean {
  return keyOf(next) !== null && keyOf(next) !== keyOf(before);
}
