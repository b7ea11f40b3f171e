import sql, { join } from 'sql-template-tag';
import { blocksOf } from './blocks.ts';
import type { DerivedChanges, DerivedFrom, DerivedTable } from './derived.ts';
import { insertMany, run } from './engine.ts';
import type { Steps } from './engine.ts';

const columns = ['book_id', 'tag_id', 'date', 'transaction_id'];

/** `transaction_tags`: an index of the `tag_ids` of transactions. */
export const transactionTags: DerivedTable = { begin: (bookId) => new TagChanges(bookId) };

class TagChanges implements DerivedChanges {
  readonly #bookId: number;
  readonly #stale = new Set<number>();
  readonly #tagged = new Map<number, { date: string; tagIds: string }>();

  constructor(bookId: number) {
    this.#bookId = bookId;
  }

  note(before: DerivedFrom, after: DerivedFrom): void {
    if (isUntagged(before) && isUntagged(after)) return;
    if (before?.['tag_ids'] === after?.['tag_ids'] && before?.['date'] === after?.['date']) return;
    const id = (after ?? before)!['id'] as number;
    if (!isUntagged(before)) this.#stale.add(id);
    if (isUntagged(after)) this.#tagged.delete(id);
    else
      this.#tagged.set(id, { date: after!['date'] as string, tagIds: after!['tag_ids'] as string });
  }

  *apply(): Steps<void> {
    const stale = [...this.#stale];
    this.#stale.clear();
    for (const ids of blocksOf(stale))
      yield* run(sql`
        DELETE FROM transaction_tags WHERE book_id = ${this.#bookId} AND transaction_id IN (${join(ids)})`);
    const rows = [...this.#tagged].flatMap(([id, { date, tagIds }]) =>
      [...new Set(JSON.parse(tagIds) as number[])].map((tagId) => [this.#bookId, tagId, date, id]),
    );
    this.#tagged.clear();
    yield* insertMany('transaction_tags', columns, rows);
  }
}

function isUntagged(row: DerivedFrom): boolean {
  return row === null || (row['tag_ids'] ?? '[]') === '[]';
}
