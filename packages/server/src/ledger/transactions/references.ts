import sql, { join } from 'sql-template-tag';
import { blockSize, padded } from '../../db/blocks.ts';
import type { Steps } from '../../db/engine.ts';
import { select, type Where } from '../../db/rows.ts';
import type { BookTable, Row } from '../../db/table.ts';
import { categories, manualAccounts, plaidAccounts, tags } from '../../db/tables/tables.ts';
import { knownRecurringIds } from '../recurring/links.ts';

/** The ids of other records that a request or a row has. Omitted and null are the same. */
export interface Referring {
  readonly category_id?: number | null;
  readonly manual_account_id?: number | null;
  readonly plaid_account_id?: number | null;
  readonly recurring_id?: number | null;
  readonly tag_ids?: readonly number[];
  readonly additional_tag_ids?: readonly number[];
}

type ById<T extends BookTable> = ReadonlyMap<number, Row<T>>;

/** The records of the book that requests refer to, by id. Ids that are missing are not records of the book. */
export interface References {
  readonly categories: ById<typeof categories>;
  readonly manualAccounts: ById<typeof manualAccounts>;
  readonly plaidAccounts: ById<typeof plaidAccounts>;
  readonly tags: ById<typeof tags>;
  readonly recurringIds: ReadonlySet<number>;
}

/** Reads the records that requests or rows refer to, with one statement for each kind. */
export function* readReferences(bookId: number, all: readonly Referring[]): Steps<References> {
  const idsOf = (name: 'category_id' | 'manual_account_id' | 'plaid_account_id' | 'recurring_id') =>
    distinct(all.map((each) => each[name]));
  const tagIds = distinct(
    all.flatMap((each) => [...(each.tag_ids ?? []), ...(each.additional_tag_ids ?? [])]),
  );
  const recurringIds = idsOf('recurring_id');
  return {
    categories: yield* recordsById(categories, bookId, idsOf('category_id')),
    manualAccounts: yield* recordsById(manualAccounts, bookId, idsOf('manual_account_id')),
    plaidAccounts: yield* recordsById(plaidAccounts, bookId, idsOf('plaid_account_id')),
    tags: yield* recordsById(tags, bookId, tagIds),
    recurringIds:
      recurringIds.length === 0 ? new Set() : yield* knownRecurringIds(bookId, recurringIds),
  };
}

function distinct(ids: readonly (number | null | undefined)[]): number[] {
  return [...new Set(ids)].filter((id) => id !== null && id !== undefined);
}

/** Returns records of the book by id: those with the ids, or all of them if there are many ids. */
export function* recordsById<T extends BookTable>(
  table: T,
  bookId: number,
  ids: readonly number[],
): Steps<ById<T>> {
  if (ids.length === 0) return new Map();
  const isMany = ids.length > blockSize;
  const and = isMany ? {} : { and: sql`id IN (${join(padded(ids, ids[0]!))})` };
  const found = yield* select(table, { book_id: bookId } as Where<T>, and);
  return new Map(found.map((record) => [record['id'] as number, record]));
}
