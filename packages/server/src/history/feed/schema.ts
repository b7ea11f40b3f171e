import { Tag } from '../../ledger/tags/schema.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { shownTables } from '../../db/tables/tables.ts';
import {
  anyObject,
  closed,
  dateTime,
  exampleOf,
  flag,
  id,
  limit,
  listOf,
  nullable,
  object,
  optional,
  text,
  word,
} from '../../operations/schema.ts';

/** The largest `limit`, inclusive. */
const maxChanges = 1000;
/** The longest `wait`, inclusive. */
const maxWaitSeconds = 60;

const records = shownTables.map(({ name }) => name);

/** The query of GET /coffer/changes. */
export const ChangeQuery = closed({
  after: Type.String({
    default: '0',
    maxLength: 200,
    description:
      'Where to begin: the `position` of an earlier response, a version of the book, or `latest` for the present.',
  }),
  limit: limit(maxChanges, 100, 'Most changes in the response, and in a piece of a stream.'),
  wait: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: maxWaitSeconds,
    description: 'Seconds to wait for a change if there is none. Without effect on a stream.',
  }),
  record: optional(word(records, { description: 'Only changes of this kind of record.' })),
});
export type ChangeQuery = Static<typeof ChangeQuery>;

const examplePosition = '3f9d6c0e8b7a41529e0d8c7b6a594837.7.43.0.0';

/** A change of a record in the feed. */
const RecordChange = object(
  'RecordChange',
  'A record that was made, changed or removed.',
  {
    version: Type.Integer({ minimum: 1, description: 'The version of the book with the change.' }),
    at: dateTime('When it was committed.'),
    record: word(records, { description: 'The kind of record.' }),
    id: id(
      'Id of the record. Of a budget the id of its category, of a crypto balance that of its account.',
    ),
    key: optional(
      anyObject('What else identifies it: `start_date` of a budget, `symbol` of a crypto balance.'),
    ),
    kind: word(['made', 'changed', 'removed'], { description: 'What happened.' }),
    value: nullable(
      anyObject('The record as it is now, whatever it was then; null if it no longer exists.'),
    ),
  },
  {
    example: {
      version: 42,
      at: '2026-03-15T06:30:00.250Z',
      record: 'tags',
      id: 4,
      kind: 'made',
      value: exampleOf(Tag),
    },
  },
);

/** The response of GET /coffer/changes. */
export const ChangeList = object(
  'ChangeList',
  'Changes of a book in the order of the commits.',
  {
    changes: listOf(RecordChange, 'At most `limit` changes.'),
    position: text('Where to continue: the next `after`. Do not interpret it.'),
    has_more: flag('Whether there are more changes now.'),
  },
  {
    example: {
      changes: [exampleOf(RecordChange)],
      position: examplePosition,
      has_more: false,
    },
  },
);

/** Examples of a refusal, and of a stream. */
export const changeExamples = {
  gone: {
    moved: {
      summary: 'A position of a database that was restored or moved since',
      value: {
        message: 'Gone',
        errors: [
          {
            errMsg:
              'The position belongs to another book or to another copy of the database. Copy the records again, and ' +
              'continue from after=latest',
            oldest_version: 0,
          },
        ],
      },
    },
  },
  events: {
    some: {
      summary: 'Where the stream begins, a change, and a sign of life',
      value:
        `id: ${examplePosition}\n\nid: ${examplePosition}\nevent: change\n` +
        `data: ${JSON.stringify(exampleOf(RecordChange))}\n\n:\n\n`,
    },
  },
};
