import { Type, type Static } from 'typebox';
import { maxId } from '@coffer/core/ids';
import {
  anyObject,
  closed,
  dateTime,
  exampleOf,
  flag,
  idPath,
  limit,
  listOf,
  nullable,
  object,
  offset,
  only,
  optional,
  recordId,
  reference,
  someId,
  text,
  word,
} from '../operations/schema.ts';
import { shownTables } from '../db/tables/tables.ts';
import sql, { join } from 'sql-template-tag';
import { blocksOf } from '../db/blocks.ts';
import type { Steps } from '../db/engine.ts';
import { rowsAs } from '../db/rows.ts';
import { integer, nullable as nullableColumn, text as textColumn } from '../db/table.ts';

export const Actor = object(
  'Actor',
  'Who made a change.',
  {
    kind: text(
      '`user`: signed in with a browser; `token`: a client with an access token; `command`: the command `coffer`; `connection` and `connector`: a bank ' +
        'or a provider that was read; `job`: the server itself. There may be more.',
    ),
    id: nullable(
      Type.Integer({
        description: 'Id of the user, the token or the connection; null if it has none.',
      }),
    ),
    name: nullable(
      text(
        'Name of the user; label of the token, also of a revoked one; name of the connection or provider.',
      ),
    ),
  },
  { example: { kind: 'token', id: 12, name: 'phone' } },
);
export type Actor = Static<typeof Actor>;

/** What names an actor, by the kind of actor. */
const named = {
  token: sql`SELECT id, label AS name FROM access_tokens WHERE book_id =`,
  connection: sql`SELECT id, name FROM connections WHERE book_id =`,
  user: sql`SELECT u.id, u.name FROM users u JOIN books b ON b.user_id = u.id WHERE b.id =`,
} as const;

/**
 * Returns the actors of a book's log by their texts, such as `token 12`, with the names of users, tokens and
 * connections.
 */
export function* actorsOf(
  bookId: number,
  texts: Iterable<string>,
): Steps<ReadonlyMap<string, Actor>> {
  const actors = new Map([...new Set(texts)].map((text) => [text, parsed(text)]));
  for (const [kind, names] of Object.entries(named)) {
    const own = [...actors].filter(([, actor]) => actor.kind === kind && actor.id !== null);
    for (const block of blocksOf(own)) {
      const ids = block.map(([, { id }]) => id);
      const found = yield* rowsAs(
        { id: integer, name: nullableColumn(textColumn) },
        sql`SELECT id, name FROM (${names} ${bookId}) named WHERE id IN (${join(ids)})`,
      );
      const nameOf = new Map(found.map(({ id, name }) => [id, name]));
      for (const [text, actor] of block)
        actors.set(text, { ...actor, name: nameOf.get(actor.id!) ?? null });
    }
  }
  return actors;
}

/** Returns an actor by its text in the log. The word after the kind is an id or a name. */
function parsed(text: string): Actor {
  const at = text.indexOf(' ');
  if (at === -1) return { kind: text, id: null, name: null };
  const [kind, rest] = [text.slice(0, at), text.slice(at + 1)];
  if (/^[1-9]\d{0,14}$/.test(rest)) return { kind, id: Number(rest), name: null };
  return { kind, id: null, name: rest };
}

/** Most versions, or records of a version, in one response, inclusive. */
const maxListed = 1000;

const kind = word(['made', 'changed', 'removed'], {
  description: 'What happened: it was created, changed, or deleted.',
});
/** The names of the records that are shown. */
export const shownRecords = shownTables.map(({ name }) => name);
const record = (description: string) => word(shownRecords, { description });

/** The query parameters that begin a page of versions. */
const page = {
  before: optional(
    Type.Integer({
      minimum: 1,
      maximum: maxId,
      description: 'Only versions before this one: the last `version` of the page before.',
    }),
  ),
  limit: limit(maxListed, 100, 'Most versions in the response.'),
};

const instant = (description: string) =>
  optional(
    Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], {
      description,
    }),
  );

export const HistoryQuery = Type.Object(
  {
    ...page,
    record: optional(record('Changes of records of this kind.')),
    id: optional(recordId('Changes of the record with this id; only together with `record`.')),
    actor: optional(
      Type.String({
        pattern: '^[a-z]+( [A-Za-z0-9_.-]{1,60})?$',
        description:
          'Changes by this actor: its `kind`, and a space and its `id` if it has one, such as `token 12` or `command`.',
      }),
    ),
    operation: optional(
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

export const VersionPath = closed({
  version: someId('Version of the book.'),
});

export const VersionQuery = closed({
  limit: limit(maxListed, 100, 'Most records in the response.'),
  offset: offset('Number of records to skip.'),
});

export const TransactionHistoryPath = idPath('transaction');
export const TransactionHistoryQuery = closed(page);

const change = {
  version: Type.Integer({ description: 'Version of the book that the change made.' }),
  at: dateTime('When it was made.'),
  actor: reference(Actor),
  operation: text('Id of the operation, or name of the command, such as `createTransactions`.'),
  undoes: nullable(Type.Integer({ description: 'Version that it undid; null if it is no undo.' })),
  undone_by: nullable(
    Type.Integer({ description: 'Last version that undid it; null if none did.' }),
  ),
};

const counts = Type.Array(
  closed({
    record: record('Kind of the records: the name of a table.'),
    kind,
    count: Type.Integer({ minimum: 1, description: 'Number of records.' }),
  }),
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

const exampleChange = {
  version: 82,
  at: '2026-06-02T07:15:00.000Z',
  actor: exampleOf(Actor),
  undoes: null,
  undone_by: null,
  operation: 'updateTransaction',
};

export const HistoryEntry = object(
  'HistoryEntry',
  'A change of the book.',
  { ...change, counts },
  {
    example: {
      ...exampleChange,
      counts: [{ record: 'transactions', kind: 'changed', count: 1 }],
    },
  },
);
export type HistoryEntry = Static<typeof HistoryEntry>;

export const HistoryList = object('HistoryList', 'Changes of the book, the newest first.', {
  history: listOf(HistoryEntry),
  has_more: flag('Whether there are older ones.'),
});

export const HistoryRecord = object(
  'HistoryRecord',
  'What a change did to a record.',
  {
    record: record('Kind of the record: the name of a table.'),
    id: Type.Integer({ description: 'Id of the record, or the first part of its key.' }),
    key: optional(
      anyObject('The other columns of the key, such as `start_date` of a budget; absent if none.'),
    ),
    ...effect,
  },
  {
    example: {
      record: 'transactions',
      id: 9125,
      kind: 'changed',
      before: { payee: 'REWE SAGT DANKE', category_id: null },
      after: { payee: 'REWE', category_id: 83 },
    },
  },
);
export type HistoryRecord = Static<typeof HistoryRecord>;

export const HistoryVersion = object(
  'HistoryVersion',
  'A change of the book, with its records.',
  {
    ...change,
    counts,
    records: listOf(HistoryRecord, 'What it did to each record, in a fixed order.'),
    has_more: flag('Whether there are more records.'),
  },
  {
    example: {
      ...exampleOf(HistoryEntry),
      records: [exampleOf(HistoryRecord)],
      has_more: false,
    },
  },
);
export type HistoryVersion = Static<typeof HistoryVersion>;

const TransactionChange = object(
  'TransactionChange',
  'A change of the book, and what it did to a transaction.',
  { ...change, ...effect },
  { example: { ...exampleChange, ...only(exampleOf(HistoryRecord), ['kind', 'before', 'after']) } },
);

export const TransactionHistory = object(
  'TransactionHistory',
  'Changes of a transaction, the newest first.',
  {
    history: listOf(TransactionChange),
    has_more: flag('Whether there are older ones.'),
  },
);
export type TransactionHistory = Static<typeof TransactionHistory>;
