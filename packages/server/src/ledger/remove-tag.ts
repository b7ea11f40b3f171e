import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import type { Static } from 'typebox';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { rowAs, select } from '../db/rows.ts';
import { integer } from '../db/table.ts';
import type { Row } from '../db/table.ts';
import { tags, transactions } from '../db/tables/tables.ts';
import { rulesOfTag } from './rules/references.ts';
import type { TagDependents } from './tags/schema.ts';

type Dependents = Static<typeof TagDependents>['dependents'];

/** Records of one kind that refer to a tag. */
export interface TagReferrer {
  /** Returns how many records refer to it. */
  readonly count: (bookId: number, id: number) => Steps<number>;
  /** Removes their reference, because the tag is going to be removed. */
  readonly detach: (change: Change, id: number) => Steps<void>;
}

const transactionsWithTag: TagReferrer = {
  *count(bookId, id) {
    const count = sql`SELECT count(*) AS total FROM (${carriers(bookId, id)}) c`;
    return (yield* rowAs({ total: integer }, count))!.total;
  },
  *detach(change, id) {
    const { bookId } = change;
    const and = sql`id IN (${carriers(bookId, id)})`;
    const rows = yield* select(transactions, { book_id: bookId }, { and });
    for (const [ids, alike] of Map.groupBy(rows, ({ tag_ids }) => tag_ids)) {
      const left = (JSON.parse(ids) as number[]).filter((each) => each !== id);
      yield* change.updateAll(transactions, alike, { tag_ids: JSON.stringify(left) });
    }
  },
};

/** The ids of the transactions with a tag. */
function carriers(bookId: number, id: number): Sql {
  return sql`SELECT transaction_id FROM transaction_tags WHERE book_id = ${bookId} AND tag_id = ${id}`;
}

/**
 * Everything that refers to tags, by its key in the dependents of the API. This is the place to add a resource whose
 * records have tags: deletions then include it.
 */
const referrers: Readonly<Partial<Record<keyof Dependents, TagReferrer>>> = {
  transactions: transactionsWithTag,
  rules: rulesOfTag,
};

/** Returns the number of dependents of a tag by kind. */
export function* countDependents({ book_id, id }: Row<typeof tags>): Steps<Dependents> {
  const counts: Record<keyof Dependents, number> = { rules: 0, transactions: 0 };
  for (const [kind, { count }] of Object.entries(referrers))
    counts[kind as keyof Dependents] = yield* count(book_id, id);
  return counts;
}

/** Removes a tag, and every reference to it. */
export function* removeTag(change: Change, tag: Row<typeof tags>): Steps<void> {
  for (const { detach } of Object.values(referrers)) yield* detach(change, tag.id);
  yield* change.remove(tags, tag);
}
