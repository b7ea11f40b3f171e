import { findBooks } from '@coffer/server';
import type { Book, Engine } from '@coffer/server';
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addDatabaseOption, readExistingDatabase, withDatabase } from './database.ts';
import type { DatabaseOptions } from './database.ts';
import { Failure } from './failure.ts';
import { quote } from './terminal/format.ts';

/** How a command names a book and its database. */
export interface BookOptions extends DatabaseOptions {
  readonly email: string;
  readonly book?: string;
}

/** Adds the options that say whose book is meant, which one, and in which database. */
export function addBookOptions(command: Command): Command {
  command
    .requiredOption('--email <address>', 'e-mail address of the user')
    .option('--book <name>', 'book of the user; not needed when there is one only');
  return addDatabaseOption(command);
}

/** Opens the database for `work` on the book that the options name. Throws a {@link Failure} if either is missing. */
export function withBook<T>(
  options: BookOptions,
  context: CommandContext,
  work: (database: Engine, book: Book) => Promise<T>,
): Promise<T> {
  return withDatabase(readExistingDatabase(options, context), context, async (database) => {
    const books = await database.readStatement(() => findBooks(options.email.trim()));
    return work(database, chooseBook(books, options));
  });
}

function chooseBook(books: readonly Book[], { email, book: name }: BookOptions): Book {
  if (books.length === 0) {
    throw new Failure(
      `There is no user with the e-mail address ${quote(email)}: make one by "coffer user create"`,
    );
  }
  const found = name === undefined ? books : books.filter((book) => isNamed(book, name));
  if (found.length === 1) return found[0]!;
  const names = books.map((book) => quote(book.name)).join(', ');
  if (name === undefined) {
    throw new Failure(`${quote(email)} has ${books.length} books: choose one by --book: ${names}`);
  }
  const which = found.length === 0 ? 'no book' : `${found.length} books`;
  throw new Failure(`${quote(email)} has ${which} of the name ${quote(name)}, only: ${names}`);
}

function isNamed(book: Book, name: string): boolean {
  return book.name.trim().toLowerCase() === name.trim().toLowerCase();
}
