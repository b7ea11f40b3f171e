import { recordKind } from '../../book/record.ts';
import type { Row } from '../../db/table.ts';
import { tags } from '../../db/tables/tables.ts';
import type { Tag } from './schema.ts';
import { nameKey } from '@coffer/core/text';
import type { Change } from '../../book/change.ts';
import type { Steps } from '../../db/engine.ts';
import { select } from '../../db/rows.ts';

export const tagRecord = recordKind(tags, {
  toWire,
  shows: 'id name description text_color background_color archived_at created_at updated_at',
});

/** Returns a tag as in a response. */
export function toWire({ book_id: _, archived_at, ...tag }: Row<typeof tags>): Tag {
  return { ...tag, archived: archived_at !== null, archived_at };
}

/** Returns the ids of tags in the order of the names, compared by {@link nameKey}; creates those that are missing. */
export function* tagsNamed(
  change: Change,
  names: readonly string[],
): Steps<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const known = yield* select(tags, { book_id: change.bookId });
  const byKey = new Map(known.map(({ id, name }) => [nameKey(name), id]));
  for (const name of names) {
    const key = nameKey(name);
    if (!byKey.has(key)) byKey.set(key, (yield* change.insert(tags, { name: name.trim() })).id);
  }
  return new Map(names.map((name) => [name, byKey.get(nameKey(name))!]));
}
