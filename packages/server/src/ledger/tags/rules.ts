import type { Row } from '../../db/table.ts';
import type { tags } from '../../db/tables/tables.ts';
import type { Tag } from './schema.ts';

/** Returns a tag as in a response. */
export function toWire({ book_id: _, archived_at, ...tag }: Row<typeof tags>): Tag {
  return { ...tag, archived: archived_at !== null, archived_at };
}
