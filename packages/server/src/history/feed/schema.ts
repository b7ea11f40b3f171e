import { Type } from 'typebox';
import type { Static } from 'typebox';
import { shownTables } from '../../db/tables/tables.ts';
import {
  anyObject,
  dateTime,
  id,
  nullable,
  object,
  reference,
  word,
} from '../../operations/schema.ts';

/** The largest `limit`, inclusive. */
const maxChanges = 1000;
/** The longest `wait`, inclusive. */
const maxWaitSeconds = 60;

const records = shownTables.map(({ name }) => name);

/** The query of GET /coffer/changes. */
export const ChangeQuery = Type.Object(
  {
    after: Type.String({
      default: '0',
      maxLength: 200,
      description:
        'Where to begin: the `position` of an earlier response, a version of the book, or `latest` for the present.',
    }),
    limit: Type.Integer({
      default: 100,
      minimum: 1,
      maximum: maxChanges,
      description: 'Most changes in the response, and in a piece of a stream.',
    }),
    wait: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: maxWaitSeconds,
      description: 'Seconds to wait for a change if there is none. Without effect on a stream.',
    }),
    record: Type.Optional(word(records, { description: 'Only changes of this kind of record.' })),
  },
  { additionalProperties: false },
);
export type ChangeQuery = Static<typeof ChangeQuery>;

/** A change of a record in the feed. */
export const RecordChange = object('RecordChange', 'A record that was made, changed or removed.', {
  version: Type.Integer({ minimum: 1, description: 'The version of the book with the change.' }),
  at: dateTime('When it was committed.'),
  record: word(records, { description: 'The kind of record.' }),
  id: id(
    'Id of the record. Of a budget the id of its category, of a crypto balance that of its account.',
  ),
  key: Type.Optional(
    anyObject('What else identifies it: `start_date` of a budget, `symbol` of a crypto balance.'),
  ),
  kind: word(['made', 'changed', 'removed'], { description: 'What happened.' }),
  value: nullable(
    anyObject('The record as it is now, whatever it was then; null if it no longer exists.'),
  ),
});

/** The response of GET /coffer/changes. */
export const ChangeList = object('ChangeList', 'Changes of a book in the order of the commits.', {
  changes: Type.Array(reference<Static<typeof RecordChange>>('RecordChange'), {
    description: 'At most `limit` changes.',
  }),
  position: Type.String({
    description: 'Where to continue: the next `after`. Do not interpret it.',
  }),
  has_more: Type.Boolean({ description: 'Whether there are more changes now.' }),
});
