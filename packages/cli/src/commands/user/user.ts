import { createUser, isCurrencyCode } from '@coffer/server';
import type { Command } from 'commander';
import { writeResult } from '../../context.ts';
import type { CommandContext, JsonOption } from '../../context.ts';
import { addDatabaseOption, readDatabase, withDatabase } from '../../database.ts';
import type { DatabaseOptions } from '../../database.ts';
import { Misuse } from '../../failure.ts';
import { readEmail } from '../../options.ts';
import { quote } from '../../terminal/format.ts';

interface UserOptions extends DatabaseOptions, JsonOption {
  readonly email: string;
  readonly name: string;
  readonly book: string;
  readonly currency: string;
}

const maxNameLength = 100;

/** `coffer user create`. */
export function define(user: Command, context: CommandContext): void {
  const create = user
    .command('create')
    .summary('make a user with a first book')
    .description('Make a user with a first book. An access token comes from "coffer token create".')
    .requiredOption('--email <address>', 'e-mail address; belongs to one user only')
    .requiredOption('--name <name>', 'name of the user')
    .option('--book <name>', 'name of the book', 'My book')
    .option('--currency <code>', 'primary currency of the book', 'usd')
    .option('--json', 'print the result as a line of JSON');
  addDatabaseOption(create).action((options: UserOptions) => makeUser(options, context));
}

async function makeUser(options: UserOptions, context: CommandContext): Promise<void> {
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
    `Made the user ${quote(email)} with the book ${quote(bookName)} ` +
    `(id ${book.id}) in ${primaryCurrency}`;
  writeResult(context, options, record, sentence);
}

function readName(flag: string, text: string): string {
  const name = text.trim();
  const { length } = [...name];
  if (length > 0 && length <= maxNameLength && !/\p{Cc}/u.test(name)) return name;
  throw new Misuse(
    `${flag}: ${quote(text)} cannot be a name: 1 to ${maxNameLength} characters on one line are needed`,
  );
}

function readCurrency(text: string): string {
  const code = text.trim().toLowerCase();
  if (isCurrencyCode(code)) return code;
  throw new Misuse(`--currency: ${quote(text)} is not a currency code that this service knows`);
}
