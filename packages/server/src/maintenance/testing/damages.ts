const plain = `(SELECT min(id) FROM transactions WHERE split_parent_id IS NULL AND group_parent_id IS NULL
  AND is_split_parent = 0 AND is_group_parent = 0 AND currency = 'usd')`;
const group = '(SELECT min(id) FROM categories WHERE is_group = 1)';
const category = '(SELECT min(id) FROM categories WHERE is_group = 0)';

export const set = (values: string, where = plain): string =>
  `UPDATE transactions SET ${values} WHERE id = ${where}`;
const setFirst = (table: string, values: string): string =>
  `UPDATE ${table} SET ${values} WHERE id = 1`;
const setCategory = (values: string, where = category): string =>
  `UPDATE categories SET ${values} WHERE id = ${where}`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const member = '(SELECT min(id) FROM transactions WHERE group_parent_id IS NOT NULL)';
const firstOf = (column: string): string => `(SELECT min(${column}) FROM transactions)`;

const badJson = ['{"a":', '', "{'a': 1}", '{"a":1}}'];
const badTags = ['', ...'x [ [1 [,1] [1,] [1,,2] [01] [1,02] [1]] {} [-1]'.split(' ')];
const badDates = '2026-02-31 2025-02-29 0000-01-01 2026-13-01 2026-1-001 9999999999'.split(' ');

const each = (damages: readonly string[], detail: string): Record<string, string> =>
  Object.fromEntries(damages.map((damage) => [damage, detail]));

const badConditions = [
  'null',
  '[]',
  '{}',
  '5',
  '"x"',
  '{"payee":"x"}',
  '{"payee":{"operator":"is"}}',
  '{"unknown":1}',
  '{"amount":{"min":-1}}',
  '{"amount":{"min":"1"}}',
  '{"category_id":0}',
];
const badActions = [
  'null',
  '{}',
  '{"tag_ids":3}',
  '{"tag_ids":["1"]}',
  '{"split":{}}',
  '{"split":[{},null]}',
  '{"category_id":1.5}',
  '{"reviewed":1}',
  '{"payee":null}',
];
const inEuros = `(SELECT min(id) FROM transactions WHERE currency = 'eur' AND is_group_parent = 0
  AND split_parent_id IS NULL AND to_base <> 0)`;
const valued = [
  ['manual_accounts', 'Manual account N', 'balance'],
  ['plaid_accounts', 'Plaid account N', 'balance'],
  ['recurring_items', 'Recurring item N', 'amount'],
  ['balance_history', 'Balance history entry N', 'balance'],
  ['budgets', 'Budget N from DATE', 'amount'],
] as const;

/** A finding with N for its ids and amounts. */
export const withoutNumbers = (detail: string): string =>
  detail
    .replace(/(?<= from )\d{4}-\d\d-\d\d/, 'DATE')
    .replaceAll(/(?<![\d.,"-])-?\d+(?![\d.-])/g, 'N');

/** Changes to a sound database, and the finding of the doctor, with N for ids and amounts. Without derived data. */
export const damages: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  metadata: {
    ...each(
      badJson.map((text) => set(`plaid_metadata = ${quoted(text)}`)),
      'The plaid_metadata of transaction N cannot be read as JSON',
    ),
    [set(`custom_metadata = '{"a":1'`)]:
      'The custom_metadata of transaction N cannot be read as JSON',
    [setFirst('manual_accounts', "custom_metadata = 'x'")]:
      'The custom_metadata of manual account N cannot be read as JSON',
    ...each(
      [...badTags, '[1234567890123456]'].map((text) => set(`tag_ids = '${text}'`)),
      'The tag_ids of transaction N are not a JSON array of ids',
    ),
  },
  rules: {
    ...each(
      ['', '{', "{'payee':1}"].map((text) => setFirst('rules', `conditions = ${quoted(text)}`)),
      'The conditions of rule N cannot be read as JSON',
    ),
    ...each(
      badConditions.map((text) => setFirst('rules', `conditions = '${text}'`)),
      'The conditions of rule N cannot be read: it has another form than the program writes',
    ),
    ...each(
      badActions.map((text) => setFirst('rules', `actions = '${text}'`)),
      'The actions of rule N cannot be read: it has another form than the program writes',
    ),
    [setFirst('rules', `conditions = '{"category_id":999999}'`)]:
      'The conditions of rule N name N of categories, which does not exist',
    [setFirst('rules', `actions = '{"split":[{"amount":1,"category_id":999999},{}]}'`)]:
      'The actions of rule N name N of categories, which does not exist',
  },
  settings: {
    [`INSERT INTO import_settings VALUES (1, 'shape', 'csv', '[]', '')`]:
      'The settings of settings of imports shape cannot be read: it has another form than the program writes',
  },
  'group parents': {
    [set('is_group_parent = 0', firstOf('group_parent_id'))]:
      'Transaction N belongs to transaction N, which is not marked as a group parent',
    [set('group_parent_id = 999999')]:
      'Transaction N belongs to transaction N, which does not exist',
    [set('group_parent_id = id', firstOf('group_parent_id'))]:
      'Transaction N belongs to transaction N, which is itself',
    [`${set('is_group_parent = 1', member)}; ${set(`group_parent_id = ${member}`)}`]:
      'Transaction N belongs to transaction N, which belongs to transaction N',
  },
  'group members': {
    'UPDATE transactions SET group_parent_id = NULL':
      'Transaction N is a group, but has no members',
    [set('is_group_parent = 1')]: 'Transaction N is a group, but has no members',
  },
  'split parents': {
    [set('split_parent_id = id', firstOf('split_parent_id'))]:
      'Transaction N belongs to transaction N, which is itself',
    [set('is_split_parent = 0', firstOf('split_parent_id'))]:
      'Transaction N belongs to transaction N, which is not marked as a split parent',
  },
  splits: {
    [set('amount = amount + 1, to_base = to_base + 1', firstOf('split_parent_id'))]:
      'Transaction N has the amount N (ten-thousandths), but its parts total N',
  },
  to_base: {
    [set('to_base = to_base + 1')]:
      'Transaction N has the amount N (ten-thousandths) in the currency of its book, but its to_base is N',
    [set('to_base = -amount', inEuros)]:
      'Transaction N has the amount N (ten-thousandths) in another currency than its book, but its to_base is N',
    ...Object.fromEntries(
      valued.map(([table, name, amount]) => [
        `UPDATE ${table} SET to_base = to_base + 1 WHERE currency = 'usd'`,
        `${name} has the ${amount} N (ten-thousandths) in the currency of its book, but its to_base is N`,
      ]),
    ),
  },
  rates: Object.fromEntries(
    ['0', '0.000', '-1.1', '1,23', '', 'x', 'NaN'].map((rate) => [
      `INSERT INTO exchange_rates VALUES ('eek', '2026-01-02', '${rate}', 'file', '')`,
      `The per_eur of exchange rate eek, 2026-01-02 is ${JSON.stringify(rate)}, which is not a rate above zero`,
    ]),
  ),
  quantities: {
    [`UPDATE crypto_manual_accounts SET quantity = '1.2.3'`]:
      'The quantity of manual crypto account N is "1.2.3", which is not a quantity',
    [`UPDATE balance_history SET crypto_balance = 'much'`]:
      'The crypto_balance of balance history entry N is "much", which is not a quantity',
  },
  dates: {
    ...Object.fromEntries(
      badDates.map((date) => [
        set(`date = '${date}'`),
        `The date of transaction N is "${date}", which is not a valid date`,
      ]),
    ),
    ...Object.fromEntries(
      ['start_date', 'end_date', 'anchor_date'].map((column) => [
        setFirst('recurring_items', `${column} = '2026-13-99'`),
        `The ${column} of recurring item N is "2026-13-99", which is not a valid date`,
      ]),
    ),
    [`UPDATE budgets SET start_date = '2026-02-30' WHERE start_date = (SELECT max(start_date) FROM budgets)`]:
      'The start_date of budget N, 2026-02-30 is "2026-02-30", which is not a valid date',
    [`INSERT INTO budget_settings VALUES (1, 1, 'month', 1, 'not-a-date', 0, 0, 'max', 0)
      ON CONFLICT (book_id, number) DO UPDATE SET anchor_date = excluded.anchor_date`]:
      'The anchor_date of budget settings N is "not-a-date", which is not a valid date',
    [`UPDATE balance_history SET month = '2026-00' WHERE id = (SELECT min(id) FROM balance_history)`]:
      'The month of balance history entry N is "2026-00", which is not a valid month',
    [`INSERT INTO exchange_rates VALUES ('eek', '2026-02-30', '1', 'file', '')`]:
      'The date of exchange rate eek, 2026-02-30 is "2026-02-30", which is not a valid date',
    [setFirst('manual_accounts', "closed_on = '2026-02-30'")]:
      'The closed_on of manual account N is "2026-02-30", which is not a valid date',
    [setFirst('plaid_accounts', "date_linked = 'yesterday'")]:
      'The date_linked of plaid account N is "yesterday", which is not a valid date',
    [setFirst('plaid_accounts', "import_start_date = ''")]:
      'The import_start_date of plaid account N is "", which is not a valid date',
  },
  references: Object.fromEntries(
    (
      [
        ['transactions', 'manual_account_id', 'manual_accounts'],
        ['transactions', 'own_category_id', 'categories'],
        ['recurring_items', 'manual_account_id', 'manual_accounts'],
      ] as const
    ).map(([table, column, target]) => [
      `UPDATE ${table} SET ${column} = 999999 WHERE id = (SELECT min(id) FROM ${table} WHERE plaid_account_id IS NULL)`,
      `The ${column} of row N of ${table} is N, which does not exist in ${target}`,
    ]),
  ),
  times: {
    ...Object.fromEntries(
      ['', 'x', '2026-13-01T00:00:00.000Z', '2026-01-01', '2026-01-01T00:00:00Z'].map((time) => [
        setFirst('manual_accounts', `balance_as_of = '${time}'`),
        withoutNumbers(
          `The balance_as_of of row 1 of manual_accounts is "${time}", which is not a time`,
        ),
      ]),
    ),
    [set("updated_at = 'x'")]:
      'The updated_at of row N of transactions is "x", which is not a time',
    [setFirst('users', "created_at = 'x'")]:
      'The created_at of row N of users is "x", which is not a time',
    [setFirst('plaid_accounts', "last_import = 'x'")]:
      'The last_import of row N of plaid_accounts is "x", which is not a time',
  },
  currencies: {
    [set("currency = 'USD'")]: 'Transaction N has the unknown currency "USD"',
    [setFirst('manual_accounts', "currency = 'zzz'")]:
      'Manual account N has the unknown currency "zzz"',
    [setFirst('plaid_accounts', "currency = ''")]: 'Plaid account N has the unknown currency ""',
    [setFirst('books', "primary_currency = 'dollar'")]: 'Book N has the unknown currency "dollar"',
  },
  'category groups': {
    [setCategory('group_id = id')]: 'Category N is its own group',
    [setCategory(`group_id = ${category}`, '(SELECT max(id) FROM categories WHERE is_group = 0)')]:
      'Category N is in category N, which is not a group',
    [setCategory(`group_id = ${group}`, '(SELECT max(id) FROM categories WHERE is_group = 1)')]:
      'Category N is a group, but is in the group N',
    [setCategory('collapsed = 1')]: 'Category N is collapsed, but is not a group',
    [set(`category_id = ${group}`)]: 'Transaction N has the category N, which is a group',
  },
  names: {
    [`INSERT INTO categories (book_id, name, created_at, updated_at) VALUES (1, 'ÉCLAIRS ', '', ''), (1, ' éclairs', '', '')`]:
      'The name " éclairs" of category N is already the name of category N',
    [`INSERT INTO tags (book_id, name, created_at, updated_at) VALUES (1, 'A tag', '', ''), (1, 'a Tag', '', '')`]:
      'The name "a Tag" of tag N is already the name of tag N',
  },
};
