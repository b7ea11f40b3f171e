import * as fc from 'fast-check';
import { anyText } from '../../packages/core/src/testing/any-text.ts';
import type { ImportEntry } from '../../packages/server/src/imports/entry.ts';
import type { TransactionQuery } from '../../packages/server/src/pages/filter.ts';
import {
  bookArbitrary,
  queryArbitrary,
} from '../../packages/server/src/pages/testing/page-model.ts';
import type { Book } from './small-book.ts';

const mostAmount = 2 ** 53 - 1;

/** Characters with a special meaning in JSON, SQL, an encoding, a collation or a pattern. */
const oddPieces = [
  `"`,
  `'`,
  '\\',
  '\\u0000',
  '%',
  '_',
  '$1',
  '${x}',
  '{',
  '}',
  '[',
  ',',
  '</script>',
  '\x7f',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\uffff',
  '\u00a0',
  '\u200d',
  '\u202e',
  '\ud800',
  '\udfff',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'ı',
  'Å',
  'A\u030a',
  '한',
  '🥂',
  '👨‍👩‍👧',
  '\u{10ffff}',
  'a',
  'B',
  ' ',
];
const controls = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1));

const oddText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...oddPieces, ...controls), { maxLength })
    .map((pieces) => pieces.join(''));

const text = fc.oneof(oddText(8), anyText({ maxLength: 12 }).map(withoutNul));
const name = text.map((end) => `N${end}`);

function withoutNul(from: string): string {
  return from.replaceAll('\0', '');
}

const amount = fc.oneof(
  fc.constantFrom(mostAmount, -mostAmount, 0, 1, -1, 9_999, -10_000),
  fc.maxSafeInteger(),
);
const date = fc.oneof(
  fc.constantFrom('0001-01-01', '0001-01-31', '2024-02-29', '9999-12-01', '9999-12-31'),
  fc
    .date({ min: new Date('2023-12-25'), max: new Date('2024-03-05'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
);

const metadata = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  .map((value) => JSON.stringify(value));

const wildRow = fc.record({
  date,
  amount,
  to_base: amount,
  payee: text,
  original_name: fc.option(text),
  notes: fc.option(text),
  plaid_metadata: fc.option(metadata),
  custom_metadata: fc.option(metadata),
});

const wildWords = fc.record({ name, description: fc.option(text) });

/** Books like those of the model, with texts, amounts and dates on which engines could differ. */
export const wildBook: fc.Arbitrary<Book> = fc
  .tuple(
    bookArbitrary,
    fc.array(wildRow, { minLength: 60, maxLength: 60, size: 'max' }),
    fc.array(wildWords, { minLength: 10, maxLength: 10 }),
  )
  .map(([book, wild, words]) => {
    return {
      ...book,
      manualAccounts: book.manualAccounts.map((each, at) => ({ ...each, name: words[at]!.name })),
      plaidAccounts: book.plaidAccounts.map((each, at) => ({ ...each, name: words[2 + at]!.name })),
      categories: book.categories.map((each, at) => ({ ...each, ...words[4 + at] })),
      tags: book.tags.map((each, at) => ({ ...each, ...words[8 + at] })),
      transactions: book.transactions.map((row, at) => ({
        ...row,
        ...wild[at],
        // Unique in its account, as imports require.
        external_id: at % 3 === 0 ? `${at}` : null,
      })),
    };
  });

/** Entries of a statement, whose texts may have NUL characters; some ids and names are repeated. */
export const wildEntries: fc.Arbitrary<ImportEntry[]> = fc
  .array(
    fc.record({
      date,
      amount,
      payee: nulled(text),
      notes: fc.option(nulled(text)),
      currency: fc.option(fc.constantFrom('usd', 'eur')),
      category: fc.option(nulled(fc.constantFrom('Food', 'fóod', 'Fo\ud800', 'm'))),
      account: fc.option(nulled(fc.constantFrom('Checking', 'Wild\udc00', '\u{1f600}'))),
      externalId: fc.option(nulled(fc.constantFrom('x', 'y~0', '\ud800', '\udc00', 'é'))),
    }),
    { maxLength: 12 },
  )
  .map((entries) => entries.map((entry, at) => ({ ...entry, line: at + 1 })));

function nulled(from: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(from, fc.nat(3)).map(([each, at]) => {
    return at === 0 ? `${each.slice(0, 1)}\0${each.slice(1)}\0` : each;
  });
}

const filterNames = [
  ...(['start_date', 'end_date', 'created_since', 'updated_since', 'status'] as const),
  ...(['manual_account_id', 'plaid_account_id', 'recurring_id', 'category_id'] as const),
  ...(['tag_id', 'is_group_parent', 'is_pending'] as const),
];

/** Queries that the API accepts, with at most `most` of the filters, so that lists have rows. */
export function acceptedQuery(most: number): fc.Arbitrary<TransactionQuery> {
  return fc
    .tuple(
      queryArbitrary,
      fc.shuffledSubarray(filterNames, { minLength: filterNames.length - most }),
    )
    .map(([query, dropped]) => {
      const kept = Object.entries(query).filter(([key]) => !dropped.some((each) => each === key));
      return Object.fromEntries(kept) as unknown as TransactionQuery;
    })
    .filter(isTaken);
}

export const wildQuery: fc.Arbitrary<TransactionQuery> = fc
  .tuple(
    acceptedQuery(3),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 4, arbitrary: fc.nat(30) },
      { weight: 1, arbitrary: fc.constantFrom(60, 61, 2 ** 31, 2 ** 40, mostAmount) },
    ),
  )
  .map(([query, offset]) => ({ ...query, offset }));

/** The page engine accepts more than the API, for example a list of transactions without a recurring item. */
function isTaken({ start_date: start, end_date: end, recurring_id }: TransactionQuery): boolean {
  return (start === undefined || end === undefined || start <= end) && recurring_id !== -1;
}

export function wireQuery(query: Partial<TransactionQuery>): string {
  const parameters = Object.entries(query).map(([key, value]) => [key, String(value)]);
  return String(new URLSearchParams(Object.fromEntries(parameters) as Record<string, string>));
}
