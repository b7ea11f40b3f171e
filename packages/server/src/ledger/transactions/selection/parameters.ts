import { Type, type Static } from 'typebox';
import { maxId, minId } from '@coffer/core/ids';
import { selectionSorts } from '../../../pages/selection/query.ts';
import { word } from '../../../operations/schema.ts';
import { asOf } from '../earlier/version.ts';
import { TransactionListQuery } from '../parameters.ts';

/** Most words of a search. */
export const mostWords = 10;
/** Most ids of a filter, and the digits of each. */
const idsPattern = '^(0|[1-9]\\d{0,15})(,(0|[1-9]\\d{0,15})){0,99}$';
/** PostgreSQL cannot compare a text with NUL. */
const textPattern = '^[^\\u0000]*$';
const unsignedPattern = '^\\d+(\\.\\d{1,4})?$';
const monthPattern = '^(?!0000)\\d{4}-(0[1-9]|1[0-2])$';

function ids(description: string) {
  return Type.Optional(
    Type.String({
      pattern: idsPattern,
      description: `${description} Up to 100 ids with commas between them; 0: none.`,
    }),
  );
}

function unsigned(description: string) {
  return Type.Optional(Type.String({ pattern: unsignedPattern, description }));
}

const words = (description: string) =>
  Type.Optional(Type.String({ maxLength: 200, pattern: textPattern, description }));

const filters = {
  q: words(
    'Words that must all be in the payee or in the notes, up to 10.\n\n' +
      'Letter case and accents do not matter. A word of one or two characters must begin a word of the text. ' +
      'Only the first 300 characters of a payee and of notes are searched.',
  ),
  payee: Type.Optional(
    Type.String({ pattern: textPattern, description: 'With exactly this payee.' }),
  ),
  min_amount: unsigned('Smallest amount without its sign, in the currency of the transaction.'),
  max_amount: unsigned('Largest amount without its sign, inclusive.'),
  category_ids: ids('In one of these categories, or in one of these groups.'),
  tag_ids: ids('With one of these tags. 0 only alone.'),
  manual_account_ids: ids('In one of these manual accounts.'),
  plaid_account_ids: ids('In one of these synced accounts.'),
  import_id: Type.Optional(
    Type.Integer({ minimum: minId, maximum: maxId, description: 'Created by this import.' }),
  ),
};

/** The names of the filters that a list of an earlier state does not have. */
export const presentFilters: readonly string[] = [...Object.keys(filters), 'sort'];

const sort = Type.Optional(
  word(selectionSorts, {
    description:
      'Order: by date, or by amount with its sign; a minus means newest or largest first. Default: `-date`.',
  }),
);

const { limit, offset, ...listed } = TransactionListQuery.properties;
const { include_metadata, include_children, include_files, ...shown } = listed;

/** The query of GET /coffer/transactions. */
export const SelectionQuery = Type.Object(
  {
    as_of: asOf,
    ...filters,
    sort,
    ...shown,
    include_metadata,
    include_children,
    include_files,
    limit,
    offset,
  },
  { additionalProperties: false },
);
export type SelectionQuery = Static<typeof SelectionQuery>;

/** The query of GET /coffer/transactions/{id}. */
export const EarlierQuery = Type.Object({ as_of: asOf }, { additionalProperties: false });

/** The query of GET /coffer/transactions/months: the filters of the list. */
export const MonthsQuery = Type.Object({ ...filters, ...shown }, { additionalProperties: false });
export type MonthsQuery = Static<typeof MonthsQuery>;

const month = (description: string) =>
  Type.Optional(Type.String({ pattern: monthPattern, description }));

/** The query of GET /coffer/sums. */
export const SumsQuery = Type.Object(
  {
    start_month: month('First month, `YYYY-MM`, inclusive; may be sent alone.'),
    end_month: month('Last month, inclusive; may be sent alone.'),
    by: Type.String({
      pattern: '^(month|category|account)(,(month|category|account)){0,2}$',
      default: 'month',
      description:
        'What the sums are divided by: one or more of `month`, `category` and `account`, with commas between them.',
    }),
  },
  { additionalProperties: false },
);
export type SumsQuery = Static<typeof SumsQuery>;

/** The query of GET /coffer/payees. */
export const PayeesQuery = Type.Object(
  {
    q: words(
      'Words that must all be in the payee. Without them, payees of the latest transactions are listed.',
    ),
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Most payees in the response.',
    }),
  },
  { additionalProperties: false },
);
export type PayeesQuery = Static<typeof PayeesQuery>;
