import type { Static } from 'typebox';
import { select } from '../../db/rows.ts';
import { given } from '../../db/table.ts';
import { tags } from '../../db/tables/tables.ts';
import { changed, created, ok } from '../../operations/responses.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import * as records from '../../operations/records.ts';
import { toWire } from './record.ts';
import * as schema from './schema.ts';
import { Tag } from './schema.ts';

const one = { path: '/v2/tags/{id}', tag: 'tags', params: schema.TagPath } as const;
const all = { path: '/v2/tags', tag: 'tags' } as const;

export const tagRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllTags',
      summary: 'List tags',
      description: 'Returns all tags of the book, archived ones too.',
      response: ok(schema.TagList, 'The tags.'),
    },
    function* ({ bookId }) {
      return { tags: (yield* select(tags, { book_id: bookId })).map(toWire) };
    },
    { isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createTag',
      summary: 'Create a tag',
      description: 'A name that is taken is refused with 400.',
      body: schema.TagInsert,
      response: created(Tag, 'The new tag.'),
    },
    function* ({ bookId, body }, change) {
      yield* records.refuseTakenNames(tags, 'Tag', bookId, [body.name]);
      const columns = columnsOf(body, null, change.at);
      return toWire(yield* change.insert(tags, { ...columns, name: body.name }));
    },
  ),
  read(
    {
      ...one,
      id: 'getTagById',
      summary: 'Get a tag',
      response: ok(Tag, 'The tag.'),
    },
    function* ({ bookId, params }) {
      return toWire(yield* records.recordOf(tags, 'tag', bookId, params.id));
    },
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateTag',
      summary: 'Update a tag',
      body: schema.TagUpdate,
      response: changed(Tag, 'The changed tag.'),
    },
    function* ({ bookId, params, body }, change) {
      const before = yield* records.recordOf(tags, 'tag', bookId, params.id);
      records.refuseNothingToUpdate('tag', body);
      yield* records.refuseTakenNames(tags, 'Tag', bookId, [body.name], before.id);
      const columns = columnsOf(body, before.archived_at, change.at);
      return toWire(yield* change.update(tags, before, columns));
    },
  ),
];

function columnsOf(body: Static<typeof schema.TagUpdate>, archivedAt: string | null, at: string) {
  const { name, description, text_color: text, background_color: background } = body;
  const [text_color, background_color] = [text, background].map(
    (color) => color?.replace('#', '') ?? color,
  );
  const archived_at = records.archivedAfter(archivedAt, body, at);
  return given({ name, description, text_color, background_color, archived_at });
}
