import {
  contentsOf,
  listUsers,
  renameUser,
  booksOf,
  createUser,
} from '@coffer/server/src/identity/users/actions.ts';
import { removeUser } from '@coffer/server/src/maintenance/user-removal.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { User } from '@coffer/server/src/operations/caller.ts';
import type { Command } from 'commander';
import { addUserOptions, withUser, type UserOptions } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import {
  reportRemoval,
  addDatabaseOption,
  readDatabase,
  readExistingDatabase,
  withDatabase,
  type DatabaseOptions,
} from '../database.ts';
import {
  readCurrency,
  readEmail,
  readName,
  addListOption,
  subcommand,
  perform,
} from '../options.ts';
import { confirmRemoval, type ConfirmOptions } from '../../terminal/prompts.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';

interface CreateOptions extends DatabaseOptions, JsonOption {
  readonly email: string;
  readonly name: string;
  readonly book: string;
  readonly currency: string;
}
type ListOptions = DatabaseOptions & JsonOption;
type RemoveOptions = UserOptions & ConfirmOptions;

/** `coffer user create`, `list`, `rename` and `remove`. */
export function define(user: Command, context: CommandContext): void {
  const next = 'Create an access token for it with "coffer token create".';
  const create = subcommand(user, 'create', 'create a user with a first book', next)
    .requiredOption('--email <address>', 'e-mail address, unique among users')
    .requiredOption('--name <name>', 'name of the user')
    .option('--book <name>', 'name of the book', 'My book')
    .option('--currency <code>', 'primary currency of the book', 'usd')
    .option('--json', 'print the result as a line of JSON');
  perform(addDatabaseOption(create), context, makeUser);
  const list = addListOption(subcommand(user, 'list', 'list all users'));
  perform(addDatabaseOption(list), context, printUsers);
  const rename = subcommand(user, 'rename', 'change the name of a user');
  rename.argument('<name>', 'new name');
  perform(addUserOptions(rename), context, changeName);
  const remove = subcommand(user, 'remove', 'remove a user with all books and access tokens')
    .requiredOption('--email <address>', 'e-mail address of the user')
    .option('--yes', 'remove without a prompt; required if there is no terminal');
  perform(addDatabaseOption(remove), context, removeWithBooks);
}

async function makeUser(options: CreateOptions, context: CommandContext): Promise<void> {
  const user = {
    email: readEmail(options.email),
    name: readName('--name', options.name),
    bookName: readName('--book', options.book),
    primaryCurrency: readCurrency(options.currency),
  };
  const { database: config } = readDatabase(options, context);
  const book = await withDatabase(config, context, (database) =>
    database.write(() => createUser(user)),
  );
  const { email, name, bookName, primaryCurrency } = user;
  const record = {
    user_id: book.userId,
    email,
    name,
    book_id: book.id,
    book_name: bookName,
    primary_currency: primaryCurrency,
  };
  const sentence =
    `Created the user ${quote(email)} with the book ${quote(bookName)} ` +
    `(id ${book.id}) in ${primaryCurrency}`;
  writeResult(context, options, record, sentence);
}

async function printUsers(options: ListOptions, context: CommandContext): Promise<void> {
  const config = readExistingDatabase(options, context);
  const users = await withDatabase(config, context, (database) =>
    database.readStatement(() => listUsers()),
  );
  writeList(users, 'There are no users', options, context);
}

async function changeName(text: string, options: UserOptions, context: CommandContext) {
  const name = readName('The new name', text);
  await withUser(options, context, async (database, user) => {
    await database.write(() => renameUser(user.id, name));
    writeLine(context.stderr, `Renamed the user ${quote(user.email)} to ${quote(name)}`);
  });
}

async function removeWithBooks(options: RemoveOptions, context: CommandContext): Promise<void> {
  await withUser(options, context, async (database, user) => {
    const what = `the user ${quote(user.email)} with ${await describeContents(database, user)}`;
    const typed = { called: 'the e-mail address', reply: user.email };
    await confirmRemoval({ what, ...typed }, options, context);
    const config = readExistingDatabase(options, context);
    await reportRemoval(what, config, context, (files) => removeUser(database, user.id, { files }));
  });
}

/** Describes what is removed with a user: `2 books, 12,040 transactions and 3 access tokens`. */
function describeContents(database: Engine, { id }: User): Promise<string> {
  return database.read(function* () {
    const books = yield* booksOf(id);
    const sum = { transactions: 0, tokens: 0 };
    for (const book of books) {
      const { transactions, tokens } = yield* contentsOf(book.id);
      sum.transactions += transactions;
      sum.tokens += tokens;
    }
    const [of, by] = [count(sum.transactions, 'transaction'), count(sum.tokens, 'access token')];
    return `${count(books.length, 'book')}, ${of} and ${by}`;
  });
}
