import { Type, type Static } from 'typebox';
import {
  anyObject,
  closed,
  exampleOf,
  listOf,
  nullable,
  object,
  optional,
  someId,
  text,
  word,
} from '../../operations/schema.ts';

export const VersionPath = closed({
  version: someId('Version of the book that the change made.'),
});

export const UndoQuery = closed({
  conflicts: word(['refuse', 'skip'], {
    default: 'refuse',
    description:
      'What to do if records were changed since: `refuse` undoes nothing, `skip` keeps these records and what they ' +
      'need.',
  }),
});

const place = {
  record: text('Kind of the record, such as `transactions`.'),
  id: Type.Integer({ description: 'Id of the record; of a budget, the id of its category.' }),
  key: optional(
    anyObject('What else identifies the record: of a budget, its `start_date`. Absent for others.'),
  ),
};

export const BlockedRecord = object('BlockedRecord', 'A record that an undo keeps.', place, {
  example: { record: 'transactions', id: 9125 },
});
export type BlockedRecord = Static<typeof BlockedRecord>;

export const UndoConflict = object(
  'UndoConflict',
  'Why a record could not be undone.',
  {
    ...place,
    column: nullable(text('The column that conflicts; null: the whole record.')),
    reason: word(
      ['changed since', 'removed since', 'used since', 'taken since', 'imported since'],
      {
        description: 'What happened to it after the change that is undone.',
      },
    ),
    blocked: listOf(
      BlockedRecord,
      'Records of the change that stay as they are because of it; at most 1000 entries.',
    ),
  },
  {
    example: {
      record: 'transactions',
      id: 9125,
      column: 'notes',
      reason: 'changed since',
      blocked: [exampleOf(BlockedRecord)],
    },
  },
);
export type UndoConflict = Static<typeof UndoConflict>;

export const ChangeUndo = object(
  'ChangeUndo',
  'The undo of a change.',
  {
    version: nullable(
      Type.Integer({
        description:
          'Version of the book that the undo made; undo it to redo. Null while it is under way in the background.',
      }),
    ),
    undoes: Type.Integer({ description: 'Version of the change that it undoes.' }),
    conflicts: listOf(UndoConflict, 'Why records were kept; at most 1000 entries.'),
  },
  { example: { version: 413, undoes: 398, conflicts: [exampleOf(UndoConflict)] } },
);
export type ChangeUndo = Static<typeof ChangeUndo>;

/** Examples of refusals. */
export const undoConflicts = {
  changed: {
    summary: 'A transaction was changed since',
    value: {
      message: 'Conflict',
      errors: [
        { errMsg: 'transactions 9125: notes was changed since', ...exampleOf(UndoConflict) },
      ],
    },
  },
  undone: {
    summary: 'It is undone already',
    value: {
      message: 'Conflict',
      errors: [{ errMsg: 'Version 398 was undone by version 413', version: 398, undone_by: 413 }],
    },
  },
};
