import type { Static } from 'typebox';
import type { Steps } from '../db/engine.ts';
import { outside } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { changed } from '../operations/responses.ts';
import { exampleOf, id, notBlank, object, only, text } from '../operations/schema.ts';
import { bookOf, renameBook } from './users/actions.ts';

const name = notBlank(100, 'Name of the book; no other book of the user may have it.');

const OwnBook = object(
  'OwnBook',
  'The book of the session.',
  {
    id: id('Id of the book.'),
    name,
    primary_currency: text('Lower-case code of its primary currency, which stays.'),
  },
  { example: { id: 1, name: 'Household', primary_currency: 'eur' } },
);

const OwnBookUpdate = object(
  'OwnBookUpdate',
  'What changes of the book.',
  { name },
  { example: only(exampleOf(OwnBook), ['name']) },
);

/** The operations of the book itself, for a user who is signed in. */
export const bookRoutes: readonly Operation[] = [
  outside(
    'PUT',
    {
      id: 'updateBook',
      path: '/coffer/book',
      tag: 'tokens',
      needsSession: true,
      summary: 'Rename the book',
      description: 'The change is not part of the history of the book, and cannot be undone there.',
      body: OwnBookUpdate,
      response: changed(OwnBook, 'The renamed book.'),
    },
    ({ bookId, body }, engine) => engine.write(() => renamed(bookId, body.name)),
  ),
];

function* renamed(bookId: number, to: string): Steps<Static<typeof OwnBook>> {
  yield* renameBook(bookId, to.trim());
  const { id: own, name: stored, primaryCurrency } = yield* bookOf(bookId);
  return { id: own, name: stored, primary_currency: primaryCurrency };
}
