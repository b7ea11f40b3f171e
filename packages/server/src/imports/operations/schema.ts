import { undoConflicts, UndoConflict } from '../../history/undo/schema.ts';
import { ImportPreview } from './preview-schema.ts';
import { ErrorDetail } from '../../operations/error-body.ts';
import { Type, type Static } from 'typebox';
import {
  closed,
  count,
  dateTime,
  day,
  flag,
  id,
  idPath,
  limit,
  listOf,
  nullable,
  object,
  offset,
  orNull,
  reference,
  text,
  word,
} from '../../operations/schema.ts';

/** Most imports in one response, inclusive. */
const maxListed = 500;

export const ImportPath = idPath('import');

export const ImportQuery = closed({
  limit: limit(maxListed, 100, 'Most imports in the response.'),
  offset: offset('Number of imports to skip.'),
  is_preview: flag('Previews that are not imported yet, instead of imports.', false),
});

export const ImportRecord = object(
  'ImportRecord',
  'One import of a file.',
  {
    id: id('Id of the import.'),
    file_name: nullable(text('Name of the file, without its folder.')),
    file_sha256: nullable(text('SHA-256 of the file, in hexadecimal digits.')),
    format: nullable(text('Format of the file, such as `csv` or `ofx`.')),
    created_at: dateTime('When it was imported.'),
    created_by: text('Who imported it, such as `command` or `token 12`.'),
    status: word(['imported', 'undone', 'preview'], {
      description:
        '`undone`: its transactions were removed by an undo. `preview`: it has not happened yet; see `preview`.',
    }),
    version: nullable(
      Type.Integer({
        description: 'Version of the book that it made; null if the book had all entries.',
      }),
    ),
    undone_version: nullable(
      Type.Integer({ description: 'Version of the book that undid it; null if it is not undone.' }),
    ),
    is_pruned: flag(
      'True if it can no longer be undone, or restored: the change log does not go back to it.',
    ),
    first_date: nullable(day('Date of the first entry; null for a file without entries.')),
    last_date: nullable(day('Date of the last entry.')),
    imported: count('New transactions.'),
    known: count('Entries that the book had.'),
    replaced: count('Pending transactions that were posted.'),
    doubtful: count('Entries that the book may have had.'),
    skipped: count('Entries that were left out by choice.'),
    left_out: count('Lines of the file that are no transactions.'),
    accounts_created: count('New manual accounts.'),
    categories_created: count('New categories.'),
    tags_created: count('New tags.'),
    work: Type.Union(
      [
        closed({
          kind: word(['undo', 'redo'], { description: 'What was requested.' }),
          is_under_way: flag('False if it was refused.'),
          errors: listOf(ErrorDetail, 'Why it was refused.'),
        }),
        Type.Null(),
      ],
      {
        description:
          'The undo of a large import in the background, until it is done; null otherwise, and on other nodes.',
      },
    ),
    preview: orNull(
      ImportPreview,
      'What it would do; null in a list, and for an import that has happened.',
    ),
  },
  {
    example: {
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
    },
  },
);
export type ImportRecord = Static<typeof ImportRecord>;

export const ImportList = object('ImportList', 'Imports of the book, the newest first.', {
  imports: listOf(ImportRecord),
  has_more: flag('Whether there are older ones.'),
});
export type ImportList = Static<typeof ImportList>;

export const ImportUndo = object('ImportUndo', 'An import after an undo.', {
  import: reference(ImportRecord),
  conflicts: listOf(UndoConflict, 'Why records were kept; at most 1000 entries.'),
});
export type ImportUndo = Static<typeof ImportUndo>;

const { errors, ...conflict } = undoConflicts.changed.value;

/** Examples of refusals. */
export const importConflicts = {
  undo: { changed: undoConflicts.changed },
  redo: {
    removed: {
      summary: 'The category was deleted since',
      value: {
        ...conflict,
        errors: [
          {
            ...errors[0],
            errMsg: 'transactions 9125: category_id was removed since',
            column: 'category_id',
            reason: 'removed since',
          },
        ],
      },
    },
  },
};
