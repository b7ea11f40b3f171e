import type { ImportRecord } from './schema.ts';
import type { ImportPreview, ImportPreviewRow } from './preview-schema.ts';

const shop: ImportPreviewRow = {
  number: 1,
  line: 2,
  date: '2026-05-02',
  amount: '-12.5000',
  currency: 'usd',
  payee: 'Shop',
  account: 'Checking',
  account_id: 3,
  verdict: 'new',
  is_imported: true,
  known_transaction_id: null,
  why: null,
};
const rent: ImportPreviewRow = {
  number: 2,
  line: 3,
  date: '2026-05-01',
  amount: '-900.0000',
  currency: 'usd',
  payee: 'Rent',
  account: 'Checking',
  account_id: 3,
  verdict: 'known',
  is_imported: false,
  known_transaction_id: 9125,
  why: 'same date, amount and payee',
};

const preview: ImportPreview = {
  id: 13,
  status: 'ready',
  file_name: 'may.csv',
  file_bytes: 94,
  created_at: '2026-06-01T08:30:00.000Z',
  created_by: 'token 12',
  expires_at: '2026-06-02T08:30:00.000Z',
  file_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  options: { account: 'Checking' },
  progress: null,
  format: 'csv',
  remembered: {},
  warnings: [],
  left_out: [],
  errors: [],
  mapping: {
    columns: [
      { number: 1, name: 'Date', sample: '2026-05-02', keys: ['date'] },
      { number: 2, name: 'Payee', sample: 'Shop', keys: ['payee'] },
      { number: 3, name: 'Amount', sample: '-12.50', keys: ['amount'] },
    ],
    date_format: 'y-m-d',
    decimal: 'point',
    delimiter: ',',
    encoding: 'utf-8',
    negate: false,
  },
  bad_rows: { count: 0, problems: [] },
  verdicts: { new: 1, known: 1, replaces: 0, doubtful: 0, bad: 0 },
  imported: 1,
  doubtful_imported: 0,
  first_date: '2026-05-01',
  last_date: '2026-05-02',
  without_rate: 0,
  sums: [{ currency: 'usd', amount: '-912.5000' }],
  accounts: [
    { name: 'Checking', id: 3, rows: 2, sums: [{ currency: 'usd', amount: '-912.5000' }] },
  ],
  accounts_created: 0,
  categories_created: 0,
  tags_created: 0,
  rows: [shop, rent],
  has_more: false,
};

const reading: ImportPreview = {
  ...preview,
  status: 'reading',
  file_bytes: 9_437_184,
  options: {},
  progress: { step: 'reading', done: 1_048_576, total: 9_437_184 },
  format: null,
  mapping: null,
  imported: 0,
  sums: [],
  accounts: [],
  rows: [],
  verdicts: { new: 0, known: 0, replaces: 0, doubtful: 0, bad: 0 },
  first_date: null,
  last_date: null,
};

const imported: ImportRecord = {
  id: 13,
  file_name: 'may.csv',
  format: 'csv',
  status: 'imported',
  file_sha256: preview.file_sha256,
  created_at: '2026-06-01T08:32:00.000Z',
  created_by: 'token 12',
  version: 81,
  undone_version: null,
  is_pruned: false,
  first_date: '2026-05-01',
  last_date: '2026-05-02',
  imported: 1,
  known: 1,
  replaced: 0,
  doubtful: 0,
  skipped: 0,
  left_out: 0,
  accounts_created: 0,
  categories_created: 0,
  tags_created: 0,
  work: null,
  preview: null,
};

const refused = (message: string, errMsg: string, more: object = {}) => ({
  message,
  errors: [{ errMsg, ...more }],
});

/** Example bodies; tests check each against its schema. */
export const previewExamples = {
  preview: { may: { summary: 'Two rows, one of them new', value: preview } },
  reading: { large: { summary: 'A large file', value: reading } },
  committing: {
    large: {
      summary: 'A large file',
      value: {
        ...reading,
        status: 'committing',
        progress: { step: 'comparing', done: 5000, total: 90_000 },
      },
    },
  },
  imported: { may: { summary: 'An import', value: imported } },
  rows: { first: { summary: 'All rows', value: { rows: [shop, rent], has_more: false } } },
  commit: {
    plain: { summary: 'As shown', value: {} },
    choices: {
      summary: 'With another column for the payee, and without a row',
      value: { map: 'payee=Memo', rows: [{ number: 2, action: 'skip' }] },
    },
  },
  conflict: {
    changed: {
      summary: 'A row has another verdict',
      value: refused(
        'Conflict',
        'Row 1 is known (transaction 9126) now, and was new in the preview',
        {
          number: 1,
          verdict: 'known',
          known_transaction_id: 9126,
          why: 'same date, amount and payee',
          before: { verdict: 'new', known_transaction_id: null },
        },
      ),
    },
  },
  underWay: {
    reading: {
      summary: 'It is being read',
      value: refused('Conflict', 'The file of preview 13 is still being read'),
    },
  },
  tooLarge: {
    large: {
      summary: 'More than 50 MB',
      value: refused('Payload Too Large', 'The file is larger than 50 MB'),
    },
  },
  compressed: {
    gzip: {
      summary: 'Content-Encoding: gzip',
      value: refused(
        'Unsupported Media Type',
        'The body must not have the encoding "gzip": send the file as it is, packed or not',
      ),
    },
  },
} as const;
