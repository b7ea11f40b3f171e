import { Type, type Static } from 'typebox';
import { idPath, word } from './formats.ts';

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
export type CategoryListQuery = Static<typeof CategoryListQuery>;

/** The path of GET /v2/categories/{id}; groups are found by it too. */
export const CategoryPath = idPath('category');
export type CategoryPath = Static<typeof CategoryPath>;
