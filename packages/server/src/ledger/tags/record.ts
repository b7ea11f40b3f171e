import { recordKind } from '../../book/record.ts';
import type { Row } from '../../db/table.ts';
import { tags } from '../../db/tables/tables.ts';
import type { Tag } from './schema.ts';

export const tagRecord = recordKind(tags, {
  toWire,
  shows: 'id name description text_color background_color archived_at created_at updated_at',
});

/** Returns a tag as in a response. */
export function toWire({ book_id: _, archived_at, ...tag }: Row<typeof tags>): Tag {
  return { ...tag, archived: archived_at !== null, archived_at };
}
