import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const scope = ['book-scope.test.ts'];

/** What keeps books apart on a server that has many, and the answers of the two engines equal. */
export const engineFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/pages.ts`, scope, {
    'files are looked for in all books': [
      'WHERE book_id = ${alias}.book_id AND transaction_id',
      'WHERE transaction_id',
    ],
    'children of a group are looked for in all books': [
      'AND c.book_id = t.book_id AND c.group_parent_id',
      'AND c.group_parent_id',
    ],
    'the rows of a page are looked for in all books': [
      'WHERE t.book_id = ${bookId} AND t.id = p.id',
      'WHERE t.id = p.id',
    ],
    'a book or another is looked in': [
      't.id = ${id} AND t.book_id = ${bookId}',
      't.id = ${id} AND (t.book_id = ${bookId} OR t.book_id = 0)',
    ],
    'members of a group are looked for in all books': [
      'WHERE book_id = ${bookId} AND group_id',
      'WHERE group_id',
    ],
  }),
  ...faultsOf(`${store}/filter.ts`, scope, {
    'a tag of another book selects its rows': [
      'AND k.book_id = ${bookId} AND k.tag_id',
      'AND k.tag_id',
    ],
    'the rows of a tag are looked for in all books': [
      't.book_id = k.book_id AND t.id = k.transaction_id',
      't.id = k.transaction_id',
    ],
  }),
  ...faultsOf(`${store}/export.ts`, scope, {
    'names of accounts are looked for in all books': [
      'm.id = t.manual_account_id AND m.book_id = t.book_id',
      'm.id = t.manual_account_id',
    ],
    'names of tags are looked for in all books': [
      'ON g.book_id = k.book_id AND g.id = k.tag_id',
      'ON g.id = k.tag_id',
    ],
  }),
  ...faultsOf(`${store}/crypto.ts`, scope, {
    'the owner of any book makes an account': [
      'u.id = b.user_id WHERE b.id = ${bookId}`',
      'u.id = b.user_id WHERE b.id > 0`',
    ],
  }),
  ...faultsOf(`${store}/counts.ts`, scope, {
    'counts are made for another book': [
      'sql`(${bookId}, ${granularity}, ${period}, ${change})`',
      'sql`(${1}, ${granularity}, ${period}, ${change})`',
    ],
  }),
  ...faultsOf(`${store}/migrations/postgres/001-records.ts`, scope, {
    'an index begins with another column': [
      '(book_id, split_parent_id)',
      '(split_parent_id, book_id)',
    ],
    'a table has no key': ['PRIMARY KEY (book_id, tag_id, date, transaction_id),\n', ''],
  }),
  ...faultsOf('packages/server/src/records/storable-text.ts', [`${store}/sqlite.test.ts`], {
    'NUL characters are kept where they can be': [".replaceAll('\\0', '')", ''],
    'half a character is kept': ['.toWellFormed()', ''],
    'a text of nothing is kept': ['storable(text) || null', 'storable(text)'],
    'only what is shown is looked at': ['&& isStorable(bankId?.id ?? null)', ''],
    "a bank's own id is kept as it is": ['id: storable(bankId.id)', 'id: bankId.id'],
  }),
  ...faultsOf('packages/server/src/records/import-ids.ts', [`${store}/sqlite.test.ts`], {
    'a long id ends in half a character': ['keptOfLongId).toWellFormed()', 'keptOfLongId)'],
  }),
  ...faultsOf(`${store}/postgres-types.ts`, ['postgres-types.test.ts'], {
    'bytes are read in one form only': ['if (text.startsWith(String.raw`\\x`)) ', ''],
    'escaped bytes are read as text': ['Number.parseInt(code, 8)', 'Number.parseInt(code, 10)'],
  }),
  ...faultsOf(`${store}/row-json.ts`, ['test/spec/on-postgres/engines-agree.test.ts'], {
    'PostgreSQL leaves the sign out': ["`CASE WHEN ${column} < 0 THEN '-' ELSE '' END`", "`''`"],
  }),
];
