import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowsAs } from '../../db/rows.ts';
import { flag, integer, oneOf, text } from '../../db/table.ts';
import type { Row } from '../../db/table.ts';
import type { rules } from '../../db/tables/tables.ts';
import type { Actions, Conditions, KnownRecords } from './rules.ts';
import { actionsToWire, conditionsToWire } from './stored.ts';
import type { Rule } from './schema.ts';

/** A rule of a book, with its conditions and actions parsed. */
export interface BookRule {
  readonly row: Row<typeof rules>;
  readonly id: number;
  readonly conditions: Conditions;
  readonly actions: Actions;
  readonly stop: boolean;
}

/** The rules of a book in their order, and the records that they may use. */
export interface BookRules {
  readonly rules: readonly BookRule[];
  readonly known: KnownRecords;
}

const shape = {
  kind: oneOf('rule', 'category', 'tag'),
  id: integer,
  position: integer,
  name: text,
  conditions: text,
  actions: text,
  /** Of a category: whether excluded transactions can have it. */
  stop: flag,
  created_at: text,
  updated_at: text,
};

/** Reads the rules of a book, and the categories and tags that they may use, in one statement. */
export function* rulesOf(bookId: number): Steps<BookRules> {
  const found = yield* rowsAs(
    shape,
    sql`
      SELECT 'rule' AS kind, id, position, name, conditions, actions, stop, created_at, updated_at
        FROM rules WHERE book_id = ${bookId}
      UNION ALL SELECT 'category', id, 0, '', '', '',
          CASE WHEN exclude_from_totals = 1 AND archived_at IS NULL THEN 1 ELSE 0 END, '', ''
        FROM categories WHERE book_id = ${bookId} AND is_group = 0
      UNION ALL SELECT 'tag', id, 0, '', '', '', 0, '', '' FROM tags WHERE book_id = ${bookId}
      ORDER BY position, id`,
  );
  const ofKind = (kind: string) => found.filter((each) => each.kind === kind);
  const categories = ofKind('category');
  return {
    rules: ofKind('rule').map(({ kind: _, ...columns }) =>
      toBookRule({ ...columns, book_id: bookId }),
    ),
    known: {
      categories: new Set(categories.map(({ id }) => id)),
      tags: new Set(ofKind('tag').map(({ id }) => id)),
      excluded: categories.find(({ stop }) => stop)?.id ?? null,
    },
  };
}

/** Parses a row. */
export function toBookRule(row: Row<typeof rules>): BookRule {
  return {
    row,
    id: row.id,
    conditions: JSON.parse(row.conditions) as Conditions,
    actions: JSON.parse(row.actions) as Actions,
    stop: row.stop,
  };
}

/** Returns a rule as in a response; `index` is its place in the order, from 0. */
export function ruleToWire({ row, conditions, actions }: BookRule, index: number): Rule {
  const { id, name, stop, created_at, updated_at } = row;
  return {
    id,
    position: index + 1,
    name,
    conditions: conditionsToWire(conditions),
    actions: actionsToWire(actions),
    stop,
    created_at,
    updated_at,
  };
}
