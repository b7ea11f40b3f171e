import { outside } from '../operations/operation.ts';
import type { Operation } from '../operations/operation.ts';
import { bodyProblem } from '../operations/problem.ts';
import { noContent, WithCookies, withCookie } from '../operations/responses.ts';
import { object, text } from '../operations/schema.ts';
import { detachOwnBook } from './user-removal.ts';

const BookDeletion = object(
  'BookDeletion',
  'Which book is deleted.',
  { name: text('The whole name of the book, as it is.') },
  { example: { name: 'Household' } },
);

/** The operation that deletes the book of a user who is signed in. */
export const bookRemovalRoutes: readonly Operation[] = [
  outside(
    'DELETE',
    {
      id: 'deleteBook',
      path: '/coffer/book',
      tag: 'tokens',
      needsSession: true,
      summary: 'Delete the book',
      description:
        'Deletes the book of the session with everything in it, and with its access tokens, webhooks, connections and ' +
        'sessions. With their only book, the user is deleted too. It cannot be undone. Nobody can open the book from ' +
        'now on; within minutes, the service deletes its rows and attached files, and overwrites what they leave in the ' +
        'file of the database. Backups keep it.',
      body: BookDeletion,
      response: withCookie(noContent('The book is deleted, and the session has ended.')),
    },
    async ({ bookId, body }, engine) => {
      await engine.write(() => detachOwnBook(bookId, (name) => refuseOther(name, body.name)));
      return new WithCookies(undefined, { session: null });
    },
  ),
];

function refuseOther(name: string, typed: string): void {
  if (typed === name) return;
  throw bodyProblem({
    errMsg: `name must be that of the book, "${name}", not "${typed}"`,
    instancePath: '/body/name',
    invalid_property: 'name',
  });
}
