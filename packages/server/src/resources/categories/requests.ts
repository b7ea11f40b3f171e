import { Type, type Static } from 'typebox';
import {
  archivedAt,
  dependents,
  idPath,
  ignored,
  nullable,
  object,
  word,
} from '../../wire/schema.ts';
import { maxId, minId } from '@coffer/core/ids';
import { maxCategoryDescriptionLength, maxCategoryNameLength } from '../../wire/limits.ts';
import { flags } from './schema.ts';

/** The forms in which GET /v2/categories can answer. */
const categoryFormats = ['nested', 'flattened'] as const;

/** The query of GET /v2/categories, defaults filled in. */
export const CategoryListQuery = Type.Object(
  {
    format: word(categoryFormats, {
      default: 'nested',
      description:
        '`nested`: groups and the categories that are in no group; the members of a group only inside its `children`. ' +
        '`flattened`: the members also in the list itself, so each of them appears twice.',
    }),
    is_group: Type.Optional(
      Type.Boolean({
        description:
          'True: only groups, with their `children`. False: only categories that are not groups, members of groups included: those that a transaction can have. When sent, `format` has no effect.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The path of GET /v2/categories/{id}; groups are found by it too. */
export const CategoryPath = idPath('category');

const name = Type.String({
  minLength: 1,
  maxLength: maxCategoryNameLength,
  pattern: '\\S',
  description: 'The name, once over categories and groups; letter case does not count.',
});
const id = Type.Integer({ minimum: minId, maximum: maxId, description: 'The id of a category.' });
const whole = Type.Object(
  { id },
  { description: 'A category as a response has it; only its id counts.' },
);

const properties = {
  description: nullable(
    Type.String({ maxLength: maxCategoryDescriptionLength, description: 'A note; null for none.' }),
  ),
  ...flags,
  archived: Type.Boolean({ description: 'Whether the category is no longer offered.' }),
  group_id: nullable(
    Type.Integer({
      minimum: minId,
      maximum: maxId,
      description: 'The group that it belongs to; null for none. A group belongs to none.',
    }),
  ),
  children: Type.Array(Type.Union([id, name, whole]), {
    maxItems: 1000,
    description:
      'The members of a group: ids or whole objects of categories, and names of categories to be made. Members of another group move.',
  }),
  order: nullable(
    Type.Integer({
      minimum: -maxId,
      maximum: maxId,
      description: 'Its place in lists, within its group for a member; null for a place by name.',
    }),
  ),
  collapsed: nullable(
    Type.Boolean({ description: 'Whether a screen shows the group folded. Only a group can be.' }),
  ),
  is_group: nullable(
    Type.Boolean({ description: 'Whether it is a group. A category stays one, and a group too.' }),
  ),
};
const optional = Type.Partial(Type.Object(properties)).properties;

export const CategoryInsert = object('CategoryInsert', 'A new category or group.', {
  name,
  ...optional,
});
export type CategoryInsert = Static<typeof CategoryInsert>;

export const CategoryUpdate = object(
  'CategoryUpdate',
  'What to change; a whole category can be sent back.',
  {
    name: Type.Optional(name),
    ...optional,
    archived_at: archivedAt,
    ...{ id: ignored, created_at: ignored, updated_at: ignored },
  },
);
export type CategoryUpdate = Static<typeof CategoryUpdate>;

export const CategoryDependents = dependents('category', [
  'budget',
  'category_rules',
  'transactions',
  'children',
  'recurring',
  'plaid_cats',
]);
