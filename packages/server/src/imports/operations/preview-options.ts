import { Type, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import {
  closed,
  flag,
  nullable,
  object,
  optional,
  textUpTo,
  word,
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
  readonly date_format?: 'y-m-d' | 'd/m/y' | 'm/d/y';
  readonly decimal?: 'point' | 'comma';
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

export const ImportOptions = object(
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
