import { isCurrencyCode } from '@coffer/server';
import type { Command } from 'commander';
import { readEmail } from './email.ts';
import { Misuse } from './failure.ts';
import { addDatabaseOption, withStore } from './open-database.ts';
import type { DatabaseOptions } from './open-database.ts';
import { quote } from './printable.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

interface UserOptions extends DatabaseOptions {
  readonly email: string;
  readonly name: string;
  readonly book: string;
  readonly currency: string;
  readonly json?: true;
}

const maxNameLength = 100;

/** `coffer user create`. */
export function defineUser(user: Command, surroundings: Surroundings): void {
  const create = user
    .command('create')
    .summary('make a user with a first book')
    .description('Make a user with a first book. An access token comes from "coffer token create".')
    .requiredOption('--email <address>', 'e-mail address; belongs to one user only')
    .requiredOption('--name <name>', 'name of the user')
    .option('--book <name>', 'name of the book', 'My book')
    .option('--currency <code>', 'primary currency of the book', 'usd')
    .option('--json', 'print the result as a line of JSON');
  addDatabaseOption(create).action((options: UserOptions) => createUser(options, surroundings));
}

async function createUser(options: UserOptions, surroundings: Surroundings): Promise<void> {
  const user = {
    email: readEmail(options.email),
    name: readName('--name', options.name),
    bookName: readName('--book', options.book),
    primaryCurrency: readCurrency(options.currency),
    nowIso: surroundings.now().toISOString(),
  };
  const book = await withStore(options, surroundings, (store) => store.createUser(user));
  const { email, name, bookName, primaryCurrency } = user;
  const result = {
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
  writeLine(surroundings.stdout, options.json === true ? JSON.stringify(result) : sentence);
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
