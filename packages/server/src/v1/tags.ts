import { select } from '../db/rows.ts';
import { tags } from '../db/tables/tables.ts';
import { ok } from '../operations/responses.ts';
import { exampleOf, listOf, object, only } from '../operations/schema.ts';
import { bare, formsV1 } from './refusals.ts';
import { read, type Operation } from '../operations/operation.ts';
import { toWire } from '../ledger/tags/record.ts';
import { Tag } from '../ledger/tags/schema.ts';

const names = ['id', 'name', 'description', 'archived'] as const;
const TagV1 = object('TagV1', 'A label of transactions.', only(Tag.properties, names), {
  example: only(exampleOf(Tag), names),
});
const order = 'All tags of the book, sorted by `id`.';
const TagListV1 = bare('TagListV1', listOf(TagV1, order));

export const tagRoutesV1: readonly Operation[] = [
  read(
    {
      id: 'getAllTagsV1',
      path: '/v1/tags',
      tag: 'tags',
      summary: 'List tags',
      v1: formsV1.others,
      response: ok(TagListV1, 'The tags.'),
    },
    function* ({ bookId }) {
      return (yield* select(tags, { book_id: bookId })).map((row) => only(toWire(row), names));
    },
    { isOneStatement: true },
  ),
];
