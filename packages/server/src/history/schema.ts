import { Type } from 'typebox';
import type { Static } from 'typebox';
import { maxId, minId } from '@coffer/core/ids';
import { shownTables } from '../db/tables/tables.ts';
import {
  anyObject,
  dateTime,
  idPath,
  nullable,
  object,
  reference,
  word,
} from '../operations/schema.ts';
import type { Actor } from './actor.ts';

/** Most versions, or records of a version, in one response, inclusive. */
const maxListed = 1000;

const kind = word(['made', 'changed', 'removed'], {
  description: 'What happened: it was created, changed, or deleted.',
});
/** The names of the records that are shown. */
export const shownRecords = shownTables.map(({ name }) => name);
const record = (description: string) => word(shownRecords, { description });

const limit = (description: string) =>
  Type.Integer({ minimum: 1, maximum: maxListed, default: 100, description });

/** The query parameters that begin a page of versions. */
const page = {
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxId,
      description: 'Only versions before this one: the last `version` of the page before.',
    }),
  ),
  limit: limit('Most versions in the response.'),
};

const instant = (description: string) =>
  Type.Optional(
    Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], {
      description,
    }),
  );

export const HistoryQuery = Type.Object(
  {
    ...page,
    record: Type.Optional(record('Changes of records of this kind.')),
    id: Type.Optional(
      Type.Integer({
        minimum: minId,
        maximum: maxId,
        description: 'Changes of the record with this id; only together with `record`.',
      }),
    ),
    actor: Type.Optional(
      Type.String({
        pattern: '^[a-z]+( [A-Za-z0-9_.-]{1,60})?$',
        description:
          'Changes by this actor: its `kind`, and a space and its `id` if it has one, such as `token 12` or `command`.',
      }),
    ),
    operation: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9 -]{0,60}$',
        description: 'Changes by this operation, such as `updateTransaction` or `import`.',
      }),
    ),
    from: instant('Changes at this instant or later. A date means its first instant in UTC.'),
    to: instant('Changes at this instant or earlier. A date means its last instant in UTC.'),
  },
  { additionalProperties: false, dependentRequired: { id: ['record'] } },
);
export type HistoryQuery = Static<typeof HistoryQuery>;

export const VersionPath = Type.Object(
  {
    version: Type.Integer({
      minimum: -maxId,
      maximum: maxId,
      description: 'Version of the book.',
    }),
  },
  { additionalProperties: false },
);

export const VersionQuery = Type.Object(
  {
    limit: limit('Most records in the response.'),
    offset: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'Number of records to skip.',
    }),
  },
  { additionalProperties: false },
);

export const TransactionHistoryPath = idPath('transaction');
export const TransactionHistoryQuery = Type.Object(page, { additionalProperties: false });

const change = {
  version: Type.Integer({ description: 'Version of the book that the change made.' }),
  at: dateTime('When it was made.'),
  actor: reference<Actor>('Actor'),
  operation: Type.String({
    description: 'Id of the operation, or name of the command, such as `createTransactions`.',
  }),
  undoes: nullable(Type.Integer({ description: 'Version that it undid; null if it is no undo.' })),
  undone_by: nullable(
    Type.Integer({ description: 'Last version that undid it; null if none did.' }),
  ),
};

const counts = Type.Array(
  Type.Object(
    {
      record: record('Kind of the records: the name of a table.'),
      kind,
      count: Type.Integer({ minimum: 1, description: 'Number of records.' }),
    },
    { additionalProperties: false },
  ),
  { description: 'How many records were created, changed or deleted; each is counted once.' },
);

const columns =
  'Columns by name. Amounts, also `to_base`, are texts with four decimals. For a changed record: only what changed, ' +
  'without `updated_at`.';
const effect = {
  kind,
  before: nullable(anyObject(`The record before. ${columns} Null if it did not exist.`)),
  after: nullable(anyObject(`The record after. ${columns} Null if it was deleted.`)),
};

export const HistoryEntry = object('HistoryEntry', 'A change of the book.', { ...change, counts });
export type HistoryEntry = Static<typeof HistoryEntry>;

export const HistoryList = object(
  'HistoryList',
  'Changes of the book, the newest first.',
  {
    history: Type.Array(reference<HistoryEntry>('HistoryEntry')),
    has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
  },
  'History list',
);

export const HistoryRecord = object('HistoryRecord', 'What a change did to a record.', {
  record: record('Kind of the record: the name of a table.'),
  id: Type.Integer({ description: 'Id of the record, or the first part of its key.' }),
  key: Type.Optional(
    anyObject('The other columns of the key, such as `start_date` of a budget; absent if none.'),
  ),
  ...effect,
});
export type HistoryRecord = Static<typeof HistoryRecord>;

export const HistoryVersion = object('HistoryVersion', 'A change of the book, with its records.', {
  ...change,
  counts,
  records: Type.Array(reference<HistoryRecord>('HistoryRecord'), {
    description: 'What it did to each record, in a fixed order.',
  }),
  has_more: Type.Boolean({ description: 'Whether there are more records.' }),
});
export type HistoryVersion = Static<typeof HistoryVersion>;

export const TransactionChange = object(
  'TransactionChange',
  'A change of the book, and what it did to a transaction.',
  { ...change, ...effect },
);
export type TransactionChange = Static<typeof TransactionChange>;

export const TransactionHistory = object(
  'TransactionHistory',
  'Changes of a transaction, the newest first.',
  {
    history: Type.Array(reference<TransactionChange>('TransactionChange')),
    has_more: Type.Boolean({ description: 'Whether there are older ones.' }),
  },
);
export type TransactionHistory = Static<typeof TransactionHistory>;
