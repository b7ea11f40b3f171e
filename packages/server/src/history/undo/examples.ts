import type { ChangeUndo, UndoConflict } from './schema.ts';

const undone: ChangeUndo = { version: 413, undoes: 398, conflicts: [] };

const conflict: UndoConflict = {
  record: 'transactions',
  id: 9125,
  column: 'notes',
  reason: 'changed since',
  blocked: [{ record: 'transactions', id: 9125 }],
};

/** Example bodies; tests check each against its schema. */
export const undoExamples = {
  undone: {
    whole: { summary: 'Everything was undone', value: undone },
    kept: { summary: 'A transaction was kept', value: { ...undone, conflicts: [conflict] } },
  },
  underWay: { large: { summary: 'A large import', value: { ...undone, version: null } } },
  conflict: {
    changed: {
      summary: 'A transaction was changed since',
      value: {
        message: 'Conflict',
        errors: [{ errMsg: 'transactions 9125: notes was changed since', ...conflict }],
      },
    },
    undone: {
      summary: 'It is undone already',
      value: {
        message: 'Conflict',
        errors: [{ errMsg: 'Version 398 was undone by version 413', version: 398, undone_by: 413 }],
      },
    },
  },
} as const;
