import { Type, type Static } from 'typebox';
import type { Change } from '../../book/change.ts';
import { recordKind } from '../../book/record.ts';
import type { Steps } from '../../db/engine.ts';
import { find } from '../../db/rows.ts';
import { given, type Row } from '../../db/table.ts';
import { categorySettings, type categories } from '../../db/tables/tables.ts';
import { bodyProblem } from '../../operations/problem.ts';
import { flag, id, listOf, nullable, object, exampleOf, partial } from '../../operations/schema.ts';

const values = {
  rollover: flag(
    'Whether what is left of a budget, or was overspent, is carried over to the next period.',
  ),
  icon: nullable(
    Type.String({
      minLength: 1,
      maxLength: 32,
      pattern: '^[^\\u0000-\\u001f]*$',
      description: 'A character or the name of a symbol that a screen shows.',
    }),
  ),
  colour: nullable(
    Type.String({ pattern: '^#[0-9a-f]{6}$', description: 'A colour such as `#0a6c4f`.' }),
  ),
};

/** How budgets and screens treat a category. */
export const CategorySettings = object(
  'CategorySettings',
  'How budgets and screens treat a category or group.',
  { category_id: id('Id of the category or group.'), ...values },
  { example: { category_id: 12, rollover: true, icon: '🥐', colour: '#c2641a' } },
);
export type CategorySettings = Static<typeof CategorySettings>;

/** The settings of all categories that have some. */
export const CategorySettingsList = object(
  'CategorySettingsList',
  'The settings of categories.',
  {
    category_settings: listOf(
      CategorySettings,
      'The settings by category; a category without any has the default settings and is not listed.',
    ),
  },
  { example: { category_settings: [exampleOf(CategorySettings)] } },
);

/** Changes to the settings of a category. */
export const CategorySettingsUpdate = object(
  'CategorySettingsUpdate',
  'Changes to the settings of a category or group.',
  partial(values),
  { example: { rollover: true, colour: '#c2641a' } },
);
export type CategorySettingsUpdate = Static<typeof CategorySettingsUpdate>;

type SettingsRow = Row<typeof categorySettings>;

/** Returns settings as in a response. */
export function settingsToWire(row: SettingsRow): CategorySettings {
  const { category_id, rollover, icon, colour } = row;
  return { category_id, rollover, icon, colour };
}

export const categorySettingsRecord = recordKind(categorySettings, {
  toWire: settingsToWire,
  shows: 'category_id rollover icon colour',
  refersTo: {
    categories: {
      // Settings are no reason to keep a category.
      dependents: 'budget',
      *count() {
        return yield* noneOf();
      },
      /** The other category keeps its own settings, if it has some. */
      *move(change, from, into) {
        const row = yield* find(categorySettings, { book_id: change.bookId, category_id: from });
        if (row === undefined) return;
        const other = yield* find(categorySettings, { book_id: change.bookId, category_id: into });
        yield* change.remove(categorySettings, row);
        if (other === undefined)
          yield* change.insert(categorySettings, { ...row, category_id: into });
      },
      *detach(change, id) {
        const row = yield* find(categorySettings, { book_id: change.bookId, category_id: id });
        if (row !== undefined) yield* change.remove(categorySettings, row);
      },
    },
  },
});

function* noneOf(): Steps<number> {
  return 0;
}

/** Changes settings of a category, and begins with the default ones. Throws a Problem for a rollover of a group. */
export function* updateCategorySettings(
  change: Change,
  category: Row<typeof categories>,
  body: CategorySettingsUpdate,
): Steps<SettingsRow> {
  if (body.rollover === true && (category.is_group || category.is_income))
    throw bodyProblem({
      errMsg: `Body property rollover cannot be true for ${category.is_group ? 'a category group' : 'an income category'}`,
      instancePath: '/body/rollover',
      invalid_property: 'rollover',
    });
  const key = { book_id: change.bookId, category_id: category.id };
  const before = yield* find(categorySettings, key);
  const columns = given(body);
  if (before !== undefined) return yield* change.update(categorySettings, before, columns);
  const none = { rollover: false, icon: null, colour: null };
  return yield* change.insert(categorySettings, { category_id: category.id, ...none, ...columns });
}
