import { Type, type Static } from 'typebox';
import {
  archivedAt,
  dateTime,
  dependents,
  exampleOf,
  flag,
  id,
  idPath,
  ignoring,
  list,
  nullable,
  object,
  partial,
} from '../../operations/schema.ts';

const pattern = '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';
const color = nullable(
  Type.String({ pattern, description: '3 or 6 hexadecimal digits, such as `FFE7D4`.' }),
);
/** What every name of a tag has. */
export const tagName = { minLength: 1, maxLength: 100, pattern: '\\S' } as const;

const words = {
  name: Type.String({
    ...tagName,
    description: 'Name, unique in any letter case.',
  }),
  description: nullable(Type.String({ maxLength: 200, description: 'Description of the tag.' })),
  text_color: color,
  background_color: color,
  archived: flag('Whether it is archived, and no longer offered.'),
};
const { name, ...others } = words;

export const Tag = object(
  'Tag',
  'A label of transactions.',
  {
    id: id('Id of the tag.'),
    ...words,
    archived_at: nullable(dateTime('When it was archived.')),
    created_at: dateTime('When it was created.'),
    updated_at: dateTime('When it was last changed.'),
  },
  {
    example: {
      id: 4,
      name: 'Road trip',
      description: null,
      text_color: '333',
      background_color: 'CFF4F3',
      archived: false,
      archived_at: null,
      created_at: '2026-01-02T09:00:00.000Z',
      updated_at: '2026-03-15T06:30:00.000Z',
    },
  },
);
export type Tag = Static<typeof Tag>;

export const TagList = list('tags', Tag, 'Sorted by `id`.');
export const TagPath = idPath('tag');
export const TagInsert = object(
  'TagInsert',
  'A new tag.',
  {
    name,
    ...partial(others),
  },
  { example: { name: 'Road trip' } },
);
export const TagUpdate = object(
  'TagUpdate',
  'Changes to a tag.',
  {
    ...partial(words),
    archived_at: archivedAt,
    ...ignoring('id', 'created_at', 'updated_at'),
  },
  { example: { ...exampleOf(Tag), archived: true } },
);
export const TagDependents = dependents('tag', ['rules', 'transactions']);
