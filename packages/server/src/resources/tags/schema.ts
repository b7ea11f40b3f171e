import { Type, type Static } from 'typebox';
import { archivedAt, dateTime, dependents, id, idPath, ignored } from '../../wire/schema.ts';
import { list, nullable, object } from '../../wire/schema.ts';

const pattern = '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';
const color = nullable(Type.String({ pattern, description: 'Such as `FFE7D4`; null for none.' }));
const words = {
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '\\S',
    description: 'The name, once in a book; letter case does not count.',
  }),
  description: nullable(Type.String({ maxLength: 200, description: 'A note; null for none.' })),
  text_color: color,
  background_color: color,
  archived: Type.Boolean({ description: 'Whether it is no longer offered.' }),
};
const { name, ...others } = words;

export const Tag = object('Tag', 'A label that any number of transactions can carry.', {
  id: id('The id of the tag.'),
  ...words,
  archived_at: nullable(dateTime('When it was archived, in UTC; null when it is not.')),
  created_at: dateTime('When it was made, in UTC.'),
  updated_at: dateTime('When it was last changed, in UTC.'),
});
export type Tag = Static<typeof Tag>;

export const TagList = list<'tags', Tag>('tags', 'Tag', 'All tags of the book, by id.');
export const TagPath = idPath('tag');
export const TagInsert = object('TagInsert', 'A new tag.', {
  name,
  ...Type.Partial(Type.Object(others)).properties,
});
export const TagUpdate = object('TagUpdate', 'What to change; a whole tag can be sent back.', {
  ...Type.Partial(Type.Object(words)).properties,
  archived_at: archivedAt,
  ...{ id: ignored, created_at: ignored, updated_at: ignored },
});
export const TagDependents = dependents('tag', ['rules', 'transactions']);

const trip: Tag = {
  id: 4,
  name: 'Road trip',
  description: null,
  text_color: '333',
  background_color: 'CFF4F3',
  archived: false,
  archived_at: null,
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: '2026-03-15T06:30:00.000Z',
};

/** Example bodies; the tests hold each to its schema. */
export const tagExamples = {
  one: { tag: { summary: 'A tag', value: trip } },
  list: { tags: { summary: 'A book with one tag', value: { tags: [trip] } } },
  insert: { name: { summary: 'Only a name', value: { name: 'Road trip' } } },
  update: { archive: { summary: 'A whole tag, archived', value: { ...trip, archived: true } } },
  dependents: {
    tagged: {
      summary: 'Transactions carry the tag',
      value: { tag_name: 'Road trip', dependents: { rules: 0, transactions: 12 } },
    },
  },
};
