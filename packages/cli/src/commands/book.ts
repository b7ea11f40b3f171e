import { findUser, listUsers, booksOf } from '@coffer/server/src/identity/users/actions.ts';
import type { Book, User } from '@coffer/server/src/operations/caller.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Command } from 'commander';
import { choose } from './options.ts';
import type { CommandContext } from '../terminal/context.ts';
import { addDatabaseOption, readExistingDatabase, withDatabase } from './database.ts';
import type { DatabaseOptions } from './database.ts';
import { Failure } from '../terminal/failure.ts';
import { listed, quote } from '../terminal/format.ts';

/** The options that name a user and the database. */
export interface UserOptions extends DatabaseOptions {
  /** Optional if there is only one user. */
  readonly email?: string;
}

/** The options that name a book of a user. */
export interface BookOptions extends UserOptions {
  /** Its name or id; optional if the user has only one book. */
  readonly book?: string;
}

const email = [
  '--email <address>',
  'e-mail address of the user; optional if there is only one',
] as const;
const book = [
  '--book <book>',
  'name or id of the book; optional if the user has only one',
] as const;

/** Adds `--email` and `--database`. */
export function addUserOptions(command: Command): Command {
  return addDatabaseOption(command.option(...email));
}

/** Adds `--email`, `--book` and `--database`. */
export function addBookOptions(command: Command): Command {
  return addDatabaseOption(command.option(...email).option(...book));
}

/** Opens the database for `work` on the named user. Throws a {@link Failure} if either is missing. */
export function withUser<T>(
  options: UserOptions,
  context: CommandContext,
  work: (database: Engine, user: User) => Promise<T>,
): Promise<T> {
  return withDatabase(readExistingDatabase(options, context), context, async (database) =>
    work(database, await chooseUser(database, options.email?.trim())),
  );
}

/** Opens the database for `work` on the named book. Throws a {@link Failure} if it is missing. */
export function withBook<T>(
  options: BookOptions,
  context: CommandContext,
  work: (database: Engine, book: Book, user: User) => Promise<T>,
): Promise<T> {
  return withUser(options, context, async (database, user) => {
    const books = await database.readStatement(() => booksOf(user.id));
    return work(database, chooseBook(books, user, options.book), user);
  });
}

/** A book that a command works on, and what the command was given. */
export interface OnBook<Options = object> {
  readonly database: Engine;
  readonly book: Book;
  readonly user: User;
  /** The book in a message: `The book "Home"`. */
  readonly owner: string;
  readonly options: Options;
  readonly context: CommandContext;
}

/** Adds `--email`, `--book` and `--database` to a command, and makes it do `work`, which gets its arguments, too. */
export function performOnBook<Options extends object>(
  command: Command,
  context: CommandContext,
  work: (on: OnBook<Options>, ...given: never[]) => Promise<void>,
): void {
  addBookOptions(command).action((...given: unknown[]) => {
    // Commander adds the options and the command itself.
    const options = given.at(-2) as BookOptions & Options;
    return withBook(options, context, (database, book, user) => {
      const owner = `The book ${quote(book.name)}`;
      const on = { database, book, user, owner, options, context };
      return work(on, ...(given.slice(0, -2) as never[]));
    });
  });
}

/** Returns the user with an e-mail address, or the only one. Throws a {@link Failure} if there is none. */
export async function chooseUser(database: Engine, email: string | undefined): Promise<User> {
  if (email !== undefined) {
    const found = await database.readStatement(() => findUser(email));
    if (found !== null) return found;
  }
  const users = await database.readStatement(() => listUsers());
  if (users.length === 0) {
    throw new Failure(
      'There are no users. Create one with "coffer user create --email ADDRESS --name NAME"',
    );
  }
  if (email === undefined && users.length === 1) return users[0]!;
  const all = listed(users.map((user) => quote(user.email)));
  if (email !== undefined)
    throw new Failure(`There is no user ${quote(email)}. The users are: ${all}`);
  throw new Failure(`There are ${users.length} users. Choose one with --email: ${all}`);
}

function chooseBook(books: readonly Book[], { email }: User, wanted: string | undefined): Book {
  const owner = `The user ${quote(email)}`;
  const choices = books.map((book) => ({ ...book, names: [book.name] }));
  if (wanted !== undefined) return choose(choices, wanted, owner, ['book', 'books']);
  if (books.length === 1) return books[0]!;
  const all = listed(books.map(({ name }) => quote(name)));
  throw new Failure(`${owner} has ${books.length} books. Choose one with --book: ${all}`);
}
