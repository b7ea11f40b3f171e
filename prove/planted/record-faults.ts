import { faultsOf, type PlantedFault } from './planted-fault.ts';

const room = 'packages/server/src/store';
const pages = ['prove/f12-pages.test.ts', 'sqlite.test.ts'];
const foreign = ['prove/f11-foreign-records.test.ts', 'sqlite.test.ts'];
const listTests = ['test/spec/pagination.test.ts', 'test/spec/transaction-filters.test.ts'];

/** Pages, counts and filters, and whose records are seen. */
export const recordFaults: readonly PlantedFault[] = [
  ...faultsOf(`${room}/pages.ts`, pages, {
    'has_more is true on the last page': [
      'query.offset + query.limit < start.total',
      'query.offset + query.limit <= start.total',
    ],
    'has_more of a filtered list is true on the last page': [
      'hasMore: next !== undefined',
      'hasMore: last !== undefined',
    ],
    'rows of one day have no order': [
      'ORDER BY t.date DESC, t.id DESC LIMIT',
      'ORDER BY t.date DESC, t.id ASC LIMIT',
    ],
    'a page is found by skipping from its first day': ['OFFSET ${start.skip}', 'OFFSET 0'],
    'a filtered list begins anew on each page': [
      'const skip = after === null ? query.offset : 0;',
      'const skip = 0;',
    ],
    'a group is not its members': [
      'return [categoryId, ...members.map((member) => member.id)];',
      'return [categoryId];',
    ],
  }),
  ...faultsOf(`${room}/pages.ts`, ['test/spec/pagination.test.ts'], {
    'a position is remembered beyond a change': [
      '${bookId} ${yield* bookVersion(bookId)} $',
      '${bookId} $',
    ],
  }),
  ...faultsOf(`${room}/pages.ts`, ['test/spec/transaction-object.test.ts', 'sqlite.test.ts'], {
    'metadata is always empty': ['coalesce(${alias}.plaid_metadata,', 'coalesce(NULL,'],
    'parts of a split are no children': [
      't.is_split_parent = 1 AND c.book_id',
      '1 = 0 AND c.book_id',
    ],
    'files of all rows are shown': [' AND transaction_id = ${alias}.id', ''],
  }),
  ...faultsOf(`${room}/pages.ts`, foreign, {
    'a transaction of another book is shown': [
      'WHERE t.id = ${id} AND t.book_id = ${bookId}',
      'WHERE t.id = ${id}',
    ],
    'a list has rows of other books': ['t.book_id = ${bookId} AND t.listed = 1', 't.listed = 1'],
  }),
  ...faultsOf(`${room}/pages.ts`, ['test/spec/foreign-records.test.ts'], {
    'positions of two books are mixed up': [
      '`${bookId} ${yield* bookVersion',
      '`${yield* bookVersion',
    ],
  }),
  ...faultsOf(`${room}/filter.ts`, foreign, {
    'a filtered list has rows of other books': [
      't WHERE t.book_id = ${bookId} ${where}',
      't WHERE true ${where}',
    ],
  }),
  ...faultsOf(`${room}/filter.ts`, [...pages, ...listTests], {
    'hidden rows are listed under a filter': ['return [sql`t.listed = 1`]', 'return [sql`true`]'],
    'the last row of a page stands on the next too': [
      '${id} < ${after.id}',
      '${id} <= ${after.id}',
    ],
    'the last day of a range is left out': [
      'sql`${date} <= ${endDate}`',
      'sql`${date} < ${endDate}`',
    ],
    'the first day of a range is left out': [
      '[sql`${date} >= ${startDate}`, sql',
      '[sql`${date} > ${startDate}`, sql',
    ],
    'created_since takes the instant itself': ['t.created_at > $', 't.created_at >= $'],
    'updated_since takes the instant itself': ['t.updated_at > $', 't.updated_at >= $'],
    'a status is not looked at': [
      'if (query.status !== undefined) conditions',
      'if (query.status === null) conditions',
    ],
    'id 0 matches nothing': [
      'isOrNull(column, id === 0 ? null : id)',
      'isOrNull(column, id === -1 ? null : id)',
    ],
    'category 0 is not looked at': [
      'query.categoryId === 0 ? sql',
      'query.categoryId === -1 ? sql',
    ],
    'two filters share their positions': [
      "name !== 'limit' && name !== 'offset'",
      "name === 'status'",
    ],
    'pending rows are counted but not listed': [
      '!query.includePending &&\n    query.isPending',
      'query.isPending',
    ],
    'group members are listed unasked': [
      'if (!query.includeGroupChildren) conditions',
      'if (query.limit < 0) conditions',
    ],
  }),
  ...faultsOf(`${room}/counts.ts`, pages, {
    'a page begins a month too early': [
      'offset < total + count.listed',
      'offset <= total + count.listed',
    ],
    'rows of the days before are skipped again': ['skip -= day.listed;', ''],
    'a month that the range cuts is counted whole': [
      "if (range.startDate.slice(8) !== '01') cut.add(first);",
      '',
    ],
    'the last month of a range is counted whole': [
      "if (range.endDate.slice(8) !== '31') cut.add(last);",
      '',
    ],
    'months are searched from the oldest': [
      'period BETWEEN ${first} AND ${last}\n    ORDER BY period DESC',
      'period BETWEEN ${first} AND ${last}\n    ORDER BY period ASC',
    ],
  }),
  ...faultsOf(`${room}/counts.ts`, pages, {
    'months of other books are counted': [
      "WHERE book_id = ${bookId} AND granularity = 'month'",
      "WHERE granularity = 'month'",
    ],
    'days of other books are counted': [
      "WHERE book_id = ${bookId} AND granularity = 'day'",
      "WHERE granularity = 'day'",
    ],
  }),
  ...faultsOf(`${room}/bulk-rows.ts`, pages, {
    'pending rows and parents are counted': ['if (isListed(transaction)) this', 'this'],
    'written rows are not counted': ['yield* this.#counts.apply(this.#bookId);', ''],
  }),
  ...faultsOf(`${room}/bulk-rows.ts`, ['test/spec/pagination.test.ts'], {
    'an id is given twice': [
      'this.#idEnd = this.#nextId + idBlock;',
      'this.#idEnd = this.#nextId + idBlock + 1;',
    ],
    'an old copy of a page is kept after a change': ['version = version + 1', 'version = version'],
  }),
  ...faultsOf(`${room}/categories.ts`, foreign, {
    'categories of other books are listed': [
      'FROM categories WHERE book_id = ${bookId} ORDER',
      'FROM categories ORDER',
    ],
  }),
  ...faultsOf(
    `${room}/check.ts`,
    ['prove/f14-exact-money.test.ts', 'packages/cli/src/doctor.test.ts'],
    {
      'splits that do not add up are passed over': [
        'parts IS DISTINCT FROM amount',
        'parts IS NULL',
      ],
    },
  ),
  ...faultsOf(`${room}/check.ts`, ['sqlite-file.test.ts', 'packages/cli/src/doctor.test.ts'], {
    'counts that are wrong are not mended': ['yield* repairCounts(differences);', ''],
    'a row that is shown otherwise than stored is passed over': [
      'WHERE json IS DISTINCT FROM',
      'WHERE false AND json IS DISTINCT FROM',
    ],
    'tags that are not indexed are passed over': ['WHERE kept <> actual', 'WHERE false'],
    'pages that clients keep outlive a repair': [
      'SET version = version + 1',
      'SET version = version',
    ],
  }),
  ...faultsOf(
    `packages/server/src/http/etag.ts`,
    ['etag.test.ts', 'test/spec/foreign-records.test.ts'],
    {
      'a mark of one book is good in another': [
        '[revision, bookId, bookVersion',
        '[revision, bookVersion',
      ],
      'a mark outlives a change': ['bookId, bookVersion, url, state]);', 'bookId, url, state]);'],
      'a mark of one page is good for another': [
        'bookVersion, url, state]);',
        'bookVersion, state]);',
      ],
    },
  ),
  ...faultsOf(
    `packages/server/src/http/v2/transactions.ts`,
    [...listTests, 'test/spec/4-transactions-list.test.ts'],
    {
      'has_more is the other way round': [
        'page.hasMore ? tailWithMore : tailAtEnd',
        'page.hasMore ? tailAtEnd : tailWithMore',
      ],
      'an instant is compared as it was sent': [
        "['createdSince', 'updatedSince']",
        "['createdSince']",
      ],
    },
  ),
];
