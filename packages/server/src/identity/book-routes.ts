import type { Static } from 'typebox';
import type { Steps } from '../db/engine.ts';
import { outside, type Operation } from '../operations/operation.ts';
import { refuseNothingToUpdate } from '../operations/records.ts';
import { changed, refusedWithErrors } from '../operations/responses.ts';
import {
  Currency,
  exampleOf,
  id,
  notBlank,
  object,
  only,
  optional,
  reference,
  text,
} from '../operations/schema.ts';
import { bookOf, renameBook, setPrimaryCurrency } from './users/actions.ts';

const name = notBlank(100, 'Name of the book; no other book of the user may have it.');

const OwnBook = object(
  'OwnBook',
  'The book of the session.',
  {
    id: id('Id of the book.'),
    name,
    primary_currency: text('Lower-case code of its primary currency.'),
  },
  { example: { id: 1, name: 'Household', primary_currency: 'eur' } },
);

const OwnBookUpdate = object(
  'OwnBookUpdate',
  'What changes of the book.',
  {
    name: optional(name),
    primary_currency: optional(
      reference(
        Currency,
        'Its primary currency. It can change here only while the book has no amounts, and its history has none.',
      ),
    ),
  },
  { example: only(exampleOf(OwnBook), ['name']) },
);

const withAmounts = {
  summary: 'The book has amounts',
  value: {
    message: 'Conflict',
    errors: [
      {
        errMsg:
          'The primary currency cannot become "chf" at once: the book has manual accounts with values in "eur", or its ' +
          'history has some. Change it in the settings of the book in a browser, with POST /coffer/book/currency, or ' +
          'with "coffer book currency --budgets"',
        instancePath: '/body/primary_currency',
        invalid_property: 'primary_currency',
      },
    ],
  },
};

/** The operations of the book itself, for a user who is signed in. */
export const bookRoutes: readonly Operation[] = [
  outside(
    'PUT',
    {
      id: 'updateBook',
      path: '/coffer/book',
      tag: 'tokens',
      needsSession: true,
      summary: 'Change the name or the currency of the book',
      description:
        'The change is not part of the history of the book, and cannot be undone there. The primary currency of a book ' +
        'with amounts is changed with `POST /coffer/book/currency`.',
      body: OwnBookUpdate,
      response: changed(OwnBook, 'The book.'),
      refusals: {
        409: refusedWithErrors(409, 'The book has amounts, or its history has some.', {
          amounts: withAmounts,
        }),
      },
    },
    ({ bookId, body }, engine) => {
      refuseNothingToUpdate('book', body);
      return engine.write(() => updated(bookId, body));
    },
  ),
];

function* updated(
  bookId: number,
  { name: to, primary_currency: currency }: Static<typeof OwnBookUpdate>,
): Steps<Static<typeof OwnBook>> {
  if (to !== undefined) yield* renameBook(bookId, to.trim());
  if (currency !== undefined) yield* setPrimaryCurrency(bookId, currency);
  const { id: own, name: stored, primaryCurrency } = yield* bookOf(bookId);
  return { id: own, name: stored, primary_currency: primaryCurrency };
}
