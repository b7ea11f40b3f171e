import type { Book, Store } from '@coffer/server';
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { quote } from './printable.ts';

/** How a command names a book. */
export interface BookOptions {
  readonly email: string;
  readonly book?: string;
}

/** Adds the options that say whose book is meant, and which. */
export function addBookOptions(command: Command): Command {
  return command
    .requiredOption('--email <address>', 'e-mail address of the user')
    .option('--book <name>', 'book of the user; not needed when there is one only');
}

/** The book that the options name. Throws a {@link Failure} that says which there are when it is not plain. */
export async function findBook(store: Store, { email, book: name }: BookOptions): Promise<Book> {
  const books = await store.findBooks(email.trim());
  const [only] = books;
  if (only === undefined) {
    throw new Failure(
      `There is no user with the e-mail address ${quote(email)}: make one by "coffer user create"`,
    );
  }
  if (name === undefined && books.length === 1) return only;
  const named = books.filter((book) => name !== undefined && isNamed(book, name));
  if (named.length === 1) return named[0]!;
  const names = books.map((book) => quote(book.name)).join(', ');
  if (name === undefined) {
    throw new Failure(`${quote(email)} has ${books.length} books: choose one by --book: ${names}`);
  }
  const which = named.length === 0 ? 'no book' : `${named.length} books`;
  throw new Failure(`${quote(email)} has ${which} of the name ${quote(name)}, only: ${names}`);
}

function isNamed(book: Book, name: string): boolean {
  return book.name.trim().toLowerCase() === name.trim().toLowerCase();
}
