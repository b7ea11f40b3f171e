import type { ImportRecord } from './schema.ts';

const may: ImportRecord = {
  id: 12,
  file_name: 'may.ofx',
  format: 'ofx',
  status: 'imported',
  file_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  created_at: '2026-06-01T08:30:00.000Z',
  created_by: 'command',
  version: 81,
  undone_version: null,
  is_pruned: false,
  first_date: '2026-05-01',
  last_date: '2026-05-31',
  imported: 41,
  known: 6,
  replaced: 1,
  doubtful: 0,
  skipped: 0,
  left_out: 2,
  accounts_created: 1,
  categories_created: 0,
  tags_created: 0,
  work: null,
  preview: null,
};
const undone: ImportRecord = { ...may, status: 'undone', undone_version: 82 };

const kept = { record: 'transactions', id: 9125 };

function conflictOf(column: string, reason: string) {
  const errMsg = `transactions 9125: ${column} was ${reason}`;
  const errors = [{ errMsg, ...kept, column, reason, blocked: [kept] }];
  return { message: 'Conflict', errors };
}

/** Example bodies; tests check each against its schema. */
export const importExamples = {
  list: { newest: { summary: 'The newest import', value: { imports: [may], has_more: false } } },
  one: { may: { summary: 'An import', value: may } },
  undone: {
    whole: { summary: 'Everything was undone', value: { import: undone, conflicts: [] } },
    kept: {
      summary: 'A transaction was kept',
      value: {
        import: undone,
        conflicts: [{ ...kept, column: 'notes', reason: 'changed since', blocked: [kept] }],
      },
    },
  },
  underWay: {
    large: {
      summary: 'A large import',
      value: {
        import: { ...may, work: { kind: 'undo', is_under_way: true, errors: [] } },
        conflicts: [],
      },
    },
  },
  conflict: {
    changed: {
      summary: 'A transaction was changed since',
      value: conflictOf('notes', 'changed since'),
    },
  },
  redoConflict: {
    removed: {
      summary: 'The category was deleted since',
      value: conflictOf('category_id', 'removed since'),
    },
  },
} as const;
