import type { DateOrder, Decimal } from '@coffer/statements/src/statement/statement.ts';
import { ErrorDetail } from '../../operations/error-body.ts';
import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import {
  amount,
  closed,
  count,
  date,
  dateTime,
  exampleOf,
  flag,
  id,
  idPath,
  limit,
  listOf,
  nullable,
  object,
  offset,
  optional,
  orNull,
  reference,
  text,
  word,
  textUpTo,
} from '../../operations/schema.ts';

/** The formats that the readers know. A test compares the list with theirs: loading them would slow each start. */
export const formats = [
  ...(['csv', 'ofx', 'html', 'xlsx', 'qif', 'mt940', 'mt942', 'camt'] as const),
  ...(['beancount', 'hledger', 'ledger'] as const),
];
const given = (description: string) => textUpTo(10_000, description);

/** How a file is read, with the names and meanings that `coffer import` has. */
export interface PreviewOptions {
  readonly account?: string;
  readonly format?: (typeof formats)[number];
  readonly map?: string;
  readonly date_format?: DateOrder;
  readonly decimal?: Decimal;
  readonly encoding?: string;
  readonly negate?: boolean;
  readonly currency?: string;
  readonly skip_bad_rows?: boolean;
  readonly any_year?: boolean;
  readonly on_doubt?: 'keep' | 'skip';
}

const options: Record<keyof PreviewOptions, TSchema> = {
  account: given(
    'Account for all rows, created if it is missing: it wins over the accounts in the file. `=NAME` is for rows without ' +
      'one, and `NUMBER=NAME` names one account of the file. Several are separated by line breaks.',
  ),
  format: word(formats, { description: 'Format of the file. Default: found by its content.' }),
  map: given('Columns by name or number, such as `date=Datum,amount=4`. `account=` means none.'),
  date_format: word(['y-m-d', 'd/m/y', 'm/d/y'], { description: 'Order of the parts of a date.' }),
  decimal: word(['point', 'comma'], { description: 'Decimal sign of the amounts.' }),
  encoding: given('Character encoding, such as `windows-1250`.'),
  negate: flag('Whether the file has money out as positive amounts.'),
  currency: given('Currency of rows without one, such as `EUR`.'),
  skip_bad_rows: flag('Whether the valid rows are imported although others are bad.'),
  any_year: flag(
    'Whether years before 1900 and more than a year ahead are imported as they are. Default: such a file is refused.',
  ),
  on_doubt: word(['keep', 'skip'], {
    description:
      'Whether rows that the book may have already are imported. Default: they are, except those of transactions ' +
      'that are certainly the same, but have another amount, or were changed or deleted by a user.',
  }),
};

function eachOption(change: (schema: TSchema) => TSchema): TProperties {
  return Object.fromEntries(
    Object.entries(options).map(([name, schema]) => [name, optional(change(schema))]),
  );
}

/** The query of an upload; the fields of a form have the same names. */
export const UploadQuery = closed({
  file_name: optional(
    textUpTo(255, 'Name of the file. Default: the name that the form has for it.'),
  ),
  ...eachOption((schema) => schema),
});
export type UploadQuery = PreviewOptions & { readonly file_name?: string };

const formFields = Object.fromEntries(
  Object.entries(UploadQuery.properties).filter(([name]) => name !== 'file_name'),
);

export const ImportUpload = object(
  'ImportUpload',
  'A file, and how to read it. The options can be query parameters instead.',
  { file: Type.String({ format: 'binary', description: 'The file.' }), ...formFields },
  { example: { file: 'Date,Payee,Amount' } },
);

const ImportOptions = object(
  'ImportOptions',
  'How the file is read; what is missing was found in the file.',
  eachOption((schema) => schema),
  { example: { account: 'Checking' } },
) as unknown as TUnsafe<PreviewOptions>;

export const CommitBody = object(
  'ImportCommit',
  'Options that replace those of the preview, null to remove one, also a remembered one; and choices for single rows.',
  {
    ...eachOption((schema) => nullable(schema)),
    rows: optional(
      Type.Array(
        closed({
          number: Type.Integer({ minimum: 1, description: 'Number of the row.' }),
          action: word(['keep', 'skip'], {
            description: '`keep`: import it. `skip`: leave it out.',
          }),
        }),
        { description: 'Rows that are imported or left out, whatever their verdict is.' },
      ),
    ),
  },
);

/** Options as they are sent, with choices for rows. */
export type CommitBody = { readonly [K in keyof PreviewOptions]?: PreviewOptions[K] | null } & {
  readonly rows?: readonly Choice[];
};

/** What happens to one row. */
export interface Choice {
  readonly number: number;
  readonly action: 'keep' | 'skip';
}

/** Rows in the response that shows a preview. */
export const firstRows = 50;
/** Most rows in one response, inclusive. */
const maxRows = 500;

/** What an import would do with a row. */
export const verdicts = ['new', 'known', 'replaces', 'doubtful', 'bad'] as const;
export type PreviewVerdict = (typeof verdicts)[number];

const textOrNull = (description: string) => nullable(text(description));

export const RowsQuery = closed({
  limit: limit(maxRows, 100, 'Most rows in the response.'),
  offset: offset('Number of rows to skip.'),
  verdict: optional(word(verdicts, { description: 'Only rows with this verdict.' })),
});

export const PreviewPath = idPath('preview');

export const ImportPreviewRow = object(
  'ImportPreviewRow',
  'A row of the file.',
  {
    number: nullable(
      Type.Integer({
        minimum: 1,
        description: 'Number of the row, for choices; null for a bad row.',
      }),
    ),
    line: count('Line of the file on which it begins.'),
    date: nullable(date('Null for a bad row.')),
    amount: nullable(
      amount('As the bank has it: negative for money out. Transactions have the opposite sign.'),
    ),
    currency: textOrNull('Lower-case code.'),
    payee: textOrNull('Payee as in the file.'),
    account: textOrNull('Name of the account in the file, or the name given for such rows.'),
    account_id: nullable(id('Manual account; null for none, and for one that would be created.')),
    verdict: word(verdicts, {
      description:
        '`new`: the book does not have it. `known`: the book has it. `replaces`: the book has it as pending, and it is ' +
        'posted now. `doubtful`: the book may have it, or had it. `bad`: it cannot be read.',
    }),
    known_transaction_id: nullable(
      id('The transaction that it is, or may be; also one that was deleted, as `why` says.'),
    ),
    why: textOrNull('Reason for the verdict; null for a new row.'),
    is_imported: flag('Whether it would become a new transaction.'),
  },
  {
    example: {
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
    },
  },
);
export type ImportPreviewRow = Static<typeof ImportPreviewRow>;

export const ImportPreviewRows = object('ImportPreviewRows', 'Rows of a file, in its order.', {
  rows: listOf(ImportPreviewRow),
  has_more: flag('Whether there are more rows after these.'),
});
export type ImportPreviewRows = Static<typeof ImportPreviewRows>;

const Sum = object(
  'ImportSum',
  'A sum in one currency.',
  {
    currency: text('Lower-case code.'),
    amount: amount('Negative for money out.'),
  },
  { example: { currency: 'usd', amount: '-12.5000' } },
);

export const ImportMapping = object(
  'ImportMapping',
  'How the columns of a table were read.',
  {
    columns: Type.Array(
      closed({
        number: Type.Integer({ minimum: 1, description: 'Number of the column.' }),
        name: text('Name in the header; empty if it has none.'),
        sample: text('Its first value.'),
        keys: Type.Array(text('Such as `date`, `amount` or `payee`.'), {
          description: 'What it became; empty for a column that is not used.',
        }),
      }),
    ),
    date_format: text('Order of the parts of a date.'),
    decimal: text('Decimal sign of the amounts.'),
    delimiter: textOrNull('Character between columns; null for a table of HTML.'),
    encoding: text('Character encoding.'),
    negate: flag('Whether all signs were changed.'),
  },
  {
    example: {
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
  },
);
export type ImportMapping = Static<typeof ImportMapping>;

const BadRow = closed({
  line: count('Line of the file.'),
  column: textOrNull('Column or tag; null for the whole line.'),
  value: textOrNull('The value as in the file, cut after 200 characters.'),
  reason: text('What is wrong with it.'),
});

const StatedBalance = object(
  'ImportStatedBalance',
  'A balance that the file states. It becomes known for the account when the file is imported.',
  {
    day: date('The day at whose end the account has it.'),
    balance: amount('In the currency of the account; debts are negative.'),
    difference: nullable(
      amount(
        'The balance, less what the rows of the book and the file make of the one that is known before; null if none is.',
      ),
    ),
  },
  { example: { day: '2026-05-31', balance: '1129.4900', difference: '0.0000' } },
);

/** What is known of a file as a whole, as soon as it is read. */
const report = {
  format: textOrNull('Format of the file.'),
  mapping: orNull(ImportMapping, 'How its columns were read; null for a format without columns.'),
  remembered: reference(
    ImportOptions,
    'Options of earlier imports of such files, used where the request gave none.',
  ),
  account_choices: optional(
    Type.Array(text('Name.'), {
      description:
        'Accounts of earlier files with these columns, if they were several: none of them is chosen. Absent otherwise.',
    }),
  ),
  warnings: Type.Array(
    closed({
      line: nullable(count('Null: the file as a whole.')),
      text: text('A sentence.'),
    }),
    { description: 'What you should know about the file.' },
  ),
  left_out: Type.Array(closed({ what: text('In the singular.'), count: count('How many.') }), {
    description: 'What is not a transaction, such as balances.',
  }),
  bad_rows: closed({
    count: count('Rows that cannot be read.'),
    problems: Type.Array(BadRow, { description: 'The first 100.' }),
  }),
  verdicts: closed(
    Object.fromEntries(verdicts.map((name) => [name, count(`Rows with the verdict \`${name}\`.`)])),
    'Rows by verdict.',
  ),
  imported: count('Rows that would become transactions.'),
  doubtful_imported: count('Doubtful rows that would become transactions.'),
  sums: listOf(Sum, 'Sums of all rows, by currency.'),
  accounts: Type.Array(
    closed({
      name: textOrNull('Null: rows without an account.'),
      id: nullable(id('Null for none, and for one that would be created.')),
      rows: count('Rows of the account.'),
      sums: listOf(Sum),
      balance: orNull(
        StatedBalance,
        'The closing balance in the file; null without one, and for two accounts of one name.',
      ),
    }),
    { description: 'Sums by account.' },
  ),
  accounts_created: count('Manual accounts that would be created.'),
  categories_created: count('Categories that would be created.'),
  tags_created: count('Tags that would be created.'),
  without_rate: count('Rows to import without an exchange rate.'),
  first_date: nullable(date('Date of the first row; null for a file without rows.')),
  last_date: nullable(date('Date of the last row.')),
  errors: listOf(ErrorDetail, 'Why it failed, or which rows a commit found changed.'),
} as const;

export const ImportPreview = object(
  'ImportPreview',
  'What an import of a file would do. It disappears after a day.',
  {
    id: id('Id of the preview, and of the import that it becomes.'),
    status: word(['reading', 'ready', 'failed', 'committing', 'expired'], {
      description:
        '`ready`: it can be committed. `failed`: see `errors`; commit it with other options, or discard it.',
    }),
    created_at: dateTime('When the file was received.'),
    created_by: text('Who sent it, such as `token 12`.'),
    expires_at: dateTime('When it disappears.'),
    file_name: textOrNull('Name of the file.'),
    file_sha256: text('SHA-256 of the file, in hexadecimal digits.'),
    file_bytes: count('Length of the file.'),
    options: reference(ImportOptions),
    progress: Type.Union(
      [
        closed({
          step: word(['storing', 'reading', 'comparing'], {
            description: 'What is being done; `comparing`: with the transactions of the book.',
          }),
          done: count('Bytes, or rows.'),
          total: count('0 if it is not known yet.'),
        }),
        Type.Null(),
      ],
      { description: 'While somebody waits for it; null otherwise, and on other nodes.' },
    ),
    ...report,
    rows: listOf(ImportPreviewRow, `The first ${firstRows} rows.`),
    has_more: flag('Whether there are more rows.'),
  },
  {
    example: {
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
      mapping: exampleOf(ImportMapping),
      bad_rows: { count: 0, problems: [] },
      verdicts: { new: 1, known: 0, replaces: 0, doubtful: 0, bad: 0 },
      imported: 1,
      doubtful_imported: 0,
      first_date: '2026-05-02',
      last_date: '2026-05-02',
      without_rate: 0,
      sums: [exampleOf(Sum)],
      accounts: [{ name: 'Checking', id: 3, rows: 1, sums: [exampleOf(Sum)], balance: null }],
      accounts_created: 0,
      categories_created: 0,
      tags_created: 0,
      rows: [exampleOf(ImportPreviewRow)],
      has_more: false,
    },
  },
);
export type ImportPreview = Static<typeof ImportPreview>;

/** The part of a preview that is known as soon as the file is read. */
export type PreviewReport = Pick<ImportPreview, keyof typeof report>;

const refused = (message: string, errMsg: string, more: object = {}) => ({
  message,
  errors: [{ errMsg, ...more }],
});

/** Examples of bodies and of refusals. */
export const previewExamples = {
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
};
