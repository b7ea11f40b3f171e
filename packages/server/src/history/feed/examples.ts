import type { ErrorBody } from '../../operations/error-body.ts';
import type { Example } from '../../operations/examples.ts';

const position = '3f9d6c0e8b7a41529e0d8c7b6a594837.7.43.0.0';
const tag = {
  id: 12,
  name: 'Holiday',
  description: null,
  text_color: null,
  background_color: null,
  created_at: '2026-03-15T06:30:00.250Z',
  updated_at: '2026-03-15T06:30:00.250Z',
  archived: false,
  archived_at: null,
};
const made = {
  version: 42,
  at: '2026-03-15T06:30:00.250Z',
  record: 'tags',
  id: 12,
  kind: 'made',
  value: tag,
};
const removed = {
  version: 42,
  at: '2026-03-15T06:30:00.250Z',
  record: 'budgets',
  id: 5,
  key: { start_date: '2026-03-01' },
  kind: 'removed',
  value: null,
};

const moved: ErrorBody = {
  message: 'Gone',
  errors: [
    {
      errMsg:
        'The position belongs to another book or to another copy of the database. Copy the records again, and ' +
        'continue from after=latest',
      oldest_version: 0,
    },
  ],
};

/** Example bodies; tests check each against its schema. */
export const changeExamples = {
  list: {
    some: {
      summary: 'A tag was created, and a budget was removed',
      value: { changes: [made, removed], position, has_more: false },
    },
    none: { summary: 'Nothing has changed', value: { changes: [], position, has_more: false } },
  },
  gone: {
    moved: { summary: 'A position of a database that was restored or moved since', value: moved },
  },
  events: {
    some: {
      summary: 'Where the stream begins, a change, and a sign of life',
      value: `id: ${position}\n\nid: ${position}\nevent: change\ndata: ${JSON.stringify(made)}\n\n:\n\n`,
    },
  },
} as const satisfies Record<string, Record<string, Example>>;
