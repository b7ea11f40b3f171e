import { integer, text, flag, id, withDefault, naming, bookTable } from '../table.ts';
import type { NamedRecord, NewIdOf, Table } from '../table.ts';

/** What the JSON of a rule can name, by the names of its properties. */
const tableOf: Readonly<Record<string, string>> = {
  category_id: 'categories',
  manual_account_id: 'manual_accounts',
  plaid_account_id: 'plaid_accounts',
};

function namedIn(json: string): NamedRecord[] {
  const {
    tag_ids = [],
    split = [],
    ...rest
  } = JSON.parse(json) as {
    readonly tag_ids?: readonly number[];
    readonly split?: readonly object[];
  };
  const pairs = [rest, ...split].flatMap((each) =>
    Object.entries<number>(each as Record<string, number>),
  );
  return [
    ...tag_ids.map((id): NamedRecord => ['tags', id]),
    ...pairs.flatMap(([name, id]): NamedRecord[] =>
      name in tableOf ? [[tableOf[name]!, id]] : [],
    ),
  ];
}

function relabel(json: string, idOf: NewIdOf): string {
  const relabelled: unknown = JSON.parse(json, (name, value: unknown) => {
    if (name === 'tag_ids') return (value as number[]).map((id) => idOf('tags', id));
    return Object.hasOwn(tableOf, name) ? idOf(tableOf[name]!, value as number) : value;
  });
  return JSON.stringify(relabelled);
}

/**
 * `conditions` and `actions` are JSON, with amounts in ten-thousandths. `position` sorts the rules of a book; gaps are
 * allowed.
 */
export const rules = bookTable(
  'rules',
  {
    id,
    book_id: integer,
    position: integer,
    name: text,
    conditions: naming(Object.values(tableOf), namedIn, relabel),
    actions: naming(['tags', tableOf['category_id']!], namedIn, relabel),
    stop: withDefault(flag, 0),
    enabled: withDefault(flag, 1),
    created_at: text,
    updated_at: text,
  },
  { noun: 'rule' },
);

/** The records of a book about rules for new transactions. A table comes after those that it refers to. */
export const rulesRecords: readonly Table<'book'>[] = [rules];

/** The other tables about rules for new transactions, which a move copies. */
export const rulesTables: readonly Table<'server'>[] = [];
